// What clients were asked for, and what they sent: the calls and commands of a history, paired with
// their answers and with what the servers did.
//
// Thread-safety: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/history.h"
#include "faults/judging/story.h"

namespace learning {

using faults::lock_key;

// One operation that a client was asked for, on the lock or on another key: clients warm up with
// one, and a story may ask for more.
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

// One command that a client sent to a lock's server. One that was queued after MULTI is answered
// with EXEC, and has its part of that answer.
struct Sent {
  std::string lane;
  std::string server;
  std::vector<std::string> words;  // long ones as in the history: shortened, with "…"
  std::size_t place = 0;
  std::size_t answered = faults::never;
  std::size_t heard = faults::never;  // as answered; later if it was held on its way; never: lost
  std::string reply;                  // empty if it was never seen
  std::vector<std::string> effects;   // what it did to its key: set, hset, expire, del, …
  std::optional<std::size_t> call;    // the acquire or release under way: a place in `calls`
  bool renews = false;                // it came by itself, to keep a hold alive

  // The command's name, in capitals.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_script() const;
  // Which script it runs, by the beginning of its SHA-1; empty if it came as a text.
  [[nodiscard]] std::string script() const;
  // Its keys; what comes after them. Of a script: as its caller divided them.
  [[nodiscard]] std::string key() const;
  [[nodiscard]] std::vector<std::string> arguments() const;
  // The word under which it takes its key: the first argument, but of a script's the first that is
  // no number, since some put the lease before the token. Empty: it has none.
  [[nodiscard]] std::string token() const;
  // The argument after `word`, such as the 300 of "PX 300".
  [[nodiscard]] std::optional<long long> number_after(std::string_view word) const;
  [[nodiscard]] bool has(std::string_view word) const;
  [[nodiscard]] bool did(std::string_view effect) const;
  // It wrote its key: as a string, a hash or a counter.
  [[nodiscard]] bool wrote() const { return did("set") || did("hset") || did("incrby"); }
  // A yes: OK, or a number above 0. A no: nil, or a number of 0 or less.
  [[nodiscard]] bool said_yes() const;
  [[nodiscard]] bool said_no() const;
  // It was answered with an error.
  [[nodiscard]] bool was_refused() const;
  // The number that the answer begins with.
  [[nodiscard]] std::optional<long long> number() const;
};

// Is it nothing but digits? What is cut short (…) is no number.
[[nodiscard]] bool is_number(std::string_view word);

// Places are numbers of events in the record.
[[nodiscard]] std::vector<Call> calls_of(const faults::Record& record);
// In the order in which they were sent; without those of the tidying up after a story that could
// not be told.
[[nodiscard]] std::vector<Sent> commands_of(const faults::Record& record,
                                            const std::vector<Call>& calls);

}  // namespace learning
