// Rules about the levels of a hold: what becomes of them when an acquire is refused, and when a
// hold is over.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {

Says takes_back_too_much(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    const auto* call = evidence.call_of(command);
    if (call == nullptr || call->name != "acquire" || !command.did("del")) continue;
    if (call->outcome == "acquired" || depth_at(evidence, call->client, call->called) <= 0)
      continue;
    const auto* removed = evidence.held_at(command.server, command.place);
    const bool is_outer = removed != nullptr && removed->owner == call->client &&
                          removed == evidence.held_at(command.server, call->called);
    if (may_be_leaving(evidence, call->client) || !is_outer) continue;
    return fmt::format(
        "your acquire took back more than it had asked for: {} had the lock, asked for it once "
        "more at {} ms and was not let in, and what it sent then removed the lock that it had; "
        "take back the level that may have been entered (depth - 1), and leave the outer ones",
        call->client, evidence.ms(call->called));
  }
  return std::nullopt;
}

Says asks_itself_again(const Evidence& evidence) {
  constexpr std::size_t without_end = 100;
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    const bool came_back = !call.outcome.empty() && call.outcome != "died";
    if (call.name != "acquire" || came_back || commands.empty()) continue;
    const auto& last = *commands.back();
    // Who waits for somebody else's lock asks often as well.
    const auto same = [&](const Sent* other) {
      return other->words == last.words && !other->said_yes() &&
             evidence.held_at(other->server, other->place) == nullptr;
    };
    const auto times =
        static_cast<std::size_t>(std::count_if(commands.begin(), commands.end(), same));
    if (times < without_end) continue;
    const bool gives_back =
        std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
          const auto* release = evidence.call_of(other);
          return release != nullptr && release->name == "release" && other.words == last.words;
        });
    if (gives_back) {
      return fmt::format(
          "your lock stays on its way out of a hold that is over: {}'s release was told so, and "
          "the next acquire asked for that release {} times more, without end; whatever a release "
          "is answered, its level has been left",
          call.client, times);
    }
    return fmt::format(
        "your acquire calls itself without end: {} asked for the same hold {} times, and was told "
        "each time that it is over; what it was told has to change what it asks for, so forget "
        "that hold and begin a new one",
        call.client, times);
  }
  return std::nullopt;
}

Says release_counts_down(const Evidence& evidence) {
  for (const auto& again : evidence.sent) {
    const auto* second = evidence.call_of(again);
    if (second == nullptr || second->name != "release" || !again.did("del")) continue;
    for (const auto& command : evidence.sent) {
      const auto* first = evidence.call_of(command);
      const bool is_the_same = first != nullptr && first->name == "release" &&
                               command.client == again.client && command.server == again.server &&
                               command.place < again.place && command.words == again.words;
      const bool unheard = command.heard == faults::never && !command.effects.empty();
      if (!is_the_same || !unheard || command.did("del")) continue;
      const bool is_inside = depth_at(evidence, first->client, first->called) > 1 &&
                             depth_at(evidence, second->client, second->called) > 1;
      if (!is_inside) continue;
      return fmt::format(
          "your release counts down: what {} sent at {} ms to leave its inner level was carried "
          "out, the answer was lost, and the same words at {} ms counted once more and freed the "
          "lock; say how deep the thread still is, then a command that is sent twice does no harm",
          again.client, evidence.ms(command.place), evidence.ms(again.place));
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
