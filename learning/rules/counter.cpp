// Rules about the counter that fencing tokens come from.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>

#include "learning/evidence/fencing_tokens.h"
#include "learning/evidence/quorum_votes.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// Was another command on its way to that server when it did `event`? Then it may have been that
// one.
bool may_be_of_another(const Evidence& evidence, const faults::Event& event) {
  return std::count_if(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
           return command.server == event.process && command.place < event.number &&
                  event.number < command.answered;
         }) > 1;
}

// Did another command that the server answered too run at the same time as `command`? One that was
// never answered, as from who is cut off, was not carried out either.
bool ran_beside_another(const Evidence& evidence, const Sent& command) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
    return &other != &command && other.server == command.server &&
           other.answered != faults::never && other.place < command.answered &&
           command.place < other.answered;
  });
}

// What the server counted for the next hold after `raising`; nothing: there was none, or it had
// forgotten what it counted before.
std::optional<long long> next_count(const Evidence& evidence, const Sent& raising) {
  for (const auto& command : evidence.sent) {
    const bool later = command.server == raising.server && command.place > raising.answered;
    const auto count = counter_in(command);
    if (!later || !count || command.token() == raising.token()) continue;
    const auto forgotten = count_faults(evidence, faults::fault::restarted, raising.answered,
                                        command.place, raising.server);
    return forgotten > 0 ? std::nullopt : count;
  }
  return std::nullopt;
}

}  // namespace

Says token_counts_the_votes(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  const auto acquired = evidence.acquired();
  const Call* shows = nullptr;  // of the first holds a sum, or the count itself, may be the same
  std::vector<long long> told;
  for (const auto* call : acquired) {
    std::vector<long long> counters;
    for (const auto* command : evidence.of(*call)) {
      if (const auto counter = counter_in(*command)) counters.push_back(*counter);
    }
    const auto token = token_of(*call);
    const auto most = static_cast<long long>(counters.size());
    const auto least = static_cast<long long>(evidence.trace.majority());
    if (!token || *token < least || *token > most) return std::nullopt;
    const auto lowest = *std::min_element(counters.begin(), counters.end());
    const bool is_a_counter = std::find(counters.begin(), counters.end(), *token) != counters.end();
    if (is_stored(evidence, *call, *token)) return std::nullopt;
    if (is_a_counter || lowest * least <= *token || shows != nullptr) continue;
    shows = call;
    told = counters;
  }
  if (shows == nullptr) return std::nullopt;
  return fmt::format(
      "your fencing token is how many servers agree, and not what they say: {} got {}, and the "
      "servers answered {}; the token is the greatest of the counters",
      shows->client, *token_of(*shows), fmt::join(told, ", "));
}

Says token_is_a_sum(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    // What it is on re-entry is another matter.
    if (depth_at(evidence, call->client, call->called) > 0) continue;
    const auto token = token_of(*call);
    std::vector<const Sent*> answers;
    for (const auto* command : evidence.of(*call)) {
      if (counter_in(*command) && command->heard < call->answered) answers.push_back(command);
    }
    const bool is_one = std::any_of(answers.begin(), answers.end(), [&](const Sent* answer) {
      return counter_in(*answer) == token;
    });
    // One more than the greatest, stored at a majority, may look like a sum.
    const bool is_one_more = std::any_of(answers.begin(), answers.end(), [&](const Sent* answer) {
      return token && *counter_in(*answer) + 1 == *token && is_stored(evidence, *call, *token);
    });
    if (is_one || is_one_more) continue;
    // Each try is asked for under a token of its own, and the last one counts.
    std::erase_if(answers, [last = answers.empty() ? std::string{} : answers.back()->token()](
                               const Sent* answer) { return answer->token() != last; });
    std::stable_sort(answers.begin(), answers.end(),
                     [](const Sent* a, const Sent* b) { return a->heard < b->heard; });
    std::vector<long long> added;
    long long sum = 0;
    for (const auto* answer : answers) {
      added.push_back(*counter_in(*answer));
      sum += added.back();
      if (sum != token || added.size() < evidence.trace.majority()) continue;
      return fmt::format(
          "your fencing token is a sum: {} heard {} from the servers, and got {}; another majority "
          "may add up to less, also when it has counted further; the greatest of the counts is the "
          "token",
          call->client, fmt::join(added, ", "), sum);
    }
  }
  return std::nullopt;
}

Says token_is_read_again(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    for (const auto* command : commands) {
      const auto key = command->key();
      const bool asks_beside = key != lock_key && key.starts_with(lock_key) && command->said_yes();
      std::set<std::string> yes;  // before that
      for (const auto* vote : commands) {
        const bool in_time = vote->heard < command->place && vote->key() == lock_key;
        if (in_time && vote->said_yes()) yes.insert(vote->server);
      }
      const bool was_let_in = yes.size() >= evidence.trace.majority();
      if (!asks_beside || command->wrote() || !was_let_in) continue;
      return fmt::format(
          "your fencing token is read when it is asked for: a majority had let {} in at {} ms, and "
          "then {} read the counter, not the lock; a holder that was stopped past its lease gets "
          "its successor's token by that, so keep the number that came with the yes",
          call->client, evidence.ms(command->place), command->name());
    }
  }
  return std::nullopt;
}

