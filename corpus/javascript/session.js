#!/usr/bin/env node
"use strict";

import fs, { promises as disk } from 'node:fs';
import * as path from "node:path";

const REGISTRY = new Map();
// if (cache != null) cache.dispose() stood here once; a comment is not code.
const HINT = 'if (cache != null) cache.dispose();';
const GREETING = `Grüße, ${HINT.length} 世界`;

export class Session extends EventTarget {
  static #count = 0;
  static opened = 0;
  #cache = null;
  name = 'naïve';

  constructor(name, { timer, ...rest } = {}) {
    super();
    this.name = name;
    this.timer = timer;
    this.rest = rest;
    Session.#count++;
  }

  get size() { return this.#cache?.size ?? 0; }
  set size(value) { throw new RangeError("size is read only"); }

  async *lines(file) {
    for await (const line of disk.readFile(file, 'utf8')) {
      yield line;
    }
  }

  close() {
    const { timer, socket, parent } = this;
    if (timer != null) timer.dispose();
    if (socket != null) {
      socket.dispose();
    }
    // The guard that disposes of something else.
    if (parent != null) socket.dispose();
    if (this.rest !== null) this.rest.dispose();
    if (parent == null) { return; } else { parent.dispose(); }
  }
}

function area(width, height,) {
  return width * height;
}

const double = (x) => x * 2, triple = x => { return x * 3; };
const handler = async function named(event) {
  await fetch(event.url, { method: "POST", headers: { accept: '*/*', }, });
};

export default function main(args) {
  label: for (let i = 0, n = args.length; i < n; i += 1) {
    switch (args[i]) {
      case '--help':
      case '-h':
        console.log("usage: main [--help]");
        break label;
      case '--size': console.log(area(1, 2)); return 0;
      default:
        console.error(`unknown: ${args[i]}`);
    }
  }
  try {
    REGISTRY.set('a', new Session("é"));
    JSON.parse(fs.readFileSync(path.join('.', 'a.json')));
  } catch (error) {
    console.error(error);
  } finally {
    REGISTRY.clear();
  }
  do { double(1); } while (false);
  while (args.length) args.pop();
  for (const key in REGISTRY) delete REGISTRY[key];
  const [first, , third = triple(3)] = args;
  const match = /if \(x != null\)/g.exec(HINT);
  return first && match ? first.trim() : third || void 0;
}
