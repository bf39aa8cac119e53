<?php
// Laravel's cache lock on Redis (illuminate/cache), as its documentation shows it:
// Cache::lock(name, seconds), get(), block(seconds), release().
require_once 'Illuminate/Redis/autoload.php';
require_once 'Illuminate/Cache/autoload.php';
require_once __DIR__ . '/../helpers/LockClient.php';

use Illuminate\Cache\{Lock, RedisStore};
use Illuminate\Contracts\Cache\LockTimeoutException;
use Illuminate\Redis\RedisManager;

function connect(array $nodes): RedisStore
{
    [$host, $port] = $nodes[0];
    $timeout = LockClient::timeout() ? ['read_timeout' => LockClient::timeout()] : [];
    $server = ['host' => $host, 'port' => $port] + $timeout;
    $redis = new RedisManager(null, 'phpredis', ['default' => $server]);
    $redis->connection();
    return new RedisStore($redis, 'laravel_cache'); // the prefix of a new Laravel application
}

class LaravelLock
{
    public bool $waits = true;
    private bool $acquired = false;

    public function __construct(private Lock $lock) {}

    public function acquire(int $waitMs): bool
    {
        try {
            $seconds = (int) ceil($waitMs / 1000);
            $this->acquired = $seconds === 0 ? $this->lock->get() : $this->lock->block($seconds);
            return $this->acquired;
        } catch (LockTimeoutException) {
            return false;
        }
    }

    public function release(): string
    {
        if (!$this->acquired) return 'not_held';
        return $this->lock->release() ? 'released' : 'not_released'; // it does not say why not
    }
}

(new LockClient(
    'laravel-cache-lock', debianVersion('php-illuminate-cache'),
    ['lease', 'token', 'atomic_release'], connect(...),
    // Whole seconds: a lease is rounded up.
    fn(RedisStore $store, string $key, int $leaseMs) =>
        new LaravelLock($store->lock($key, (int) ceil($leaseMs / 1000))),
    fn($error) => $error instanceof RedisException,
))->serve();
