// Rules about the token that ties a lock to its holder.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "learning/evidence/fencing_tokens.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// The word under which an acquire took a key; empty if it has none.
std::string token_in(const Evidence& evidence, const Sent& command) {
  const auto* call = evidence.call_of(command);
  const bool takes = call != nullptr && call->name == "acquire" && command.wrote();
  return takes ? command.token() : std::string();
}

// A token that two clients have used.
std::string shared_token(const Evidence& evidence) {
  std::map<std::string, std::set<std::string>> users;
  for (const auto& command : evidence.sent) {
    const auto token = token_in(evidence, command);
    if (token.empty()) continue;
    users[token].insert(command.client);
    if (users[token].size() > 1) return token;
  }
  return {};
}

// Does anything compare a token? Else the word beside the key is no token, and not the mistake.
bool compares(const Evidence& evidence) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
    const auto* call = evidence.call_of(command);
    const bool gives_back = call != nullptr && call->name == "release";
    return gives_back && (command.is_script() || command.name().ends_with("GET"));
  });
}

bool took_a_strangers(const Evidence& evidence) {
  return compares(evidence) && (evidence.broke(faults::Property::owner_only_release) ||
                                evidence.broke(faults::Property::owner_only_renewal) ||
                                evidence.broke(faults::Property::mutual_exclusion));
}

// The same, if it is one: a script's number may be its lease.
std::string plain_token_in(const Evidence& evidence, const Sent& command) {
  const auto token = token_in(evidence, command);
  return command.is_script() && is_number(token) ? std::string() : token;
}

// May two that look like it be taken for the same? Not names that are cut: they may differ there.
bool is_told_apart(const std::string& token) {
  constexpr std::string_view cut = "…";
  const auto at = token.find(cut);
  if (at == std::string::npos || may_be_a_time(token)) return true;
  const bool is_hex =
      token.substr(0, at).find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hex && token.ends_with(cut);
}

// Where the number at its end begins.
std::size_t behind_the_name(const std::string& word) {
  const auto last_letter = word.find_last_not_of("0123456789");
  return last_letter == std::string::npos ? 0 : last_letter + 1;
}

// Is it the same but for a number at its end, and that the next one? Not where it is cut: what
// names the process may stand there.
bool comes_next(const std::string& before, const std::string& token) {
  const auto at = behind_the_name(token);
  const auto number = token.substr(at);
  constexpr std::size_t most_digits = 12;
  constexpr std::string_view cut = "…";
  if (before.find(cut) != std::string::npos || token.find(cut) != std::string::npos) return false;
  if (at != behind_the_name(before) || !token.starts_with(before.substr(0, at))) return false;
  const bool are_numbers =
      is_number(number) && is_number(before.substr(std::min(at, before.size())));
  if (!are_numbers || token.size() > most_digits || before.size() > most_digits) return false;
  return std::stoll(number) == std::stoll(before.substr(at)) + 1;
}

// Is the token all that is in `command` beside its options? One of bytes that has a blank in it
// looks like several words.
bool is_one_word_in(const Sent& command, const std::string& token) {
  constexpr std::array<std::string_view, 8> options{"NX",  "XX",   "PX",   "EX",
                                                    "GET", "PXAT", "EXAT", "KEEPTTL"};
  const auto arguments = command.arguments();
  return std::all_of(arguments.begin(), arguments.end(), [&](std::string word) {
    if (word == token || is_number(word)) return true;
    std::transform(word.begin(), word.end(), word.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return std::find(options.begin(), options.end(), word) != options.end();
  });
}

// Is it shown as a whole, and does it say far less than 64 bits, by its letters and their number?
bool has_too_few_bits(const std::string& token) {
  const auto is_shown = token.find("…") == std::string::npos;
  if (!is_shown || token.find('\\') != std::string::npos) return false;  // bytes, not letters
  constexpr std::size_t few_letters = 6;
  constexpr std::size_t few_digits = 8;  // hexadecimal
  const auto is_hex = token.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  return is_number(token) || token.size() <= (is_hex ? few_digits : few_letters);
}

// Did a server answer `call` with the number at the token's end before it was sent `command`?
bool is_answer_before(const Evidence& evidence, const Call& call, const Sent& command,
                      const std::string& token) {
  const auto commands = evidence.of(call);
  const auto number = token.substr(behind_the_name(token));
  return std::any_of(commands.begin(), commands.end(), [&](const Sent* earlier) {
    return earlier->place < command.place && !number.empty() && earlier->reply == number;
  });
}

}  // namespace

