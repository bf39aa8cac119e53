<?php
// What the lock protects: the critical section of a client (docs/client-protocol.md, work).

class Abandoned extends Exception {} // ends a critical section early

class CriticalSection
{
    private $stream;

    public function __construct(string $address, private string $client)
    {
        $this->stream = stream_socket_client("tcp://$address");
        stream_set_timeout($this->stream, 600);
    }

    // Adds an amount. $think throws Abandoned if the client is told to stop, and $check if the lock
    // is lost, last of all before the write.
    public function changeAccount(array $request, array $fence, callable $think, callable $check)
    {
        $account = $request['account'] ?? 'account';
        $value = $this->ask('READ', $account, ...$fence);
        if ($request['throws'] ?? false) {
            throw new Abandoned('an exception left the critical section');
        }
        $think($request['think_ms'] ?? 0);
        $check();
        $this->ask('BEGIN', $account, ...$fence);
        $this->ask('WRITE', $account, $value + ($request['amount'] ?? 1), ...$fence);
    }

    private function ask(string $operation, string $account, string|int ...$words): int
    {
        $words = [$operation, $account, $this->client, ...$words];
        $parts = array_map(fn($word) => '$' . strlen($word) . "\r\n$word\r\n", $words);
        fwrite($this->stream, '*' . count($parts) . "\r\n" . implode('', $parts));
        $line = rtrim((string) fgets($this->stream));
        if (str_starts_with($line, '-FENCED')) {
            throw new Abandoned('the storage refused it: the lock was lost, and taken since');
        }
        if ($line === '' || $line[0] === '-') throw new Exception("storage: $line");
        return (int) ($line[0] === '$' ? fgets($this->stream) : substr($line, 1));
    }
}
