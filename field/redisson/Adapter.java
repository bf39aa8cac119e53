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

/**
 * Redisson's locks, as its documentation shows them: RLock, and by variant "fair" (RFairLock),
 * "spin" (RSpinLock), and "fencing" (RFencedLock), whose token goes to the storage. The variant
 * "explicit_lease" names a lease where the others leave it to the watchdog.
 */
public final class Adapter implements LibraryAdapter<RedissonClient> {
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
        return "lease token atomic_release reentrant interrupt discovery"
                + (Settings.variant.equals("explicit_lease") ? "" : " renewal")
                + switch (Settings.variant) {
                    case "fencing" -> " fencing";
                    case "fair" -> " queue";
                    default -> "";
                };
    }

    @Override
    public RedissonClient connect(List<String> nodes) {
        return Redisson.create(Servers.configure(nodes.get(0)));
    }

    @Override
    public Lock lock(RedissonClient redisson, Hold hold) {
        return switch (Settings.variant) {
            case "fencing" -> new Fenced(redisson.getFencedLock(hold.key()), hold);
            case "fair" -> new Plain(redisson.getFairLock(hold.key()), hold);
            case "spin" -> new Plain(redisson.getSpinLock(hold.key()), hold);
            default -> new Plain(redisson.getLock(hold.key()), hold);
        };
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
            boolean isRenewed = hold.renewed() && !Settings.variant.equals("explicit_lease");
            this.leaseMs = isRenewed ? -1 : hold.leaseMs();
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
