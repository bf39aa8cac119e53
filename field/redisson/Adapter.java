import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.List;
import lockclient.Hold;
import lockclient.LibraryAdapter;
import lockclient.Lock;
import lockclient.LockClient;
import lockclient.Settings;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisConnectionException;
import org.redisson.client.RedisReconnectedException;
import org.redisson.client.RedisTimeoutException;
import org.redisson.config.Config;

/**
 * Redisson's RLock on one server, as its documentation shows it. The variant "fencing" is its
 * RFencedLock, whose token goes to the storage.
 */
public final class Adapter implements LibraryAdapter<RedissonClient> {
    private static final boolean isFenced = Settings.variant.equals("fencing");

    @Override
    public String name() {
        return "redisson";
    }

    @Override
    public String version() {
        return Redisson.class.getPackage().getImplementationVersion();
    }

    @Override
    public String capabilities() {
        return "lease token atomic_release renewal reentrant interrupt" + (isFenced ? " fencing" : "");
    }

    @Override
    public RedissonClient connect(List<String> nodes) {
        Config config = new Config().setLockWatchdogTimeout(Settings.leaseMs);
        var server = config.useSingleServer().setAddress("redis://" + nodes.get(0));
        if (Settings.timeoutMs > 0) server.setTimeout(Settings.timeoutMs);
        return Redisson.create(config);
    }

    @Override
    public Lock lock(RedissonClient redisson, Hold hold) {
        return isFenced ? new Fenced(redisson.getFencedLock(hold.key()), hold)
                : new Plain(redisson.getLock(hold.key()), hold);
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public boolean isUnknown(Exception error) {
        return error instanceof RedisTimeoutException || error instanceof RedisConnectionException
                || error instanceof RedisReconnectedException
                || error.getCause() instanceof InterruptedException;
    }

    public static void main(String[] args) {
        LockClient.serve(new Adapter());
    }

    private static class Plain implements Lock {
        final RLock lock;
        final long leaseMs; // -1: the watchdog renews it

        Plain(RLock lock, Hold hold) {
            this.lock = lock;
            this.leaseMs = hold.renewed() ? -1 : hold.leaseMs();
        }

        @Override
        public String acquire(long waitMs) throws Exception {
            return lock.tryLock(waitMs, leaseMs, MILLISECONDS) ? "acquired" : "contended";
        }

        @Override
        public String release() {
            try {
                lock.unlock();
                return "released";
            } catch (IllegalMonitorStateException error) {
                return "not_mine"; // never held, expired or stolen: it does not say
            }
        }

        @Override
        public boolean isHeld() {
            return lock.isHeldByCurrentThread();
        }
    }

    private static final class Fenced extends Plain {
        private Long token;

        Fenced(RFencedLock lock, Hold hold) {
            super(lock, hold);
        }

        @Override
        public String acquire(long waitMs) {
            token = ((RFencedLock) lock).tryLockAndGetToken(waitMs, leaseMs, MILLISECONDS);
            return token != null ? "acquired" : "contended";
        }

        @Override
        public Long fencingToken() {
            return token;
        }
    }
}
