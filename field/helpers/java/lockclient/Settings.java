package lockclient;

/** What the lab says in the environment; it ends the program with code 2 if it is missing. */
public final class Settings {
    /** The variant of lock.json. */
    public static final String variant = text("LOCK_VARIANT", "default");

    /** The lease where a request names none. */
    public static final int leaseMs = number("LOCK_LEASE_MS", "30000");

    /**
     * How long a command may stay unanswered in the variant command_timeout; 0 in others: as the
     * library has it.
     */
    public static final int timeoutMs = variant.equals("command_timeout")
            ? Math.min(500, number("LOCK_TIMEOUT_MS", "1000")) : 0;

    private Settings() {}

    static String text(String name, String usual) {
        String value = System.getenv().getOrDefault(name, "");
        if (value.isEmpty()) value = usual;
        if (value.isEmpty()) refuse(name + " is not set: the lab starts lock clients and sets it");
        return value;
    }

    private static int number(String name, String usual) {
        try {
            return Integer.parseInt(text(name, usual));
        } catch (NumberFormatException error) {
            refuse(name + " is not a number");
            return 0;
        }
    }

    static void refuse(String why) {
        System.err.println(why);
        Runtime.getRuntime().halt(2);
    }
}
