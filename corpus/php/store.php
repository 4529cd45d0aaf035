<!DOCTYPE html>
<p>if ($x !== null) $x->dispose();</p>
<?php
declare(strict_types=1);

namespace App\Store;

use App\Entry;
use App\Log as Logger;
use function strlen;

/** if ($x !== null) $x->dispose() is only mentioned. */
interface Closing { public function close(?Entry $other = null): void; }

trait Named { protected string $name = 'größe'; }

enum Level: string { case Low = 'low'; case High = 'high'; }

#[Service('store')]
final class Store extends Base implements Closing
{
    use Named;

    const LIMIT = 10, TEXT = 'new Entry()';
    private ?Entry $entry = null;
    private static int $count = 0;

    public function __construct(private readonly string $root, array ...$rest)
    {
        parent::__construct();
        $this->rest = [...$rest, 'a' => 1, 2,];
        self::$count++;
    }

    public function close(?Entry $other = null): void
    {
        if ($this->entry !== null) $this->entry->dispose();
        if ($other !== null) {
            $other->dispose();
        }
        // The guard that disposes of something else.
        if ($other !== null) $this->entry->dispose();
        $other?->dispose();
    }

    abstract protected function load(string $name);
}

function run(array $items, callable $f): ?int
{
    foreach ($items as $key => $value) {
        if ($value == $value && $key != 1) continue;
        elseif (isset($items[$key])) unset($items[$key]);
        else { echo "key: $key {$value->name}\n", 'f($x)'; }
    }
    foreach ($items as $item): print $item; endforeach;
    for ($i = 0; $i < 10; $i++) $f($i);
    while ($row = fetch()) { $rows[] = $row; }
    switch (count($items)) {
        case 0: return null;
        case 1:
        default: break;
    }
    $name = match (true) { $i > 1, $i < 0 => 'x', default => strtoupper('y') };
    try {
        throw new \RuntimeException(message: $name);
    } catch (RuntimeException | LogicException $e) {
        Logger::error($e->getMessage());
    } finally {
        $done = true;
    }
    $double = fn (int $x): int => $x * 2;
    $sum = function ($a, $b) use (&$done) { return $a + $b; };
    [$first, $second] = array(1, 2);
    $text = <<<EOT
    f($first)
    EOT;
    return (int) $sum($double(1), $second) ?? $done ?: -1;
}
?>
<p class="x"><?= htmlspecialchars($_GET['q'] ?? '') ?></p>
