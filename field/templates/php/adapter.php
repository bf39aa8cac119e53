<?php
// NAME: a lock to fill in. As it stands it is the lock of stage 4, with a Redis client of its own:
// put your library in the place of Connection and of the two functions of Lock.
require_once __DIR__ . '/../helpers/LockClient.php';

const DELETE_OWN =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

class NoAnswer extends Exception {}

class Connection
{
    private $stream = null;

    public function __construct(private string $host, private int $port) {}

    private function connect(): void
    {
        $this->stream = @stream_socket_client("tcp://{$this->host}:{$this->port}") ?: null;
        if (!$this->stream) throw new NoAnswer('cannot connect');
        if (LockClient::timeout()) stream_set_timeout($this->stream, (int) LockClient::timeout());
    }

    public function command(string|int ...$words): ?string
    {
        if (!$this->stream) $this->connect();
        $text = '*' . count($words) . "\r\n";
        foreach ($words as $word) $text .= '$' . strlen((string) $word) . "\r\n$word\r\n";
        $line = @fwrite($this->stream, $text) === false ? false : fgets($this->stream);
        if ($line === false) {
            $this->stream = null;  // the next command connects again
            throw new NoAnswer('the server hung up');
        }
        $line = rtrim($line);
        if ($line[0] === '-') throw new Exception(substr($line, 1));
        return $line === '$-1' ? null : substr($line, 1);
    }
}

class Lock
{
    private string $token;

    public function __construct(
        private Connection $servers, private string $key, private int $leaseMs,
    ) {
        $this->token = bin2hex(random_bytes(16));
    }

    public function acquire(int $waitMs): bool
    {
        $set = ['SET', $this->key, $this->token, 'NX', 'PX', $this->leaseMs];
        return $this->servers->command(...$set) !== null;
    }

    public function release(): string
    {
        $removed = $this->servers->command('EVAL', DELETE_OWN, 1, $this->key, $this->token);
        return $removed === '1' ? 'released' : 'not_mine';
    }
}

(new LockClient(
    'NAME', '0.1', ['lease', 'token', 'atomic_release'],
    fn(array $nodes) => new Connection(...$nodes[0]),
    fn(Connection $servers, string $key, int $leaseMs) => new Lock($servers, $key, $leaseMs),
    fn(Throwable $error) => $error instanceof NoAnswer,
))->serve();
