package lockclient;

import java.util.List;

/** What a library brings: {@link LockClient#serve} does the rest. */
public interface LibraryAdapter<Servers> {
    String name();

    /** The installed version. */
    String version();

    /** Words of docs/client-protocol.md, separated by spaces. */
    String capabilities();

    /**
     * Called once, with addresses "HOST:PORT"; with the capability "discovery" also with the URL of
     * Sentinels or of a Cluster.
     */
    Servers connect(List<String> nodes) throws Exception;

    Lock lock(Servers servers, Hold hold);

    /** The library waits by itself; else the helper asks it again every 20 ms. */
    default boolean waits() {
        return false;
    }

    /** No answer came: the command may have been applied. */
    default boolean isUnknown(Exception error) {
        return false;
    }
}
