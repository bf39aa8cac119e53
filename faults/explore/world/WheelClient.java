// A lock for the tests of the search, whose renewals come by a wheel as Redisson's: a thread counts
// ticks from its start, of a length that each process draws by chance, and does at each what has
// become due. Every 30 s it pings its server. Its first argument is a file, to which each process
// adds a line. With "connects again", a process connects again after its connection broke; without,
// it ends. With "rests", a thread sleeps for a little longer than two minutes, again and again.
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

public final class WheelClient {
    private static final long leaseMs = Long.parseLong(System.getenv("LOCK_LEASE_MS"));
    private static final long tickMs = ThreadLocalRandom.current().nextInt(10, 50);
    private static final long pingMs = 30_000;
    private static final String client = System.getenv("LOCK_CLIENT");

    private final boolean connectsAgain;
    private Connection redis = new Connection(System.getenv("LOCK_NODES"));
    private final Connection storage = new Connection(System.getenv("LOCK_STORAGE"));
    private String held; // the key, or null
    private long renewAt;
    private long pingAt = now() + pingMs;

    private WheelClient(boolean connectsAgain) throws IOException {
        this.connectsAgain = connectsAgain;
    }

    public static void main(String[] args) throws Exception {
        Files.writeString(Path.of(args[0]), client + "\n", StandardOpenOption.CREATE,
                StandardOpenOption.APPEND);
        var words = List.of(args);
        var lock = new WheelClient(words.contains("connects again"));
        startBeside(lock::turn);
        if (words.contains("rests")) startBeside(WheelClient::rest);
        var input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println("{\"id\":" + field(line, "id") + ","
                    + lock.answerOrConnect(field(line, "op"), field(line, "key")) + "}");
        }
    }

    private static void startBeside(Runnable task) {
        var thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
    }

    private static void rest() {
        try {
            for (;;) Thread.sleep(125_000);
        } catch (InterruptedException end) {
            Thread.currentThread().interrupt();
        }
    }

    private static long now() {
        return System.nanoTime() / 1_000_000;
    }

    private String answerOrConnect(String operation, String key) throws IOException {
        try {
            return answer(operation, key);
        } catch (IOException broken) {
            connectAfter(broken);
            return outcome("unknown");
        }
    }

    private synchronized void connectAfter(IOException broken) throws IOException {
        if (!connectsAgain) throw broken;
        held = null;
        redis = new Connection(System.getenv("LOCK_NODES"));
    }

    private static String field(String line, String name) {
        Matcher found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(line);
        return found.find() ? found.group(1) : "";
    }

    private void turn() {
        long start = now();
        for (long tick = 1;; tick++) {
            try {
                long rest = start + tick * tickMs - now();
                if (rest > 0) Thread.sleep(rest);
                doWhatIsDueOrConnect();
            } catch (InterruptedException | IOException end) {
                return;
            }
        }
    }

    private void doWhatIsDueOrConnect() throws IOException {
        try {
            doWhatIsDue();
        } catch (IOException broken) {
            connectAfter(broken);
        }
    }

    private synchronized void doWhatIsDue() throws IOException {
        long now = now();
        if (now >= pingAt) {
            pingAt = now + pingMs;
            redis.ask("PING");
        }
        if (held == null || now < renewAt) return;
        redis.ask("PEXPIRE", held, "" + leaseMs);
        renewAt = now + leaseMs / 3;
    }

    private String answer(String operation, String key) throws IOException {
        return switch (operation) {
            case "hello" -> "\"name\":\"wheel\",\"version\":1,\"library\":\"1\","
                    + "\"capabilities\":[\"lease\",\"token\",\"renewal\"]";
            case "acquire" -> outcome(acquire(key) ? "acquired" : "contended");
            case "work" -> outcome(work());
            case "release" -> outcome(release(key) ? "released" : "not_held");
            default -> outcome(drop());
        };
    }

    private static String outcome(String word) {
        return "\"outcome\":\"" + word + "\"";
    }

    private synchronized boolean acquire(String key) throws IOException {
        if (!redis.ask("SET", key, client, "NX", "PX", "" + leaseMs).equals("OK")) return false;
        held = key;
        renewAt = now() + leaseMs / 3;
        return true;
    }

    private String work() throws IOException {
        int value = Integer.parseInt(storage.ask("READ", "account", client));
        storage.ask("BEGIN", "account", client);
        storage.ask("WRITE", "account", client, "" + (value + 1));
        return "done";
    }

    private synchronized boolean release(String key) throws IOException {
        held = null;
        return redis.ask("DEL", key).equals("1");
    }

    private synchronized String drop() {
        held = null;
        return "let go";
    }

    private static final class Connection {
        private final Socket socket;
        private final InputStream input;

        Connection(String address) throws IOException {
            String[] parts = address.split(":");
            socket = new Socket(parts[0], Integer.parseInt(parts[1]));
            input = new BufferedInputStream(socket.getInputStream());
        }

        // One line of reply, or the text that it announces; "": there is none.
        String ask(String... words) throws IOException {
            var command = new StringBuilder("*" + words.length + "\r\n");
            for (String word : words) command.append("$" + word.length() + "\r\n" + word + "\r\n");
            socket.getOutputStream().write(command.toString().getBytes());
            String line = line();
            boolean isText = line.startsWith("$") && !line.equals("$-1");
            return isText ? line() : line.equals("$-1") ? "" : line.substring(1);
        }

        private String line() throws IOException {
            var line = new StringBuilder();
            for (int letter = input.read(); letter != '\r'; letter = input.read()) {
                if (letter < 0) throw new IOException("the server hung up");
                line.append((char) letter);
            }
            input.read();
            return line.toString();
        }
    }
}
