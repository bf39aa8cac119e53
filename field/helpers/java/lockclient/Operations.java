package lockclient;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static lockclient.LockClient.say;
import static lockclient.LockClient.with;

/** The operations of the protocol, one after another, each on its thread. */
final class Operations<Servers> {
    /** A lock that is held, or that is being asked for. */
    private static final class Held {
        final Request request;
        Lock lock;
        boolean isLost;
        List<String> fence = List.of();

        Held(Request request) {
            this.request = request;
        }

        boolean isAt(Request other) {
            return request.thread == other.thread && request.key.equals(other.key);
        }
    }

    private final LibraryAdapter<Servers> adapter;
    private final Servers servers;
    private final CriticalSection section;
    private final List<Held> holds = new ArrayList<>(); // the newest last; guarded by this
    private final Map<Integer, ExecutorService> threads = new ConcurrentHashMap<>();
    private final CountDownLatch stopping = new CountDownLatch(1);
    private Thread waiting; // in the library, for a lock; guarded by this
    private boolean isInterrupted; // its waiting, by a request; guarded by this

    Operations(LibraryAdapter<Servers> adapter, Servers servers, CriticalSection section) {
        this.adapter = adapter;
        this.servers = servers;
        this.section = section;
    }

    JsonObject run(Request request) throws Exception {
        return switch (request.op) {
            case "hello" -> hello();
            case "acquire" -> on(request.thread, () -> acquire(request));
            case "release" -> on(request.thread, () -> release(request));
            case "repeat" -> on(request.thread, () -> repeat(request));
            case "extend" -> on(request.thread, () -> extend(request));
            case "held" -> held(request);
            case "work" -> on(request.thread, () -> work(request));
            case "bye" -> bye();
            default -> throw new IllegalArgumentException(
                    "unknown operation \"" + request.op + "\"");
        };
    }

    /** Waiting and thinking are cut short. */
    synchronized void stop() {
        stopping.countDown();
        if (waiting != null) waiting.interrupt();
    }

    /** Is not queued with the other requests. */
    synchronized JsonObject interrupt() {
        isInterrupted = true;
        if (waiting != null) waiting.interrupt();
        return with("outcome", "interrupted");
    }

    boolean areStopping() {
        return stopping.getCount() == 0;
    }

    void giveBackAll() {
        List<Held> all;
        synchronized (this) {
            all = new ArrayList<>(holds);
        }
        for (int i = all.size() - 1; i >= 0; --i) {
            Request request = all.get(i).request;
            try {
                on(request.thread, () -> release(request));
            } catch (Exception error) {
                System.err.println(error);
            }
        }
    }

    private JsonObject hello() {
        JsonObject answer = with("name", adapter.name());
        answer.addProperty("version", 1);
        answer.addProperty("library", adapter.version());
        JsonArray words = new JsonArray();
        words().forEach(words::add);
        answer.add("capabilities", words);
        return answer;
    }

    private List<String> words() {
        return List.of(adapter.capabilities().split(" "));
    }

