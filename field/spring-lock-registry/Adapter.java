import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import lockclient.Hold;
import lockclient.LibraryAdapter;
import lockclient.Lock;
import lockclient.LockClient;
import lockclient.Settings;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.dao.DataAccessException;
import org.springframework.data.redis.RedisSystemException;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * Spring Integration's RedisLockRegistry, as its documentation shows it. The variant "renewal" sets
 * its task scheduler, and "pub_sub" its other type of lock.
 */
public final class Adapter implements LibraryAdapter<LettuceConnectionFactory> {
    private static final boolean isRenewed = Settings.variant.equals("renewal");
    private static final boolean isNotified = Settings.variant.equals("pub_sub");

    // A registry has one lease for all its locks.
    private final Map<Long, RedisLockRegistry> registries = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "spring-lock-registry";
    }

    @Override
    public String version() {
        return RedisLockRegistry.class.getPackage().getImplementationVersion();
    }

    @Override
    public String capabilities() {
        return "lease token atomic_release reentrant interrupt extend" + (isRenewed ? " renewal" : "");
    }

    @Override
    public LettuceConnectionFactory connect(List<String> nodes) {
        String[] address = nodes.get(0).split(":");
        var client = LettuceClientConfiguration.builder();
        if (Settings.timeoutMs > 0) client.commandTimeout(Duration.ofMillis(Settings.timeoutMs));
        if (isNotified) client.commandTimeout(Duration.ofMillis(500));
        var servers = new LettuceConnectionFactory(
                new RedisStandaloneConfiguration(address[0], Integer.parseInt(address[1])),
                client.build());
        servers.start();
        return servers;
    }

    @Override
    public Lock lock(LettuceConnectionFactory servers, Hold hold) {
        var registry = registries.computeIfAbsent(
                hold.leaseMs(), lease -> registry(servers, lease));
        return new Obtained(registry, hold.key(), registry.obtain(hold.key()));
    }

    private static RedisLockRegistry registry(LettuceConnectionFactory servers, long leaseMs) {
        var registry = new RedisLockRegistry(servers, "locks", leaseMs);
        if (isNotified) registry.setRedisLockType(RedisLockType.PUB_SUB_LOCK);
        if (isRenewed) {
            var scheduler = new ThreadPoolTaskScheduler();
            scheduler.initialize();
            registry.setRenewalTaskScheduler(scheduler);
        }
        return registry;
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public boolean isUnknown(Exception error) {
        return error instanceof DataAccessException;
    }

    public static void main(String[] args) {
        LockClient.serve(new Adapter());
    }

    private record Obtained(
            RedisLockRegistry registry, String key, java.util.concurrent.locks.Lock lock)
            implements Lock {
        @Override
        public String acquire(long waitMs) throws Exception {
            try {
                return lock.tryLock(waitMs, MILLISECONDS) ? "acquired" : "contended";
            } catch (CannotAcquireLockException error) {
                // The library wraps this, too.
                if (error.getCause() instanceof InterruptedException told) throw told;
                throw error;
            }
        }

        @Override
        public String release() {
            try {
                lock.unlock();
                return "released";
            } catch (ConcurrentModificationException error) {
                return "not_mine"; // it says "due to expiration", also where it is stolen
            } catch (RedisSystemException error) {
                // The script deleted the key and then failed on KEYS[2], which it is not given.
                return "not_released";
            } catch (IllegalStateException error) {
                return "not_held"; // by this thread
            }
        }

        /** The lease is the registry's, whatever is asked for. */
        @Override
        public String extend(Long leaseMs) {
            try {
                registry.renewLock(key);
                return "extended";
            } catch (IllegalStateException error) {
                return "not_mine"; // expired or stolen: it does not say
            }
        }
    }
}
