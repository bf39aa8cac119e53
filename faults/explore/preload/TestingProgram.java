// A program of the tests of virtual time: does what its first argument says, and says what it has
// seen.
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

public final class TestingProgram {
    public static void main(String[] words) throws Exception {
        switch (words[0]) {
            case "sleep":
                sleep();
                break;
            case "timeout":
                timeout(words[1]);
                break;
            case "select":
                select(words[1]);
                break;
            case "halt":
                halt();
                break;
            case "random":
                random();
                break;
            default:
                threads();
        }
        System.in.read();
    }

    // By a thread of a pool, as a watchdog does.
    private static void sleep() throws Exception {
        long begin = System.nanoTime();
        var pool = Executors.newScheduledThreadPool(1);
        pool.schedule(() -> {}, 10, TimeUnit.HOURS).get();
        pool.shutdown();
        System.out.println((System.nanoTime() - begin) / 1_000_000_000L);
    }

    // While another thread reads.
    private static void halt() throws Exception {
        var reader = new Thread(() -> {
            try {
                System.in.read();
            } catch (java.io.IOException never) {
                return;
            }
        });
        reader.start();
        Thread.sleep(1_000);
        System.out.println("halts");
        Runtime.getRuntime().halt(0);
    }

    private static void timeout(String host) throws Exception {
        try (var socket = new Socket(host, 7)) {
            socket.setSoTimeout(7_000);
            socket.getInputStream().read();
        } catch (SocketTimeoutException expected) {
            System.out.println("timeout");
        }
    }

    private static void select(String host) throws Exception {
        try (var selector = Selector.open(); var channel = SocketChannel.open()) {
            channel.connect(new InetSocketAddress(host, 7));
            channel.configureBlocking(false);
            channel.register(selector, SelectionKey.OP_READ);
            new Thread(() -> {
                try {
                    Thread.sleep(3_000);
                } catch (InterruptedException never) {
                    return;
                }
                selector.wakeup();
            }).start();
            System.out.println(selector.select(60_000));
        }
    }

    // Of threads that begin to work at the same moment: the first gets the first seed.
    private static void random() throws Exception {
        final int count = 16;
        var begin = new CountDownLatch(1);
        var numbers = new long[count];
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final int number = i;
            Thread thread = new Thread(() -> {
                try {
                    begin.await();
                } catch (InterruptedException never) {
                    return;
                }
                numbers[number] = ThreadLocalRandom.current().nextLong();
            });
            thread.start();
            all.add(thread);
        }
        Thread.sleep(1_000);
        begin.countDown();
        for (Thread thread : all) thread.join();
        System.out.println(Arrays.toString(numbers));
    }

    // More than 64, and garbage, which makes the machine stop all of them.
    private static void threads() throws Exception {
        final int count = 100;
        var done = new CountDownLatch(count);
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Thread thread = new Thread(() -> {
                try {
                    Thread.sleep(1_000);
                } catch (InterruptedException never) {
                    return;
                }
                done.countDown();
            });
            thread.start();
            all.add(thread);
            System.gc();
        }
        done.await();
        for (Thread thread : all) thread.join();
        System.out.println("done");
    }
}
