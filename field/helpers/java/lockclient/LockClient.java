package lockclient;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * Speaks the client protocol (docs/client-protocol.md) for an adapter in Java, which brings only a
 * lock: see {@link LibraryAdapter}. A thread of a request is a thread of the program.
 */
public final class LockClient {
    private static final PrintStream answers = new PrintStream(System.out, true, UTF_8);

    private final BlockingQueue<Optional<String>> lines = new LinkedBlockingQueue<>();
    private final Operations<?> operations;

    private LockClient(Operations<?> operations) {
        this.operations = operations;
    }

    /** Answers requests until the input ends or SIGTERM comes, and gives back all that is held. */
    public static <Servers> void serve(LibraryAdapter<Servers> adapter) {
        String client = Settings.text("LOCK_CLIENT", "");
        String storage = Settings.text("LOCK_STORAGE", "");
        List<String> nodes = servers(Settings.text("LOCK_NODES", ""));
        System.setOut(System.err); // what a library prints is no answer
        try {
            new LockClient(new Operations<>(adapter, adapter.connect(nodes),
                    new CriticalSection(storage, client))).run();
        } catch (Exception error) {
            Settings.refuse(error.toString());
        }
        Runtime.getRuntime().halt(0); // a library's threads do not hold it up
    }

    /** The URL of Sentinels or of a Cluster is one address, with commas. */
    private static List<String> servers(String text) {
        return text.contains("://") ? List.of(text) : List.of(text.split(","));
    }

    static synchronized void say(JsonObject line) {
        answers.println(line);
    }

    static JsonObject with(String field, String value) {
        JsonObject line = new JsonObject();
        line.addProperty(field, value);
        return line;
    }

    private void run() throws InterruptedException {
        sun.misc.Signal.handle(new sun.misc.Signal("TERM"), signal -> stop());
        Thread reader = new Thread(this::readInput, "input");
        reader.setDaemon(true);
        reader.start();
        for (var line = lines.take(); line.isPresent(); line = lines.take()) {
            if (operations.areStopping()) break;
            if (!answer(line.get())) return;
        }
        operations.giveBackAll();
        say(with("event", "stopped"));
    }

    private void readInput() {
        try (var input = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                if (!isInterrupt(line)) lines.add(Optional.of(line));
            }
        } catch (IOException error) {
            System.err.println(error);
        }
        stop();
    }

    /** Carries it out, if it is one: the others wait for the operation that is under way. */
    private boolean isInterrupt(String line) {
        try {
            Request request = parse(line);
            if (!request.op.equals("interrupt")) return false;
            JsonObject answer = operations.interrupt();
            if (request.id != null) answer.add("id", request.id);
            say(answer);
            return true;
        } catch (JsonParseException error) {
            return false; // the error is answered in its turn
        }
    }

    private void stop() {
        operations.stop();
        lines.add(Optional.empty());
    }

    /** False after "bye". */
    private boolean answer(String line) {
        Request request = new Request();
        JsonObject answer;
        try {
            request = parse(line);
            answer = operations.run(request);
        } catch (Exception error) {
            answer = with("error", error.toString());
        }
        if (request.id != null) answer.add("id", request.id);
        say(answer);
        return !request.op.equals("bye");
    }

    private static Request parse(String line) {
        Request request = new Gson().fromJson(line, Request.class);
        if (request != null && request.op != null) return request;
        throw new JsonParseException("a request is an object with an \"op\"");
    }
}
