package lockclient;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Properties;

/** The installed version of a library, by what Maven writes into its archive. */
public final class Version {
    private Version() {}

    /** Of the archive that has `type`; `artifact` is "GROUP/NAME". */
    public static String of(Class<?> type, String artifact) {
        Properties properties = new Properties();
        String place = "/META-INF/maven/" + artifact + "/pom.properties";
        try (var file = type.getResourceAsStream(place)) {
            properties.load(file);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
        return properties.getProperty("version");
    }
}
