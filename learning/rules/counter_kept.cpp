// Rules about what servers keep of a fencing counter: which key is counted up, what a second round
// stores, and what is set back.
//
// Of a server that counts at a refusal too there is no rule: its tokens have gaps, and are unique
// and greater than all before them. (A second round may find a server past its number for that,
// and is tried again.)
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "learning/evidence/fencing_tokens.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// The counter that is among the keys of `command`. Empty: none is.
std::string counter_named_by(const Sent& command) {
  const auto keys = command.keys();
  const auto found = std::find_if(keys.begin(), keys.end(), is_name_of_counter);
  return found == keys.end() ? std::string{} : *found;
}

// May `word`, as a history shows it, be `key`? A long one is shortened there, with "…".
bool may_be(std::string_view word, std::string_view key) {
  constexpr std::string_view cut = "…";
  const auto at = word.find(cut);
  if (at == std::string_view::npos) return word == key;
  return key.starts_with(word.substr(0, at)) && key.ends_with(word.substr(at + cut.size()));
}

// Was `command` on its way to, or at, the server of `event` when that did this?
bool is_under_way(const Sent& command, const faults::Event& event) {
  return command.server == event.process && command.place < event.number &&
         event.number < command.answered;
}

// The command on the lock, with a counter among its keys, in the course of which a server counted
// up another one of these: `event`. Null: none. (Who names no counter beside the lock may have one
// for all locks.)
const Sent* counting_elsewhere(const Evidence& evidence, const faults::Event& event) {
  const auto key = event.text("key");
  const bool counts = event.kind == faults::Kind::server && event.text("what") == "incrby";
  if (!counts || key.starts_with(lock_key)) return nullptr;
  const auto found =
      std::find_if(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
        const bool is_there = is_under_way(command, event) && command.key() == lock_key;
        const auto keys = command.keys();
        return is_there && !counter_named_by(command).empty() &&
               std::any_of(keys.begin(), keys.end(),
                           [&](const auto& word) { return may_be(word, key); });
      });
  return found == evidence.sent.end() ? nullptr : &*found;
}

// Was the counter of `server` changed between two places?
bool changed_between(const Evidence& evidence, const std::string& server, std::size_t from,
                     std::size_t to) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
    return event.process == server && is_of_counter(event) && from < event.number &&
           event.number < to;
  });
}

// Is `key` among the keys of anything that was sent, or may it be of the lock that clients warm up
// with?
bool is_named(const Evidence& evidence, std::string_view key) {
  constexpr std::string_view warm_up = "warm-up";
  if (key.starts_with(warm_up)) return true;
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
    const auto keys = command.keys();
    return std::any_of(keys.begin(), keys.end(),
                       [&](const auto& word) { return may_be(word, key); });
  });
}

// The acquire's command, with a counter among its keys, in the course of which a server counted
// up a key that nobody names, `event`, and not that counter. Null: none.
const Sent* counting_unnamed(const Evidence& evidence, const faults::Event& event) {
  const auto key = event.text("key");
  const bool counts = event.kind == faults::Kind::server && event.text("what") == "incrby";
  if (!counts || key.starts_with(lock_key) || is_named(evidence, key)) return nullptr;
  const auto found =
      std::find_if(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
        const auto* call = evidence.call_of(command);
        return call != nullptr && call->name == "acquire" && is_under_way(command, event) &&
               command.answered != faults::never && command.key() == lock_key &&
               !counter_named_by(command).empty() &&
               !changed_between(evidence, command.server, command.place, command.answered);
      });
  return found == evidence.sent.end() ? nullptr : &*found;
}

// When `server` is next sent something after `command`; never: not at all.
std::size_t next_place(const Evidence& evidence, const Sent& command) {
  const auto found =
      std::find_if(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
        return other.server == command.server && other.place > command.answered;
      });
  return found == evidence.sent.end() ? faults::never : found->place;
}

// The token that `command` ends with, if it is told one.
std::optional<long long> last_number(const Sent& command) {
  const auto words = command.arguments();
  if (words.empty() || !is_number(words.back()) || words.back().size() > 9) return std::nullopt;
  return std::stoll(words.back());
}

// Does a server say that it has raised what it counted in `counting` to `token`?
bool says_it_is_raised(const Sent& counting, const Sent& raising, long long token) {
  return last_number(raising) == token && raising.said_yes() && !raising.did("del") &&
         raising.token() == counting.token() && *counter_in(counting) < token;
}

// Did the counter stay as it was from the end of `counting` on, until `raising` was over? Only
// where it was seen to count is it seen what changes that.
bool keeps_its_count(const Evidence& evidence, const Sent& counting, const Sent& raising) {
  const auto& server = raising.server;
  // Where a majority is there without this server, it is raised before its first answer is seen.
  const auto from = std::min(counting.answered, raising.place);
  const auto until = next_place(evidence, raising);
  return changed_between(evidence, server, 0, from) &&
         !changed_between(evidence, server, from, until) &&
         count_faults(evidence, faults::fault::restarted, counting.place, until, server) == 0;
}

// What a server counted for a hold that began there.
struct Count {
  const Sent* command = nullptr;
  long long number = 0;
};

// The counts of `server`, in order: each hold's first answer there.
std::vector<Count> counts_of(const Evidence& evidence, const std::string& server) {
  std::vector<Count> counts;
  std::set<std::string> known;
  for (const auto& command : evidence.sent) {
    const auto number = counter_in(command);
    if (command.server != server || command.key() != lock_key || !number) continue;
    if (!known.insert(command.token()).second) continue;
    const auto* call = evidence.call_of(command);
    const bool begins = call != nullptr && call->name == "acquire" &&
                        !call->asked.contains("join") &&
                        depth_at(evidence, call->client, call->called) <= 0;
    if (begins) counts.push_back({.command = &command, .number = *number});
  }
  return counts;
}

