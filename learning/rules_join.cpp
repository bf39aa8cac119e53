// Rules about a hold that is handed on.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning::rules {

Says leaves_for_everybody(const Evidence& evidence) {
  for (const auto& removal : evidence.sent) {
    const auto* release = evidence.call_of(removal);
    if (release == nullptr || release->name != "release" || !removal.did("del")) continue;
    for (const auto& call : evidence.calls) {
      const bool joined = call.is("acquire", "acquired") && call.asked.contains("join");
      if (!joined || call.lane != release->lane || call.answered > release->called) continue;
      // The level of its own, and that of who joined.
      if (depth_at(evidence, call.lane, release->called) < 2) continue;
      return fmt::format(
          "your release freed the lock for everybody inside: a thread of {} gave back its own "
          "level, and another one, which had joined, was still there; the key goes with the last "
          "one who leaves",
          call.lane);
    }
  }
  return std::nullopt;
}

Says join_is_refused(const Evidence& evidence) {
  for (const auto& call : evidence.calls) {
    const bool joins = call.asked.contains("join") && call.key == lock_key;
    if (!joins || !call.is("acquire", "contended") || !stands_for(evidence, call)) continue;
    return fmt::format(
        "your join was refused while its hold stood: another thread of {} had the lock and handed "
        "on its token, and who came with that at {} ms was answered \"contended\"; by its token a "
        "hold is entered as by who has it",
        call.lane, evidence.ms(call.called));
  }
  return std::nullopt;
}

Says joins_what_is_over(const Evidence& evidence) {
  const auto& holds = evidence.story.holds;
  for (const auto* call : evidence.acquired()) {
    const bool held = std::any_of(holds.begin(), holds.end(), [&](const auto& hold) {
      return evidence.held_at(hold.server, call->called) != nullptr;
    });
    if (!call->asked.contains("join") || held) continue;
    return fmt::format(
        "your join entered a hold that was over: nobody had the lock when {} came with its token "
        "at {} ms; others may have been inside since, so what is joined has to be there",
        call->lane, evidence.ms(call->called));
  }
  return std::nullopt;
}

}  // namespace learning::rules