Says token_is_counted(const Evidence& evidence) {
  if (!compares(evidence)) return std::nullopt;
  std::map<std::pair<std::string, int>, std::string> last;  // by client and thread
  for (const auto& call : evidence.calls()) {
    for (const auto* command : evidence.of(call)) {
      const auto token = plain_token_in(evidence, *command);
      if (token.empty()) continue;
      const auto before = std::exchange(last[{call.client, thread_of(call)}], token);
      // What a server counts no other client gets.
      if (!comes_next(before, token) || is_answer_before(evidence, call, *command, token)) continue;
      return fmt::format(
          "your token is counted: {} took a lock under {} and the next one under {}; another "
          "process, or this one when it is started again, counts through the same ones, and takes "
          "a stranger's lock for its own then; draw 128 bits by chance, as core::random_token() "
          "does",
          call.client, before, token);
    }
  }
  return std::nullopt;
}

Says tokens_begin_the_same(const Evidence& evidence) {
  if (!compares(evidence)) return std::nullopt;
  std::map<std::string, std::set<std::string>> drawn;  // by client and thread
  for (const auto& call : evidence.calls()) {
    for (const auto* command : evidence.of(call)) {
      const auto token = plain_token_in(evidence, *command);
      if (!token.empty() && is_told_apart(token))
        drawn[fmt::format("{} {}", call.client, thread_of(call))].insert(token);
    }
  }
  for (auto one = drawn.begin(); one != drawn.end(); ++one) {
    for (auto other = std::next(one); other != drawn.end(); ++other) {
      const auto name = [](const auto& whose) { return whose.substr(0, whose.find(' ')); };
      std::vector<std::string> both;
      std::set_intersection(one->second.begin(), one->second.end(), other->second.begin(),
                            other->second.end(), std::back_inserter(both));
      // One may be a name that both have, or look the same by chance where it is cut.
      if (both.size() < 2 || name(one->first) == name(other->first)) continue;
      return fmt::format(
          "your tokens are the same in every process: {} and {} have both taken a lock under {}, "
          "and under {} too; what is drawn from one and the same beginning, as by rand() or a "
          "std::mt19937 without a seed of its own, comes in the same order everywhere; draw from "
          "the operating system, as core::random_token() does",
          name(one->first), name(other->first), both[0], both[1]);
    }
  }
  return std::nullopt;
}

Says token_is_thread_number(const Evidence& evidence) {
  const auto token = shared_token(evidence);
  if (!took_a_strangers(evidence) || !is_small_number(token)) return std::nullopt;
  return fmt::format(
      "your token names a thread, not a hold: two clients took the lock under \"{}\", so each "
      "takes the other's lock for its own; every process has a thread of that number",
      token);
}

Says token_shared(const Evidence& evidence) {
  const auto token = shared_token(evidence);
  if (!took_a_strangers(evidence) || token.empty()) return std::nullopt;
  return fmt::format(
      "your token is everybody's: two clients took the lock under \"{}\", so the comparison is "
      "true for a stranger's lock as well; every hold needs a token of its own, by chance",
      token);
}

