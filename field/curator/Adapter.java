import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import lockclient.Hold;
import lockclient.LibraryAdapter;
import lockclient.Lock;
import lockclient.LockClient;
import lockclient.Settings;
import lockclient.Version;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.apache.zookeeper.KeeperException;

/**
 * Curator's InterProcessMutex on ZooKeeper, as its documentation shows it: a listener hears that the
 * connection is suspended or the session lost. The lease is the session's. The variant "fencing"
 * asks for the zxid that made the lock's node, and brings it to the storage.
 */
public final class Adapter implements LibraryAdapter<CuratorFramework> {
    private static final boolean isFenced = Settings.variant.equals("fencing");

    // Re-entrancy is that of one object.
    private final Map<String, OwnNodeMutex> mutexes = new ConcurrentHashMap<>();

    @Override
    public String name() {
        return "curator";
    }

    @Override
    public String version() {
        return Version.of(InterProcessMutex.class, "org.apache.curator/curator-recipes");
    }

    @Override
    public String capabilities() {
        return "lease token atomic_release renewal loss_notice reentrant interrupt queue"
                + (isFenced ? " fencing" : "")
                + (Settings.variant.equals("three_nodes") ? " quorum" : "");
    }

    @Override
    public CuratorFramework connect(List<String> nodes) {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(String.join(",", nodes))
                .sessionTimeoutMs(Settings.leaseMs)
                .retryPolicy(new ExponentialBackoffRetry(1000, 3))
                .build();
        client.start();
        return client;
    }

    @Override
    public Lock lock(CuratorFramework client, Hold hold) {
        OwnNodeMutex mutex = mutexes.computeIfAbsent(
                hold.key(), key -> new OwnNodeMutex(client, "/" + key));
        return new Mutex(client, mutex, hold.lost());
    }

    @Override
    public boolean waits() {
        return true;
    }

    @Override
    public boolean isUnknown(Exception error) {
        return error instanceof KeeperException;
    }

    public static void main(String[] args) {
        LockClient.serve(new Adapter());
    }

    /** Says which node is the calling thread's. */
    private static final class OwnNodeMutex extends InterProcessMutex {
        OwnNodeMutex(CuratorFramework client, String path) {
            super(client, path);
        }

        @Override
        protected String getLockPath() {
            return super.getLockPath();
        }
    }

    private static final class Mutex implements Lock {
        private final CuratorFramework client;
        private final OwnNodeMutex mutex;
        private final Runnable lost;
        private final ConnectionStateListener listener;

        Mutex(CuratorFramework client, OwnNodeMutex mutex, Runnable lost) {
            this.client = client;
            this.mutex = mutex;
            this.lost = lost;
            this.listener = (framework, state) -> {
                if (state == ConnectionState.SUSPENDED || state == ConnectionState.LOST) lost.run();
            };
        }

        @Override
        public String acquire(long waitMs) throws Exception {
            if (!mutex.acquire(waitMs, MILLISECONDS)) return "contended";
            client.getConnectionStateListenable().addListener(listener);
            return "acquired";
        }

        @Override
        public String release() throws Exception {
            client.getConnectionStateListenable().removeListener(listener);
            try {
                mutex.release();
                return "no_outcome"; // a node that is gone counts as deleted
            } catch (IllegalMonitorStateException error) {
                return "not_mine";
            }
        }

        @Override
        public Long fencingToken() throws Exception {
            if (!isFenced) return null;
            var node = client.checkExists().forPath(mutex.getLockPath());
            if (node != null) return node.getCzxid();
            lost.run(); // the session ended since
            return null;
        }
    }
}