    private JsonObject acquire(Request request) throws Exception {
        if (request.join != null) throw new IllegalStateException("this lock cannot be joined");
        Held hold = make(request);
        boolean byItself = request.waitMs > 0 && request.tries == null && adapter.waits();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.waitMs);
        for (int tries = 1;; ++tries) {
            JsonObject answer = outcome(() -> ask(hold, byItself ? request.waitMs : 0));
            String outcome = answer.get("outcome").getAsString();
            if (outcome.equals("acquired")) return acquired(hold, answer);
            boolean isOver =
                    System.nanoTime() >= end && (request.tries == null || request.waitMs > 0);
            boolean isLast = request.tries != null && tries >= request.tries;
            if (outcome.equals("interrupted")) return answer;
            if (outcome.equals("unknown") || byItself || isOver || isLast) return answer;
            if (stopping.await(20, TimeUnit.MILLISECONDS)) return answer;
        }
    }

    private String ask(Held hold, long waitMs) throws Exception {
        synchronized (this) {
            if (areStopping()) return "not_acquired";
            waiting = Thread.currentThread();
            isInterrupted = false;
        }
        try {
            return hold.lock.acquire(waitMs);
        } catch (InterruptedException told) {
            return wasInterrupted() ? "interrupted" : "not_acquired";
        } finally {
            synchronized (this) {
                waiting = null;
                Thread.interrupted(); // what comes next is not waiting
            }
        }
    }

    private synchronized boolean wasInterrupted() {
        return isInterrupted;
    }

    private JsonObject acquired(Held hold, JsonObject answer) throws Exception {
        answer.addProperty("thread", hold.request.thread);
        synchronized (this) {
            holds.add(hold);
        }
        Long token = hold.lock.fencingToken();
        if (token != null) {
            answer.addProperty("fencing_token", token);
            hold.fence = List.of(token.toString());
        }
        return answer;
    }

    private JsonObject release(Request request) throws Exception {
        Held hold = find(request);
        Held asked = hold == null ? make(request) : hold; // a program with a bug asks too
        String outcome = "error";
        try {
            JsonObject answer = outcome(asked.lock::release);
            outcome = answer.get("outcome").getAsString();
            if (outcome.equals("released") && hold != null && isInside(hold)) {
                return with("outcome", "still_held");
            }
            return answer;
        } finally {
            if (!outcome.equals("unknown")) forget(hold);
        }
    }

    /** A benchmark's. */
    private JsonObject repeat(Request request) throws Exception {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(request.forMs);
        int pairs = 0;
        while (System.nanoTime() < end) {
            String outcome = acquire(request).get("outcome").getAsString();
            if (outcome.equals("contended") || outcome.equals("not_acquired")) continue; // it gave up
            if (outcome.equals("acquired")) {
                outcome = release(request).get("outcome").getAsString();
            }
            if (!outcome.equals("released") && !outcome.equals("no_outcome")) {
                throw new IllegalStateException("after " + pairs + " pairs: " + outcome);
            }
            ++pairs;
        }
        JsonObject answer = with("outcome", "done");
        answer.addProperty("pairs", pairs);
        return answer;
    }

    /** One level of a lock that the thread still holds, as the library says. */
    private boolean isInside(Held hold) throws Exception {
        if (!words().contains("reentrant")) return false;
        Held outer;
        synchronized (this) {
            outer = find(hold.request, holds.indexOf(hold));
        }
        return outer != null && outer.lock.isHeld();
    }

    private JsonObject extend(Request request) throws Exception {
        Held hold = find(request);
        if (hold == null) return with("outcome", "not_held");
        JsonObject answer = outcome(() -> hold.lock.extend(request.leaseMs));
        String outcome = answer.get("outcome").getAsString();
        if (outcome.equals("not_mine") || outcome.equals("not_held")) {
            synchronized (this) {
                hold.isLost = true;
            }
        }
        return answer;
    }

    private JsonObject held(Request request) {
        Held hold = find(request);
        JsonObject answer = new JsonObject();
        answer.addProperty("held", hold != null && !isLost(hold));
        return answer;
    }

    /** What leaves the critical section early gives the lock back. */
    private JsonObject work(Request request) throws Exception {
        Held hold = find(request);
        if (hold == null) throw new IllegalStateException("work needs the lock: acquire it first");
        try {
            section.changeAccount(request, hold.fence, stopping, () -> check(hold));
            return with("outcome", "done");
        } catch (CriticalSection.Abandoned early) {
            release(request);
            JsonObject answer = with("outcome", "abandoned");
            answer.addProperty("why", early.getMessage());
            return answer;
        } catch (Exception error) {
            release(request);
            throw error;
        }
    }

    /** What an application asks last, before it writes. */
    private void check(Held hold) throws Exception {
        if (isLost(hold)) throw new CriticalSection.Abandoned("the lock is lost");
        boolean isHeld;
        try {
            isHeld = hold.lock.isHeld();
        } catch (Exception error) {
            if (!adapter.isUnknown(error)) throw error;
            throw new CriticalSection.Abandoned("asked, the lock did not answer: " + error);
        }
        if (isHeld) return;
        tellLost(hold, true);
        throw new CriticalSection.Abandoned("asked, the lock said that it is lost");
    }

    private JsonObject bye() {
        giveBackAll();
        return with("outcome", "bye");
    }

    private JsonObject on(int thread, Callable<JsonObject> operation) throws Exception {
        ExecutorService own = threads.computeIfAbsent(thread,
                number -> Executors.newSingleThreadExecutor());
        try {
            return own.submit(operation).get();
        } catch (ExecutionException error) {
            throw error.getCause() instanceof Exception cause ? cause : error;
        }
    }

    private JsonObject outcome(Callable<String> call) throws Exception {
        try {
            return with("outcome", call.call());
        } catch (Exception error) {
            if (!adapter.isUnknown(error)) throw error;
            JsonObject answer = with("outcome", "unknown");
            answer.addProperty("why", error.toString());
            return answer;
        }
    }

    private Held make(Request request) {
        Held hold = new Held(request);
        boolean isRenewed = request.leaseMs == null;
        long leaseMs = isRenewed ? Settings.leaseMs : request.leaseMs;
        hold.lock = adapter.lock(servers,
                new Hold(request.key, leaseMs, isRenewed, () -> tellLost(hold, false)));
        return hold;
    }

    private synchronized Held find(Request request) {
        return find(request, holds.size());
    }

    /** The newest of the first {@code count}. */
    private synchronized Held find(Request request, int count) {
        for (int i = count - 1; i >= 0; --i) {
            if (holds.get(i).isAt(request)) return holds.get(i);
        }
        return null;
    }

    private synchronized void forget(Held hold) {
        holds.remove(hold);
    }

    private synchronized boolean isLost(Held hold) {
        return hold.isLost;
    }

    private synchronized void tellLost(Held hold, boolean asked) {
        if (hold.isLost || !holds.contains(hold)) return;
        hold.isLost = true;
        JsonObject event = with("event", "lost");
        event.addProperty("key", hold.request.key);
        if (asked) event.addProperty("asked", true);
        say(event);
    }
}
