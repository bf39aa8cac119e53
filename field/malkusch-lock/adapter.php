<?php
// malkusch/lock (php-lock/lock) with its PHPRedisMutex, as its README shows it: synchronized()
// holds the lock around a function. A fiber keeps that function open between two requests.
require_once 'Malkusch/Lock/autoload.php';
require_once __DIR__ . '/../helpers/LockClient.php';

use malkusch\lock\exception\{DeadlineException, LockAcquireException, LockReleaseException};
use malkusch\lock\mutex\PHPRedisMutex;
use malkusch\lock\util\PcntlTimeout;

function connect(array $nodes): array
{
    return array_map(function (array $node): Redis {
        $redis = new Redis();
        $redis->connect(...$node);
        if (LockClient::timeout()) {
            $redis->setOption(Redis::OPT_READ_TIMEOUT, LockClient::timeout());
        }
        return $redis;
    }, $nodes);
}

class MalkuschLock
{
    public bool $waits = true;
    private ?Fiber $inside = null;

    public function __construct(private PHPRedisMutex $mutex) {}

    // It cannot ask once, and waits for as long as the lease: its own PcntlTimeout ends the
    // waiting, after whole seconds.
    public function acquire(int $waitMs): bool|string
    {
        $fiber = new Fiber(fn() => $this->mutex->synchronized(Fiber::suspend(...)));
        try {
            (new PcntlTimeout(max(1, (int) ceil($waitMs / 1000))))->timeBoxed($fiber->start(...));
        } catch (LockAcquireException | DeadlineException) {
            return 'not_acquired'; // taken, or too few servers answered
        }
        $this->inside = $fiber;
        return true;
    }

    public function release(): string
    {
        if (!$this->inside) return 'not_held';
        try {
            $this->inside->resume();
            return 'released';
        } catch (LockReleaseException) {
            return 'not_released'; // the work took too long, or too few servers had the lock
        }
    }
}

(new LockClient(
    'malkusch-lock', debianVersion('php-malkusch-lock'),
    ['lease', 'token', 'atomic_release', 'quorum'], connect(...),
    // Its lease is its time-out and one second more.
    fn(array $servers, string $key, int $leaseMs) => new MalkuschLock(
        new PHPRedisMutex($servers, $key, max(1, (int) ceil($leaseMs / 1000) - 1))),
    fn($error) => $error instanceof RedisException,
))->serve();