Says counted_after_the_lock(const Evidence& evidence) {
  for (const auto& event : evidence.record()) {
    if (!is_of_counter(event) || event.text("what") != "incrby") continue;
    const auto* counting = cause_of(evidence, event);
    const auto* call = counting == nullptr ? nullptr : evidence.call_of(*counting);
    if (call == nullptr || call->name != "acquire") continue;
    if (may_be_of_another(evidence, event)) continue;
    const auto commands = evidence.of(*call);
    // What another one did to the lock at the same time may look like its doing.
    const auto taking = std::find_if(commands.begin(), commands.end(), [&](const Sent* command) {
      return command->server == counting->server && command->wrote() && command->said_yes() &&
             is_alone(evidence, *command) && command->answered < counting->place;
    });
    if (taking == commands.end()) continue;
    const bool counted_before =
        std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& other) {
          return is_of_counter(other) && other.process == event.process &&
                 other.number > (*taking)->place && other.number < (*taking)->answered;
        });
    const auto counted_with_it = counter_in(**taking).value_or(0) > 0;
    if (counted_before || counted_with_it) continue;
    // Who brings the token may count only where the hold is still there.
    const bool is_in_order = evidence.judgement.verdict == faults::Verdict::holds;
    if (is_in_order && counting->has((*taking)->token())) continue;
    return fmt::format(
        "your fencing counter is counted up after the lock was taken, and not with it: {} let {} "
        "in at {} ms, and counted for it at {} ms, by another command; who stands still in between "
        "gets a number greater than a later hold's, so the script that takes the lock has to count",
        event.process, call->client, evidence.ms((*taking)->answered), evidence.ms(event.number));
  }
  return std::nullopt;
}

Says counter_is_another_key(const Evidence& evidence) {
  std::set<std::string> counters;
  for (const auto& event : evidence.record()) {
    if (!is_of_counter(event) || event.text("what") != "incrby") continue;
    counters.insert(event.text("key"));
    if (counters.size() < 2) continue;
    return fmt::format(
        "your fencing counter is not one for everybody: \"{}\" was counted up, and \"{}\" as well; "
        "who counts in a key of his own hands out the same numbers as the others, so the counter's "
        "name may come from the lock's alone",
        *counters.begin(), *counters.rbegin());
  }
  return std::nullopt;
}

Says raised_by_one(const Evidence& evidence) {
  for (const auto& event : evidence.record()) {
    if (!is_of_counter(event) || event.text("what") != "incrby") continue;
    const auto* raising = cause_of(evidence, event);
    const auto* call = raising == nullptr ? nullptr : evidence.call_of(*raising);
    if (call == nullptr || !raising->said_yes() || ran_beside_another(evidence, *raising)) continue;
    const auto words = raising->arguments();
    if (words.size() < 2 || !is_number(words.back()) || words.back().size() > 9) continue;
    const auto token = std::stoll(words.back());
    // An INCRBY by what was missing looks the same, but the next hold gets a greater number.
    const auto next = next_count(evidence, *raising);
    if (!next || *next > token) continue;
    for (const auto* first : evidence.of(*call)) {
      const auto counter = counter_in(*first);
      const bool before = first->server == raising->server && first->answered < raising->place &&
                          first->token() == raising->token();
      // One more is enough where the count is behind by one.
      if (!before || !counter || *counter >= token - 1) continue;
      return fmt::format(
          "your second round counts up by one: {} had counted {} for {}, was told to raise that to "
          "{}, and carried out an INCR, so it is at {}; a count that is to be raised is set (SET)",
          raising->server, *counter, call->client, token, *counter + 1);
    }
  }
  return std::nullopt;
}

Says counter_is_removed(const Evidence& evidence) {
  for (const auto& event : evidence.record()) {
    const auto what = event.text("what");
    const bool ends = what == "del" || what == "expire" || what == "expired";
    if (!is_of_counter(event) || !ends) continue;
    return fmt::format(
        "your fencing counter {}: {} was to {} it, and then it begins with 1 again; it has to "
        "outlive the lock, in a key that is never deleted and has no lease",
        what == "del" ? "ends with the lock" : "has a lease", event.process,
        what == "del" ? "delete" : "expire");
  }
  return std::nullopt;
}

Says counter_is_not_counted(const Evidence& evidence) {
  const auto [earlier, later] = not_greater(evidence);
  if (earlier == nullptr || token_of(*earlier) != token_of(*later)) return std::nullopt;
  const bool counted = std::any_of(
      evidence.sent.begin(), evidence.sent.end(),
      [](const Sent& command) { return command.did("incrby") || command.did("hincrby"); });
  const bool set = std::any_of(evidence.record().begin(), evidence.record().end(), is_of_counter);
  if (counted || set) return std::nullopt;
  return fmt::format(
      "nothing counts your fencing token up: {} got {}, and {} after it {} as well, and no server "
      "has changed a counter; where a new hold is first heard of, the script that takes the lock "
      "has to INCR the counter, and answer the new number",
      earlier->client, *token_of(*earlier), later->client, *token_of(*later));
}

Says counter_starts_again(const Evidence& evidence) {
  const auto [earlier, later] = not_greater(evidence);
  if (earlier == nullptr) return std::nullopt;
  return fmt::format(
      "your fencing token does not grow: {} got {} and {} after it {}; the counter has to outlive "
      "the lock, in a key of its own that is never deleted and has no lease",
      earlier->client, *token_of(*earlier), later->client, *token_of(*later));
}

}  // namespace learning::rules
