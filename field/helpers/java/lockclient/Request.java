package lockclient;

import com.google.gson.JsonElement;
import com.google.gson.annotations.SerializedName;

/** One line of the kit. */
final class Request {
    JsonElement id;
    String op = "";
    String key = "";
    @SerializedName("lease_ms") Long leaseMs;
    @SerializedName("wait_ms") long waitMs;
    Integer tries;
    String join;
    int thread = 1;
    String account = "account";
    long amount = 1;
    @SerializedName("for_ms") long forMs;
    @SerializedName("think_ms") long thinkMs;
    @SerializedName("throws") boolean throwsInside;
}
