package lockclient;

/**
 * One hold, which an adapter brings. Its methods run on the thread of the program that is the
 * thread of the request. Exceptions for which {@link LibraryAdapter#isUnknown} is true become the
 * outcome "unknown", others {@code error} answers.
 */
public interface Lock {
    /**
     * Waits for at most {@code waitMs}, 0: asks once. Returns "acquired", or why not: "contended",
     * "not_acquired". It is interrupted when the program is told to stop.
     */
    String acquire(long waitMs) throws Exception;

    /** Returns an outcome of the protocol. */
    String release() throws Exception;

    /** What the library answers when asked; asked right before each write. */
    default boolean isHeld() throws Exception {
        return true;
    }

    /**
     * The capability "extend": asks for a new lease, null: for the one that it was acquired with.
     * Returns an outcome of the protocol.
     */
    default String extend(Long leaseMs) throws Exception {
        throw new UnsupportedOperationException("the lease of this lock cannot be extended");
    }

    /** Once it is acquired; null: it has none. */
    default Long fencingToken() throws Exception {
        return null;
    }
}
