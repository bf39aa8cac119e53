import java.util.Arrays;
import lockclient.Settings;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;

/** Redisson's settings for an address of the kit: a server, Sentinels, or nodes of a Cluster. */
final class Servers {
    private static final String sentinels = "redis-sentinel://"; // HOST:PORT,HOST:PORT/MASTER
    private static final String cluster = "redis-cluster://"; // HOST:PORT,HOST:PORT

    private Servers() {}

    static Config configure(String address) {
        Config config = new Config().setLockWatchdogTimeout(Settings.leaseMs);
        if (Settings.variant.equals("unchecked")) config.setCheckLockSyncedSlaves(false);
        BaseConfig<?> servers = name(config, address);
        if (Settings.timeoutMs > 0) servers.setTimeout(Settings.timeoutMs);
        return config;
    }

    private static BaseConfig<?> name(Config config, String address) {
        if (address.startsWith(sentinels)) {
            String[] parts = address.substring(sentinels.length()).split("/");
            return config.useSentinelServers().setMasterName(parts[1])
                    .addSentinelAddress(urls(parts[0]));
        }
        if (address.startsWith(cluster)) {
            return config.useClusterServers()
                    .addNodeAddress(urls(address.substring(cluster.length())));
        }
        return config.useSingleServer().setAddress("redis://" + address);
    }

    private static String[] urls(String addresses) {
        return Arrays.stream(addresses.split(",")).map(each -> "redis://" + each)
                .toArray(String[]::new);
    }
}
