// A command that a client sent, with the questions that rules ask of it, and of its answer.
//
// Thread-safety: values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/sent_command.h"

namespace learning {

struct Sent : faults::SentCommand {
  bool renews = false;  // it came by itself, to keep a hold alive

  // Which script it runs, by the beginning of its SHA-1; empty if it came as a text.
  [[nodiscard]] std::string script() const;
  // The words after its keys. Of a script: as its caller divided them.
  [[nodiscard]] std::vector<std::string> arguments() const;
  // The word under which it takes its key: the first argument, but of a script's the first that is
  // no number, since some put the lease before the token. Empty: it has none.
  [[nodiscard]] std::string token() const;
  // The first argument, if it begins with a number, such as the 300 of "PEXPIRE lock 300".
  [[nodiscard]] std::optional<long long> number_after_key() const;
  // The argument after an option, such as the 300 of "PX 300". Options are named in capitals here,
  // however they are sent.
  [[nodiscard]] std::optional<long long> number_of_option(std::string_view option) const;
  // It wrote its key, of whatever type: not to count down, nor a depth.
  [[nodiscard]] bool wrote() const;
  // It asks whose the lock is, or whether it is there, and changes nothing.
  [[nodiscard]] bool looks() const;
  // A counter's: the first that counts gets 1. Counting down gives back.
  [[nodiscard]] bool counts_up() const;
  [[nodiscard]] bool counts_down() const;
  // A yes: OK, or a number above 0. A no: nil, or a number of 0 or less. Of what was there: nothing
  // is a yes, and something a no; of a bit, what it was; of a counter, 1 is a yes, and more a no.
  // Counting down is answered with neither.
  [[nodiscard]] bool said_yes() const;
  [[nodiscard]] bool said_no() const;
  // It was answered with an error.
  [[nodiscard]] bool was_refused() const;
  // The number that the answer begins with; nothing if it begins with a token that begins with
  // digits.
  [[nodiscard]] std::optional<long long> number() const;
};

// Is it nothing but digits? What is cut short (…) is no number.
[[nodiscard]] bool is_number(std::string_view word);

}  // namespace learning
