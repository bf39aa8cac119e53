// What a lock did on the wire, as the history of one telling shows it: for the rules that say what
// is wrong with it.
//
// Nothing here knows how the lock was written. Places are numbers of events in the record.
// Thread-safety: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/story.h"
#include "faults/judging/verdict.h"

namespace learning {

// One operation that a client was asked for, on the lock or on the key that clients warm up with.
struct Call {
  std::string lane;
  std::string name;  // acquire, release, work
  std::string key;
  std::size_t called = 0;
  std::size_t answered = faults::never;
  std::string outcome;      // empty if it was never answered
  nlohmann::json asked;     // the request's fields
  nlohmann::json answer{};  // the answer's

  [[nodiscard]] bool is(std::string_view wanted, std::string_view wanted_outcome) const {
    return name == wanted && outcome == wanted_outcome;
  }
};

// One command that a client sent to a lock's server.
struct Sent {
  std::string lane;
  std::string server;
  std::vector<std::string> words;  // long ones as in the history: their first letters and "…"
  std::size_t place = 0;
  std::size_t answered = faults::never;
  std::string reply;                 // empty if it was never seen
  std::vector<std::string> effects;  // what it did to its key: set, hset, expire, del, …
  std::optional<std::size_t> call;   // the acquire or release under way: a place in `calls`
  bool renews = false;               // it came by itself, to keep a hold alive

  // The command's name, in capitals.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_script() const;
  // Which script it runs, by the beginning of its SHA-1; empty if it came as a text.
  [[nodiscard]] std::string script() const;
  // Its keys; what comes after them. Of a script: as its caller divided them.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] std::vector<std::string> arguments() const;
  // The argument after `word`, such as the 300 of "PX 300".
  [[nodiscard]] std::optional<long long> number_after(std::string_view word) const;
  [[nodiscard]] bool has(std::string_view word) const;
  [[nodiscard]] bool did(std::string_view effect) const;
  // A yes: OK, or a number above 0. A no: nil, or a number of 0 or less.
  [[nodiscard]] bool said_yes() const;
  [[nodiscard]] bool said_no() const;
  // The number that the answer begins with.
  [[nodiscard]] std::optional<long long> number() const;
};

struct Evidence {
  explicit Evidence(const faults::Record& its_record);

  faults::Record record;
  faults::Story story;
  faults::Judgement judgement;
  std::vector<Call> calls;
  std::vector<Sent> sent;  // in the order in which they were sent

  [[nodiscard]] bool broke(faults::Property property) const;
  // Milliseconds since the first call of the story.
  [[nodiscard]] long long ms(std::size_t place) const;
  [[nodiscard]] bool several_servers() const { return story.nodes() > 1; }
  // The commands of one call, in order; the renewals.
  [[nodiscard]] std::vector<const Sent*> of(const Call& call) const;
  [[nodiscard]] std::vector<const Sent*> renewals() const;
  // The call that a command belongs to; null: none, it came by itself.
  [[nodiscard]] const Call* call_of(const Sent& command) const;
  // Who held `server` just before `place`, and just after; null: nobody.
  [[nodiscard]] const faults::ServerHold* held_at(const std::string& server,
                                                  std::size_t place) const;
  // The token under which `lane` last took the lock before `place`; empty if that cannot be seen.
  [[nodiscard]] std::string token_of(const std::string& lane, std::size_t place) const;
  // The acquires on the lock that said yes.
  [[nodiscard]] std::vector<const Call*> acquired() const;
};

}  // namespace learning
