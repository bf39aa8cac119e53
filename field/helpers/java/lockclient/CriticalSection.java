package lockclient;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static java.nio.charset.StandardCharsets.UTF_8;

/** The storage that the lock protects, and the critical section. Not safe to share by threads. */
final class CriticalSection {
    /** Ends a critical section early. */
    static final class Abandoned extends Exception {
        Abandoned(String why) {
            super(why);
        }
    }

    /** Throws Abandoned if the lock is lost. */
    interface Check {
        void run() throws Exception;
    }

    private final String client;
    private final InputStream replies;
    private final OutputStream commands;

    CriticalSection(String address, String client) throws IOException {
        int colon = address.lastIndexOf(':');
        Socket socket = new Socket(
                address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
        socket.setTcpNoDelay(true);
        this.client = client;
        replies = new BufferedInputStream(socket.getInputStream());
        commands = socket.getOutputStream();
    }

    /** Adds an amount. {@code check} is the last step before the write. */
    void changeAccount(Request request, List<String> fence, CountDownLatch stopping, Check check)
            throws Exception {
        String account = request.account;
        long value = Long.parseLong(ask("READ", account, fence));
        if (request.throwsInside) throw new Abandoned("an exception left the critical section");
        if (stopping.await(request.thinkMs, TimeUnit.MILLISECONDS)) {
            throw new Abandoned("told to stop");
        }
        check.run();
        ask("BEGIN", account, fence);
        List<String> written = new ArrayList<>(List.of(Long.toString(value + request.amount)));
        written.addAll(fence);
        ask("WRITE", account, written);
    }

    private String ask(String operation, String account, List<String> more) throws Exception {
        List<String> words = new ArrayList<>(List.of(operation, account, client));
        words.addAll(more);
        StringBuilder command = new StringBuilder("*" + words.size() + "\r\n");
        for (String word : words) {
            command.append("$" + word.getBytes(UTF_8).length + "\r\n" + word + "\r\n");
        }
        commands.write(command.toString().getBytes(UTF_8));
        return reply(line());
    }

    private String reply(String line) throws Exception {
        if (line.startsWith("-FENCED")) {
            throw new Abandoned("the storage refused it: the lock was lost, and taken since");
        }
        if (line.isEmpty() || line.startsWith("-")) {
            throw new IOException("storage: " + (line.isEmpty() ? "hung up" : line.substring(1)));
        }
        return line.startsWith("$") ? line() : line.substring(1);
    }

    /** The next line; values of the storage are numbers, and have none inside. */
    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = replies.read(); c != '\n' && c >= 0; c = replies.read()) {
            if (c != '\r') line.append((char) c);
        }
        return line.toString();
    }
}
