import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.List;
import java.util.UUID;
import lockclient.Hold;
import lockclient.LibraryAdapter;
import lockclient.Lock;
import lockclient.LockClient;
import lockclient.Settings;

/**
 * NAME: a lock to fill in. As it stands it is the lock of stage 4, with a Redis client of its own:
 * put your library in the place of Connection and of the two methods of the lock.
 */
public final class Adapter implements LibraryAdapter<Adapter.Connection> {
    private static final String deleteOwn = """
            if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
            return 0""";

    @Override
    public String name() {
        return "NAME";
    }

    @Override
    public String version() {
        return "0.1";
    }

    @Override
    public String capabilities() {
        return "lease token atomic_release";
    }

    @Override
    public Connection connect(List<String> nodes) {
        return new Connection(nodes.get(0));
    }

    @Override
    public Lock lock(Connection server, Hold hold) {
        String token = UUID.randomUUID().toString();
        return new Lock() {
            @Override
            public String acquire(long waitMs) throws IOException {
                String lease = Long.toString(hold.leaseMs());
                String reply = server.command("SET", hold.key(), token, "NX", "PX", lease);
                return reply.equals("$-1") ? "contended" : "acquired";
            }

            @Override
            public String release() throws IOException {
                String removed = server.command("EVAL", deleteOwn, "1", hold.key(), token);
                return removed.equals(":0") ? "not_mine" : "released";
            }
        };
    }

    @Override
    public boolean isUnknown(Exception error) {
        return error instanceof IOException;
    }

    public static void main(String[] args) {
        LockClient.serve(new Adapter());
    }

    static final class Connection {
        private final String host;
        private final int port;
        private Socket socket;
        private BufferedReader replies;

        Connection(String address) {
            int colon = address.lastIndexOf(':');
            host = address.substring(0, colon);
            port = Integer.parseInt(address.substring(colon + 1));
        }

        /** The first line of the reply. Throws IOException: it may have been applied. */
        synchronized String command(String... words) throws IOException {
            StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
            for (String word : words) command.append("$" + word.length() + "\r\n" + word + "\r\n");
            try {
                if (socket == null) connect();
                socket.getOutputStream().write(command.toString().getBytes(UTF_8));
                String line = replies.readLine();
                if (line == null) throw new IOException("the server hung up");
                if (line.startsWith("-")) throw new IllegalStateException(line.substring(1));
                return line;
            } catch (IOException error) {
                if (socket != null) socket.close();
                socket = null; // the next command connects again
                throw error;
            }
        }

        private void connect() throws IOException {
            socket = new Socket(host, port);
            socket.setTcpNoDelay(true);
            socket.setSoTimeout(Settings.timeoutMs);
            replies = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
        }
    }
}
