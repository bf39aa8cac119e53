// A command that a client sent to a server of the lock, with its reply and its effects.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "faults/judging/operation.h"
#include "faults/kit/command_names.h"

namespace faults {

struct Trace;

// A command queued after MULTI is answered with EXEC, and has its part of that answer.
struct SentCommand {
  std::string client;
  std::string server;
  std::vector<std::string> words;  // long ones as in the history: shortened, with "…"
  std::string script;              // which one it runs; empty: none, or the history does not say
  std::size_t place = 0;
  std::size_t answered = never;          // when the server's reply was seen
  std::size_t heard = never;             // when the client had it: later if delayed; never: lost
  std::string reply;                     // empty if it was never seen
  std::vector<std::string> effects;      // what it did to its key: set, hset, expire, del, …
  std::optional<std::size_t> operation;  // the acquire or release under way: its place in
                                         // `Trace::every_operation`
  std::size_t settled = never;           // from then on it is answered, or lost with its connection
  std::vector<std::pair<std::size_t, std::size_t>> stopped;  // on the wire, from when until when

  // Is it under way, and not stopped on the wire?
  [[nodiscard]] bool in_flight_at(std::size_t at) const;
  // The command's name, in capitals.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] bool is_script() const;
  [[nodiscard]] bool may_use_keys() const { return faults::may_use_keys(name()); }
  // The place of the first key in `words`: in a script after the number of keys, else 1.
  [[nodiscard]] std::size_t place_of_keys() const;
  // Its first key; empty if it has none.
  [[nodiscard]] std::string key() const;
  // Is that its first key? In a history a long one is shortened to its two ends.
  [[nodiscard]] bool is_about(std::string_view wanted) const;
  // Has it that option? (Named in capitals, however it is sent; the value that a SET writes is no
  // option, whatever it reads like.)
  [[nodiscard]] bool has_option(std::string_view option) const;
  // The option's place in `words`; their number if it is not there.
  [[nodiscard]] std::size_t place_of_option(std::string_view option) const;
  // A SET that answers with the value that was there, or GETSET, its older name:
  // https://redis.io/docs/latest/commands/getset/
  [[nodiscard]] bool answers_what_was_there() const;
  [[nodiscard]] bool did(std::string_view effect) const;
  // Does its name say that it has that effect, which it was not seen to have yet? Not of a script.
  [[nodiscard]] bool plainly_does(std::string_view effect) const;
};

// The words of a command as a history has it. An empty key shows as two blanks in a row; an empty
// script is no word.
[[nodiscard]] std::vector<std::string> words_of_command(const std::string& text);

// All commands of a history, in the order of sending; of `trace` the record and the operations must
// be there.
[[nodiscard]] std::vector<SentCommand> read_commands(const Trace& trace);

}  // namespace faults
