package lockclient;

/**
 * What a lock is made for.
 *
 * @param renewed the caller named no lease: the library renews it, if it can
 * @param lost to be called if the library tells of a loss, from any thread
 */
public record Hold(String key, long leaseMs, boolean renewed, Runnable lost) {}
