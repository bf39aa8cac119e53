<?php
// The client protocol (docs/client-protocol.md) for an adapter in PHP, which brings only a lock.
//
// serve() answers the kit's requests until it is told to stop. The lock is a function:
//   $lock($servers, $key, $leaseMs, $renewed)  one hold, an object with
//     acquire($waitMs)  true, false, an array of more fields for the answer, or 'not_acquired'
//     $waits            optional: true if the library waits; else serve() asks again every 20 ms
//     release()         an outcome of the protocol, 'not_mine', 'not_released' or 'no_outcome'
//     held()            optional: what the library answers when asked; asked before each write
// A $waitMs of 0 means: ask once. $connect($nodes) is called once and makes $servers; nodes are
// [host, port]. $unknown($error) says whether an error means: no answer came, the command may have
// been applied. Others become `error` answers. PHP runs nothing behind the program's back, so
// nothing tells of a loss unasked.

require_once __DIR__ . '/CriticalSection.php';

function setting(string $name, string $otherwise = ''): string
{
    $value = getenv($name) ?: $otherwise;
    if ($value === '') {
        fwrite(STDERR, "$name is not set: the lab starts lock clients and sets it\n");
        exit(2);
    }
    return $value;
}

// The version of an installed package, without Debian's part of it.
function debianVersion(string $package): string
{
    $known = "\n" . @file_get_contents('/var/lib/dpkg/status');
    $found = preg_match("/\nPackage: $package\n(?:.+\n)*?Version: ([0-9.]+)/", $known, $version);
    return $found ? $version[1] : '';
}

class LockClient
{
    private bool $stopping = false;
    private string $text = '';
    private array $holds = []; // [thread, key, lock, fence, lost]; the newest last
    private $servers;
    private CriticalSection $section;

    // Seconds until a command counts as unanswered; null: as the library has it by default.
    public static function timeout(): ?float
    {
        $asked = getenv('LOCK_VARIANT') === 'command_timeout';
        return $asked ? min(500, setting('LOCK_TIMEOUT_MS', '1000')) / 1000 : null;
    }

    public function __construct(
        private string $name, private string $version, private array $capabilities,
        callable $connect, private Closure $lock, private ?Closure $unknown = null,
    ) {
        ini_set('display_errors', 'stderr'); // standard output is for answers
        pcntl_async_signals(true);
        pcntl_signal(SIGTERM, function () { $this->stopping = true; });
        $port = fn(string $node) => (int) substr(strrchr($node, ':'), 1);
        $address = fn(string $node) => [strstr($node, ':', true), $port($node)];
        $this->servers = $connect(array_map($address, explode(',', setting('LOCK_NODES'))));
        $this->section = new CriticalSection(setting('LOCK_STORAGE'), setting('LOCK_CLIENT'));
    }

    public function serve(): void
    {
        while (($line = $this->nextLine()) !== null) {
            if (!$this->answer($line)) exit(0);
        }
        $this->giveBack();
        $this->say(['event' => 'stopped']);
        exit(0);
    }

    private function nextLine(): ?string
    {
        while (!$this->stopping && !str_contains($this->text, "\n")) $this->listen(3600);
        if ($this->stopping) return null;
        [$line, $this->text] = explode("\n", $this->text, 2);
        return $line;
    }

    // Waits, and hears of the end of the input meanwhile.
    private function listen(float $seconds): void
    {
        [$read, $write, $except] = [[STDIN], null, null];
        $micros = (int) ceil($seconds * 1e6); // rounded down, it would be asked again and again
        $whole = intdiv($micros, 1_000_000);
        if (!@stream_select($read, $write, $except, $whole, $micros % 1_000_000)) return;
        $block = fread(STDIN, 65536);
        if ($block === '' || $block === false) $this->stopping = true;
        $this->text .= $block;
    }

    private function pause(int $ms): void
    {
        $end = microtime(true) + $ms / 1000;
        while (!$this->stopping && ($left = $end - microtime(true)) > 0) $this->listen($left);
    }

    private function say(array $line): void
    {
        fwrite(STDOUT, json_encode($line) . "\n");
    }

    private function answer(string $line): bool
    {
        $request = json_decode($line, true);
        $operation = $request['op'] ?? null;
        try {
            $reply = match ($operation) {
                'hello' => ['name' => $this->name, 'version' => 1, 'library' => $this->version,
                            'capabilities' => $this->capabilities],
                'acquire' => $this->unlessUnknown(fn() => $this->acquire($request)),
                'release' => $this->unlessUnknown(fn() => $this->release($request)),
                'repeat' => $this->repeat($request),
                'held' => ['held' => !($this->holds[$this->find($request) ?? -1]['lost'] ?? true)],
                'work' => $this->work($request),
                'bye' => $this->giveBack(),
                null => throw new Exception('a request is one JSON object a line, with an "op"'),
                default => throw new Exception("unknown operation \"$operation\""),
            };
        } catch (Throwable $error) {
            $reply = ['error' => get_class($error) . ': ' . $error->getMessage()];
        }
        $this->say($reply + (isset($request['id']) ? ['id' => $request['id']] : []));
        return $operation !== 'bye';
    }

