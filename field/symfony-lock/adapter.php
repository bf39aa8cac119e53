<?php
// symfony/lock with its RedisStore and the redis extension, as its documentation shows it:
// createLock(name, ttl), acquire(), isAcquired(), release().
require_once 'Symfony/Component/Lock/autoload.php';
require_once __DIR__ . '/../helpers/LockClient.php';

use Symfony\Component\Lock\Exception\{LockAcquiringException, LockExpiredException};
use Symfony\Component\Lock\{LockFactory, LockInterface};
use Symfony\Component\Lock\Store\RedisStore;

function connect(array $nodes): LockFactory
{
    $redis = new Redis();
    $redis->connect(...$nodes[0]);
    if (LockClient::timeout()) $redis->setOption(Redis::OPT_READ_TIMEOUT, LockClient::timeout());
    return new LockFactory(new RedisStore($redis));
}

function noAnswer(?Throwable $error): bool // it wraps the client's exception, more than once
{
    return $error !== null && ($error instanceof RedisException || noAnswer($error->getPrevious()));
}

function tookTooLong(?Throwable $error): bool // wrapped, too
{
    return $error instanceof LockExpiredException || $error && tookTooLong($error->getPrevious());
}

class SymfonyLock
{
    private bool $acquired = false;

    public function __construct(private LockInterface $lock) {}

    public function acquire(int $waitMs): bool|string // asks once: acquire(true) waits without end
    {
        try {
            return $this->acquired = $this->lock->acquire();
        } catch (LockExpiredException | LockAcquiringException $error) {
            if (!tookTooLong($error)) throw $error;
            return 'not_acquired'; // it took longer than the lease, and the lock gave it back
        }
    }

    public function release(): string
    {
        if (!$this->acquired) return 'not_held';
        $this->lock->release();
        return 'no_outcome'; // it checks that the key is not ours any more, not that it was
    }

    public function held(): bool
    {
        return $this->lock->isAcquired();
    }
}

(new LockClient(
    'symfony-lock', debianVersion('php-symfony-lock'),
    ['lease', 'token', 'atomic_release'], connect(...),
    fn(LockFactory $factory, string $key, int $leaseMs) =>
        new SymfonyLock($factory->createLock($key, $leaseMs / 1000)),
    noAnswer(...),
))->serve();
