// The history of a run: every call, boundary, fault and write in order, on one clock.
//
// The links, the clients, the storage and the servers write it; judges and the timeline read
// nothing else, so that a recorded history can be judged again.
// Thread-safety: `History` is safe to share; a `Record` is a value.
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

// The key that every scenario is about. Other keys are not judged.
inline constexpr std::string_view lock_key = "lock";

enum class Kind {
  setting,        // what is about to run: scenario, stage, boundary, lease, properties to judge
  ready,          // a client has started, connected and loaded its scripts: lease_ms (its default),
                  // hello (what it says of itself)
  call,           // a client was asked to do something: op, id, and the operation's own fields
  answer,         // it answered: op, id, key, outcome; lay_ms, if the scenario did not look at once
  command,        // a link saw a command on its way to a server: text, to, script (its label),
                  // vanished
  reply,          // a link saw a reply on its way to a client: text, from, command, vanished; or a
                  // push, whose command is its kind, in small letters
  fault,          // a fault happened: what (a word of `fault` below), at (where, for people)
  server,         // a server announced that a key changed: what, key; by (whose command did it,
                  // where that is known)
  told,           // a client said something unasked: event (lost: its lock is no longer its own)
  storage,        // the storage saw a client: what (read, begin, write), value, accepted
  not_exercised,  // the scenario could not show anything: why
  stalled,        // the machine did not keep up: why
  misbehaved,     // a client never answered, asked without end, or died by itself: why, died
  stood_still,    // nobody was let run for a while: for_ms
};

// As a word in JSON. Here and not in the source, so that every writer of a Kind writes the same.
NLOHMANN_JSON_SERIALIZE_ENUM(Kind, {{Kind::setting, "setting"},
                                    {Kind::ready, "ready"},
                                    {Kind::call, "call"},
                                    {Kind::answer, "answer"},
                                    {Kind::command, "command"},
                                    {Kind::reply, "reply"},
                                    {Kind::fault, "fault"},
                                    {Kind::server, "server"},
                                    {Kind::told, "told"},
                                    {Kind::storage, "storage"},
                                    {Kind::not_exercised, "not_exercised"},
                                    {Kind::stalled, "stalled"},
                                    {Kind::misbehaved, "misbehaved"},
                                    {Kind::stood_still, "stood_still"}})

// The words of a `fault` event's `what`.
namespace fault {
inline constexpr std::string_view held = "held";              // a message stopped at a link
inline constexpr std::string_view delivered = "delivered";    // a held message was let go on
inline constexpr std::string_view dropped = "dropped";        // a message was swallowed
inline constexpr std::string_view delayed = "delayed";        // a message was kept for a while
inline constexpr std::string_view blackholed = "blackholed";  // nothing goes that way any more
inline constexpr std::string_view cut_off = "cut off";        // nothing goes that way any more
inline constexpr std::string_view reset = "reset";            // both sides saw the connection break
inline constexpr std::string_view frozen = "frozen";          // SIGSTOP, seen in state T
inline constexpr std::string_view thawed = "thawed";          // SIGCONT
inline constexpr std::string_view killed = "killed";          // SIGKILL, seen dead of it
inline constexpr std::string_view terminated = "terminated";  // SIGTERM
inline constexpr std::string_view interrupted = "interrupted";  // a client's waiting, by itself
inline constexpr std::string_view promoted = "promoted";        // a replica became the master
inline constexpr std::string_view flushed = "flushed";          // a server forgot its scripts
inline constexpr std::string_view removed = "removed";          // a lock was deleted by hand
inline constexpr std::string_view stepped = "stepped";  // a server's or client's wall clock jumped
inline constexpr std::string_view demoted = "demoted";  // a master takes no writes any more
inline constexpr std::string_view reinstated = "reinstated";  // it takes them again
inline constexpr std::string_view forbidden = "forbidden";    // a server takes a right away
inline constexpr std::string_view allowed = "allowed";        // and gives it back
inline constexpr std::string_view restarted = "restarted";    // a server that was killed is back
inline constexpr std::string_view moved = "moved";            // a Cluster's slot goes elsewhere
inline constexpr std::string_view ended = "ended";            // a client's process ended by itself
// Nothing that a client sends to a server, or a server to it, arrives until it is reachable.
inline constexpr std::string_view unreachable = "unreachable";
inline constexpr std::string_view reachable = "reachable";

// Does the message at which that happens never arrive?
[[nodiscard]] inline bool loses_the_message(std::string_view what) {
  return what == dropped || what == blackholed || what == reset;
}
}  // namespace fault

struct Event {
  std::size_t number = 0;           // its place in the history, from 0
  std::chrono::microseconds at{0};  // since the history began
  std::string process;              // a client's or a server's name; empty for the run itself
  Kind kind = Kind::setting;
  nlohmann::json data;

  // The string under `field`, or nothing.
  [[nodiscard]] std::string text(const char* field) const;
  // True for a message that vanished on a link which had been cut before, or for a command to a
  // server that had left. (The message at which the link was cut is followed by the fault instead.)
  [[nodiscard]] bool vanished() const { return data.value("vanished", false); }
  [[nodiscard]] bool is(Kind wanted, std::string_view of) const {
    return kind == wanted && process == of;
  }
  // Does it name a key, and not the lock's?
  [[nodiscard]] bool is_of_another_key() const;
};

// Is it a server's answer, and not a message that it pushes to a subscriber?
[[nodiscard]] bool answers_a_command(const Event& event);

using Record = std::vector<Event>;

[[nodiscard]] nlohmann::json to_json(const Event& event);
// Reads a history.jsonl. Throws CannotRun, naming the file and the line.
[[nodiscard]] Record read_record(const std::filesystem::path& file);

class History {
 public:
  // Writes every event to `file` as it happens. Throws CannotRun if that cannot be done.
  explicit History(const std::filesystem::path& file);

  void add(std::string process, Kind kind, nlohmann::json data);

  // Throws CannotRun if an event could not be written: the disk is full. (`add` does not
  // throw that: its callers cannot catch it.)
  void check_written() const;

  [[nodiscard]] Record record() const;

 private:
  using Clock = std::chrono::steady_clock;

  const std::filesystem::path path_;
  const Clock::time_point start_ = Clock::now();
  mutable std::mutex mutex_;
  std::ofstream file_;  // guarded by mutex_
  Record record_;       // guarded by mutex_
};

}  // namespace faults