    private function unlessUnknown(callable $call): array
    {
        try {
            return $call();
        } catch (Throwable $error) {
            if (!$this->unknown || !($this->unknown)($error)) throw $error;
            $why = get_class($error) . ': ' . $error->getMessage();
            return ['outcome' => 'unknown', 'why' => $why];
        }
    }

    private function find(array $request): ?int
    {
        foreach (array_reverse($this->holds, true) as $at => $hold) {
            $thread = $request['thread'] ?? 1;
            if ($hold['thread'] === $thread && $hold['key'] === $request['key']) return $at;
        }
        return null;
    }

    private function make(array $request): object
    {
        $asked = $request['lease_ms'] ?? 0;
        $lease = $asked ?: (int) setting('LOCK_LEASE_MS', '30000');
        return ($this->lock)($this->servers, $request['key'], $lease, !$asked);
    }

    private function acquire(array $request): array
    {
        if (isset($request['join'])) throw new Exception('this lock cannot be joined');
        $lock = $this->make($request);
        $waitMs = $request['wait_ms'] ?? 0;
        $end = microtime(true) + $waitMs / 1000;
        $byItself = $waitMs > 0 && !isset($request['tries']) && ($lock->waits ?? false);
        for ($tries = $request['tries'] ?? 0; ; ) {
            $got = $lock->acquire($byItself ? $waitMs : 0);
            if ($got && $got !== 'not_acquired') break;
            $over = $end <= microtime(true) && (!$tries || $waitMs > 0);
            $ended = $byItself || $over || $this->stopping || ($tries && --$tries === 0);
            if ($ended) return ['outcome' => $got ?: 'contended'];
            $this->pause(20);
        }
        $more = is_array($got) ? $got : [];
        $thread = $request['thread'] ?? 1;
        $fence = array_values(array_intersect_key($more, ['fencing_token' => 0]));
        $this->holds[] = ['thread' => $thread, 'key' => $request['key'], 'lock' => $lock,
                          'lost' => false, 'fence' => $fence];
        return ['outcome' => 'acquired', 'thread' => $thread] + $more;
    }

    private function release(array $request): array
    {
        $at = $this->find($request); // without one: a program with a bug asks too
        $outcome = ($at === null ? $this->make($request) : $this->holds[$at]['lock'])->release();
        if ($at !== null && $outcome !== 'unknown') unset($this->holds[$at]);
        return ['outcome' => $outcome];
    }

    private function repeat(array $request): array // a benchmark's
    {
        $end = microtime(true) + $request['for_ms'] / 1000;
        for ($pairs = 0; microtime(true) < $end; ) {
            $outcome = $this->unlessUnknown(fn() => $this->acquire($request))['outcome'];
            if ($outcome === 'contended' || $outcome === 'not_acquired') continue; // it gave up
            if ($outcome === 'acquired') {
                $outcome = $this->unlessUnknown(fn() => $this->release($request))['outcome'];
            }
            if ($outcome !== 'released' && $outcome !== 'no_outcome') {
                throw new Exception("after $pairs pairs: $outcome");
            }
            ++$pairs;
        }
        return ['outcome' => 'done', 'pairs' => $pairs];
    }

    private function work(array $request): array
    {
        $at = $this->find($request) ?? throw new Exception('work needs the lock: acquire it first');
        try {
            $check = fn() => $this->check($at);
            $fence = $this->holds[$at]['fence'];
            $this->section->changeAccount($request, $fence, $this->think(...), $check);
            return ['outcome' => 'done'];
        } catch (Throwable $error) {
            $this->unlessUnknown(fn() => $this->release($request)); // left early: given back
            if (!$error instanceof Abandoned) throw $error;
            return ['outcome' => 'abandoned', 'why' => $error->getMessage()];
        }
    }

    private function think(int $ms): void
    {
        $this->pause($ms);
        if ($this->stopping) throw new Abandoned('told to stop');
    }

    // What an application asks last, before it writes.
    private function check(int $at): void
    {
        ['lock' => $lock, 'key' => $key] = $this->holds[$at];
        if (!method_exists($lock, 'held')) return;
        $asked = $this->unlessUnknown(fn() => ['held' => $lock->held()]);
        if (isset($asked['why'])) {
            throw new Abandoned("asked, the lock did not answer: {$asked['why']}");
        }
        if ($asked['held']) return;
        $this->holds[$at]['lost'] = true;
        $this->say(['event' => 'lost', 'key' => $key, 'asked' => true]);
        throw new Abandoned('asked, the lock said that it is lost');
    }

    private function giveBack(): array
    {
        foreach (array_reverse($this->holds) as $hold) {
            try {
                $this->unlessUnknown(fn() => $this->release($hold));
            } catch (Throwable $error) {
                fwrite(STDERR, $error->getMessage() . "\n");
            }
        }
        return ['outcome' => 'bye'];
    }
}