// What set the counter of a server between `before` and `after` to less than `before` counted;
// null: nothing did.
const Sent* setting_back(const Evidence& evidence, const Count& before, const Count& after) {
  const auto& server = before.command->server;
  for (const auto& event : evidence.record()) {
    const bool between =
        before.command->answered < event.number && event.number < after.command->answered;
    const bool sets =
        event.process == server && is_of_counter(event) && event.text("what") == "set";
    if (!between || !sets) continue;
    for (const auto& command : evidence.sent) {
      const bool may_be = command.server == server && command.place < event.number &&
                          event.number < command.answered && command.answered != faults::never;
      const auto number = last_number(command);
      if (may_be && number && *number > 0 && *number < before.number) return &command;
    }
  }
  return nullptr;
}

// A server that counts no further than it had counted, since its counter was set back.
Says set_back_at_one_server(const Evidence& evidence) {
  std::set<std::string> servers;
  for (const auto& command : evidence.sent) servers.insert(command.server);
  for (const auto& server : servers) {
    const auto counts = counts_of(evidence, server);
    for (std::size_t later = 1; later < counts.size(); ++later) {
      const auto& before = counts[later - 1];
      const auto& after = counts[later];
      const bool grows = after.number > before.number;
      if (grows || before.command->answered > after.command->place) continue;
      const auto* setting = setting_back(evidence, before, after);
      const auto forgot = count_faults(evidence, faults::fault::restarted, before.command->answered,
                                       after.command->place, server);
      if (setting == nullptr || forgot > 0) continue;
      const auto* call = evidence.call_of(*setting);
      return fmt::format(
          "your fencing counter is set back: {} had counted {} for {}, then what {} sent {} set it "
          "to {}, and for {} it counted {}; who comes late brings an old token, so a counter may "
          "be set only where it is less than what it is set to",
          server, before.number, before.command->client, setting->client,
          call == nullptr ? std::string("by itself") : "in its " + call->name,
          *last_number(*setting), after.command->client, after.number);
    }
  }
  return std::nullopt;
}

}  // namespace

Says counts_in_the_marker(const Evidence& evidence) {
  for (const auto& event : evidence.record()) {
    const auto* command = counting_elsewhere(evidence, event);
    if (command == nullptr) continue;
    return fmt::format(
        "your acquire counts in another key: for {} {} counted up \"{}\", which is not the lock's "
        "counter but the marker by which a server knows that it has lost nothing; the counter is "
        "\"{}\", which the script has as another one of its KEYS",
        command->client, event.process, event.text("key"), counter_named_by(*command));
  }
  return std::nullopt;
}

Says counter_is_not_among_the_keys(const Evidence& evidence) {
  for (const auto& event : evidence.record()) {
    const auto* command = counting_unnamed(evidence, event);
    if (command == nullptr) continue;
    return fmt::format(
        "your acquire counts in a key that is not among its KEYS: for {} {} counted up \"{}\", "
        "which the script has written out, and not \"{}\", the counter that it is given; a "
        "script touches no key but those that its caller names",
        command->client, event.process, event.text("key"), counter_named_by(*command));
  }
  return std::nullopt;
}

Says raise_stores_nothing(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "acquire" || call.key != lock_key) continue;
    std::map<std::string, const Sent*> first;  // what each server counted in
    long long token = 0;                       // the greatest of these counts
    for (const auto* command : evidence.of(call)) {
      if (counter_in(*command)) {
        first[command->server] = command;
        token = std::max(token, *counter_in(*command));
        continue;
      }
      const auto found = first.find(command->server);
      if (found == first.end() || !says_it_is_raised(*found->second, *command, token)) continue;
      if (!keeps_its_count(evidence, *found->second, *command)) continue;
      return fmt::format(
          "your second round stores nothing: {} had counted {} for {}, was told to raise that to "
          "{}, and answered {}, and its counter did not change; so the next hold there may get {} "
          "once more: where the count is less than the token, SET it to that",
          command->server, *counter_in(*found->second), call.client, token, command->reply, token);
    }
  }
  return std::nullopt;
}

Says counter_is_set_back(const Evidence& evidence) {
  const auto [earlier, later] = not_greater(evidence);
  if (earlier == nullptr) return set_back_at_one_server(evidence);
  for (const auto& event : evidence.record()) {
    const bool between = earlier->answered < event.number && event.number < later->answered;
    if (!between || !is_of_counter(event) || event.text("what") != "set") continue;
    const auto* command = cause_of(evidence, event);
    const auto* call = command == nullptr ? nullptr : evidence.call_of(*command);
    if (call == nullptr) continue;
    const auto words = command->arguments();
    const bool is_back =
        !words.empty() && is_number(words.back()) && std::stoll(words.back()) < *token_of(*earlier);
    if (!is_back) continue;
    return fmt::format(
        "your fencing counter is set back: {} got {} and {} after it {}, and in between what {} "
        "sent in its {} set the counter of {}; a counter may be set only where it is less than "
        "what it is set to",
        earlier->client, *token_of(*earlier), later->client, *token_of(*later), call->client,
        call->name, event.process);
  }
  return set_back_at_one_server(evidence);
}

}  // namespace learning::rules
