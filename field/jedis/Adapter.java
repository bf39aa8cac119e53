import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.List;
import lockclient.Hold;
import lockclient.LibraryAdapter;
import lockclient.Lock;
import lockclient.LockClient;
import lockclient.Settings;
import lockclient.Version;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.params.SetParams;

/**
 * The recipe of Redis' page on locks for one server, sent by Jedis: SET with NX and PX and a random
 * value, and a script that deletes the key if it still has that value.
 */
public final class Adapter implements LibraryAdapter<RedisClient> {
    private static final String deleteOwn = """
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])""";
    private static final SecureRandom random = new SecureRandom();

    @Override
    public String name() {
        return "jedis";
    }

    @Override
    public String version() {
        return Version.of(RedisClient.class, "redis.clients/jedis");
    }

    @Override
    public String capabilities() {
        return "lease token atomic_release";
    }

    @Override
    public RedisClient connect(List<String> nodes) {
        var config = DefaultJedisClientConfig.builder();
        if (Settings.timeoutMs > 0) config.timeoutMillis(Settings.timeoutMs);
        return RedisClient.builder().hostAndPort(HostAndPort.from(nodes.get(0)))
                .clientConfig(config.build()).build();
    }

    @Override
    public Lock lock(RedisClient redis, Hold hold) {
        byte[] bytes = new byte[20];
        random.nextBytes(bytes);
        String token = HexFormat.of().formatHex(bytes);
        return new Lock() {
            @Override
            public String acquire(long waitMs) {
                var onlyIfFree = SetParams.setParams().nx().px(hold.leaseMs());
                return redis.set(hold.key(), token, onlyIfFree) != null ? "acquired" : "contended";
            }

            @Override
            public String release() {
                Object deleted = redis.eval(deleteOwn, List.of(hold.key()), List.of(token));
                return deleted.equals(1L) ? "released" : "not_mine";
            }
        };
    }

    @Override
    public boolean isUnknown(Exception error) {
        return error instanceof JedisConnectionException;
    }

    public static void main(String[] args) {
        LockClient.serve(new Adapter());
    }
}
