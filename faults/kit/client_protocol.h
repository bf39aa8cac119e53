// The kit's side of the client protocol (docs/client-protocol.md): what a client finds in its
// environment, what it is asked, the lines that it prints, and why it ended.
//
// Knows no process: a scenario's client (client.h) uses it in real time, a search's client
// (faults/explore/world/searched_client.h) in virtual time.
//
// Thread-safety: pure functions and values; a ClientLineReader belongs to one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/kit/history.h"

namespace faults {

// The variables by which a client learns its name and finds its servers. An address is a text of
// core/redis/address.h.
[[nodiscard]] std::map<std::string, std::string> client_environment(
    const std::string& name, const std::vector<std::string>& nodes, const std::string& storage);

struct AcquireRequest {
  std::optional<std::chrono::milliseconds> lease = {};  // nothing: the default lease
  std::chrono::milliseconds wait{0};
  bool must_get_in = false;  // the liveness judge looks at this one
  bool may_fail = false;     // an error, such as a server that is not there, is an outcome: "error"
  // The liveness judge wants an answer, whatever it is, within that time.
  std::optional<std::chrono::milliseconds> must_end_within = {};
  int thread = 1;         // which of the client's threads does it
  std::string join = {};  // the token of a hold to enter; empty: none
  std::string key = std::string(lock_key);
};

struct ReleaseRequest {
  bool may_fail = false;
  int thread = 1;
  std::string key = std::string(lock_key);
};

struct ExtendRequest {
  std::optional<std::chrono::milliseconds> lease =
      {};  // nothing: the one that it was acquired with
  int thread = 1;
  std::string key = std::string(lock_key);
};

struct WorkRequest {
  bool throws = false;
  int thread = 1;
  std::string key = std::string(lock_key);
};

// Each as a line of the protocol has it, without an id.
[[nodiscard]] nlohmann::json to_json(const AcquireRequest& request);
[[nodiscard]] nlohmann::json to_json(const ReleaseRequest& request);
[[nodiscard]] nlohmann::json to_json(const ExtendRequest& request);
[[nodiscard]] nlohmann::json to_json(const WorkRequest& request);

// The first requests to any client. They connect it and load its scripts: it introduces itself,
// then takes and gives back a lock of its own.
[[nodiscard]] std::vector<nlohmann::json> warm_up_requests();

// The words of the protocol: capabilities, and the outcomes of acquire and of release.
[[nodiscard]] const std::vector<std::string>& capability_words();
[[nodiscard]] const std::vector<std::string>& acquire_words();
[[nodiscard]] const std::vector<std::string>& release_words();

// A line that a client has printed.
struct ClientLine {
  std::string text;
  nlohmann::json object;  // null: the line is no JSON object
  std::optional<int> id;  // of the request that it answers; nothing: it answers none
  bool is_event = false;  // unsolicited
};

// Splits the output of a client into its lines.
class ClientLineReader {
 public:
  // The lines that end within `bytes`.
  [[nodiscard]] std::vector<ClientLine> feed(std::string_view bytes);

 private:
  std::string unfinished_;
};

// The sentence of an answer that reports an error; nothing: it reports none.
[[nodiscard]] std::optional<std::string> error_in(const nlohmann::json& answer);
// The outcome of an answer; empty: it has none. Throws ClientFailed, naming the answer as `what`
// ("A's answer to acquire"), if that is no text.
[[nodiscard]] std::string outcome_in(const nlohmann::json& answer, const std::string& what);

// The line of a client's log that says best why it ended: the last that names an error, else the
// first. (An interpreter's additions, which are indented, do not count.)
[[nodiscard]] std::string log_excerpt(const std::filesystem::path& log);

}  // namespace faults