Says token_per_process(const Evidence& evidence) {
  if (!compares(evidence)) return std::nullopt;
  std::map<std::string, std::set<std::string>> keys;  // by client and token
  for (const auto& command : evidence.sent) {
    const auto token = token_in(evidence, command);
    // A second round may name the counter first.
    if (token.empty() || is_name_of_counter(command.key())) continue;
    // Of a time what goes by fast is not what it is known by.
    const auto name = may_be_a_time(token) ? token.substr(0, token.find("…")) : token;
    auto& taken = keys[command.client + " " + name];
    taken.insert(command.key());
    if (taken.size() < 2) continue;
    return fmt::format(
        "your token does not name the hold: {} took two locks under {}, as what names a process, a "
        "thread or a moment does; a release or a renewal of an earlier hold that comes late then "
        "ends, or extends, a later one",
        command.client, token);
  }
  return std::nullopt;
}

Says token_of_the_lock(const Evidence& evidence) {
  if (!compares(evidence)) return std::nullopt;
  // Two may look the same by chance where they are cut, three do not.
  constexpr int enough = 3;
  std::map<std::string, int> times;  // by client, thread, key and token
  for (const auto& call : evidence.calls()) {
    const bool takes = call.is("acquire", "acquired") && !call.asked.contains("join");
    if (!takes || may_be_leaving(evidence, call.client)) continue;
    if (depth_at(evidence, call.client, call.called, call.key) != 0) continue;
    const auto commands = evidence.of(call);
    const auto found = std::find_if(commands.begin(), commands.end(), [&](const Sent* command) {
      return !plain_token_in(evidence, *command).empty();
    });
    if (found == commands.end()) continue;
    const auto token = (*found)->token();
    if (!is_told_apart(token)) continue;
    const auto hold = fmt::format("{} {} {} {}", call.client, thread_of(call), call.key, token);
    if (++times[hold] < enough) continue;
    if (token.find("…") != std::string::npos) {
      return fmt::format(
          "your token may be the lock object's, and not the hold's: {} took the lock, gave it back "
          "and took it again, {} times, and each time under one of which {} is seen, and the "
          "rest is not; if all of it is the same, a release or a renewal of an earlier hold that "
          "comes late ends, or extends, a later one: draw a token in each acquire",
          call.client, enough, token);
    }
    return fmt::format(
        "your token is the lock object's, and not the hold's: {} took the lock, gave it back and "
        "took it again, {} times, and each time under {}; a release or a renewal of an earlier "
        "hold that comes late then ends, or extends, a later one: draw a token in each acquire",
        call.client, enough, token);
  }
  return std::nullopt;
}

Says token_is_short(const Evidence& evidence) {
  if (!compares(evidence)) return std::nullopt;
  for (const auto& command : evidence.sent) {
    const auto token = plain_token_in(evidence, command);
    if (token.empty() || !has_too_few_bits(token) || !is_one_word_in(command, token)) continue;
    return fmt::format(
        "your token is too short: {} took a lock under {}, and so few bits come again, in another "
        "process or after a restart: who has the same takes a stranger's lock for its own; 128 "
        "bits by chance, as core::random_token() draws them, do not",
        command.client, token);
  }
  return std::nullopt;
}

Says token_of_the_lock_object(const Evidence& evidence) {
  const auto taken_under = [&](const Call& call) {
    for (const auto* command : evidence.of(call)) {
      // A name that is cut in the middle may differ there.
      const auto token = token_in(evidence, *command);
      const auto cut = token.find("…");
      const bool is_whole = cut == std::string::npos || token.ends_with("…");
      if (!token.empty() && is_whole) return token;
    }
    return std::string();
  };
  const auto acquired = evidence.acquired();
  for (const auto* later : acquired) {
    if (later->asked.contains("join") || !another_thread_is_inside(evidence, *later)) continue;
    const auto token = taken_under(*later);
    for (const auto* earlier : acquired) {
      const bool is_before = earlier->client == later->client &&
                             earlier->answered < later->called &&
                             thread_of(*earlier) != thread_of(*later);
      if (token.empty() || !is_before || taken_under(*earlier) != token) continue;
      return fmt::format(
          "your token is not the hold's: threads {} and {} of {} asked under the same one, {}, so "
          "the second was let in as if it were the first; one that is made with the lock, or with "
          "the process, is shared by all who use it, so make one at each outermost acquire",
          thread_of(*earlier), thread_of(*later), later->client, token);
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
