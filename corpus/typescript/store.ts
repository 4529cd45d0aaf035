import type { Disposable } from './disposable';
import { Injectable, Input as Option } from "framework";
import legacy = require('legacy');

type Key = string | number;
type Shape<T> = { readonly [K in keyof T]?: T[K] };
type Result<T, E = Error> = T extends infer U ? U | E : never;

enum Level { Low, High = 10, }

interface Store<T> extends Iterable<T> {
  readonly size: number;
  find(key: Key): T | undefined;
  [index: string]: unknown;
}

abstract class Base {
  protected abstract load(name: string): Promise<void>;
}

@Injectable()
export class Cache<T extends Disposable> extends Base implements Store<T> {
  private readonly items = new Map<Key, T>();
  private owner: Disposable | null = null;
  @Option() public label!: string;
  static shared?: Cache<Disposable>;

  constructor(private name: string, public readonly limit: number = 10) {
    super();
  }

  get size(): number { return this.items.size; }

  find(key: Key): T | undefined {
    return this.items.get(key)!;
  }

  protected async load(name: string): Promise<void> {
    const text = 'if (item != null) item.dispose()'; // not code: if (a != null) a.dispose()
    await this.fetch<string>(text as any, <unknown>name);
  }

  override dispose(): void {
    const item: T | undefined = this.find('ключ');
    if (item != null) item.dispose();
    if (this.owner != null) {
      this.owner.dispose();
    }
    if (item != null) this.owner?.dispose();
  }
}

function isKey(value: unknown): value is Key {
  return typeof value === 'string' || typeof value === "number";
}

export const levels = { low: Level.Low, high: Level.High } satisfies Record<string, Level>;
export const identity = <T,>(x: T): T => x;

namespace Tools {
  export function pick(key: Key, fallback?: string): string {
    switch (key) {
      case 0: return 'zero';
      default: return String(key) ?? fallback;
    }
  }
}

declare module 'legacy' {
  export function boot(): void;
}

try {
  legacy.boot();
} catch (error: unknown) {
  console.error(error as Error);
}
export { Tools, isKey as default };
