import java.util.List;
import java.util.concurrent.TimeUnit;
import lockclient.Hold;
import lockclient.LibraryAdapter;
import lockclient.Lock;
import lockclient.LockClient;
import lockclient.Settings;
import org.redisson.Redisson;
import org.redisson.RedissonMultiLock;
import org.redisson.RedissonRedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/**
 * RedissonRedLock, as its documentation shows it: an RLock of a Redisson for each server. The
 * variant "multi" is RedissonMultiLock, which wants all of them.
 */
public final class Adapter implements LibraryAdapter<List<RedissonClient>> {
    private static final boolean isMulti = Settings.variant.equals("multi");

    @Override
    public String name() {
        return "redisson-redlock";
    }

    @Override
    public String version() {
        return Redisson.class.getPackage().getImplementationVersion();
    }

    @Override
    public String capabilities() {
        return "lease token atomic_release renewal reentrant" + (isMulti ? "" : " quorum");
    }

    @Override
    public List<RedissonClient> connect(List<String> nodes) {
        return nodes.parallelStream().map(Adapter::connect).toList();
    }

    private static RedissonClient connect(String node) {
        Config config = new Config().setLockWatchdogTimeout(Settings.leaseMs);
        var server = config.useSingleServer().setAddress("redis://" + node);
        if (Settings.timeoutMs > 0) server.setTimeout(Settings.timeoutMs);
        return Redisson.create(config);
    }

    @Override
    public Lock lock(List<RedissonClient> servers, Hold hold) {
        RLock lock = together(servers.stream()
                .map(server -> server.getLock(hold.key())).toArray(RLock[]::new));
        return new Lock() {
            @Override
            public String acquire(long waitMs) throws Exception {
                // Without a lease time the watchdog renews it.
                long lease = hold.renewed() ? -1 : hold.leaseMs();
                return lock.tryLock(waitMs, lease, TimeUnit.MILLISECONDS)
                        ? "acquired" : "not_acquired"; // it does not say why
            }

            @Override
            public String release() {
                try {
                    lock.unlock();
                    // Of RedissonRedLock: whatever the servers said, or did not.
                    return isMulti ? "released" : "no_outcome";
                } catch (IllegalMonitorStateException error) {
                    return "not_mine"; // at the first server that says so
                } catch (RedisException error) {
                    return "not_released"; // the first that does not answer
                }
            }
        };
    }

    @SuppressWarnings("deprecation") // there is no other for several servers
    private static RLock together(RLock... locks) {
        return isMulti ? new RedissonMultiLock(locks) : new RedissonRedLock(locks);
    }

    @Override
    public boolean waits() {
        return true;
    }

    public static void main(String[] args) {
        LockClient.serve(new Adapter());
    }
}
