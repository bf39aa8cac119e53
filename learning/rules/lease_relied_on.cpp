// Rules about how long a lock relies on its lease: too long, or not long enough.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// How long the last yes of an acquire was on its way, there and back, in ms.
long long time_to_the_last_yes(const Evidence& evidence, const Call& call) {
  long long longest = 0;
  for (const auto* command : evidence.of(call)) {
    if (!command->said_yes() || command->heard > call.answered) continue;
    longest = std::max(longest, evidence.ms(command->heard) - evidence.ms(command->place));
  }
  return longest;
}

// Is there anything for which a client may take what it has for lost, and rightly: a server that it
// cannot hear, a machine that stood still?
bool is_disturbed(const Evidence& evidence) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [](const auto& event) {
    const bool at_work = event.kind == faults::Kind::fault && event.text("server") == "storage";
    return event.kind == faults::Kind::stood_still ||
           (event.kind == faults::Kind::fault && !at_work);
  });
}

}  // namespace

Says yes_to_what_is_over(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto asked = call->asked.value("lease_ms", 0LL);
    // An inner one has the lease of the hold that it enters, which may be longer.
    const bool inner = depth_at(evidence, call->client, call->called) > 0;
    if (inner || asked == 0 || call->asked.value("wait_ms", 0LL) > 0) continue;
    const auto took = time_to_the_last_yes(evidence, *call);
    if (took < asked) continue;
    return fmt::format(
        "your acquire said yes to a hold that was over: the answer reached {} {} ms after it had "
        "asked for a lease of {} ms; a yes that comes when its lease is over is worth nothing: "
        "give back what may be there, and answer \"unknown\"",
        call->client, took, asked);
  }
  return std::nullopt;
}

Says gives_up_what_it_has(const Evidence& evidence) {
  if (evidence.several_servers() || is_disturbed(evidence)) return std::nullopt;
  // By so much its own deadline may not come before the server's.
  const auto too_soon = evidence.usual_lease() * 2 / 3;
  for (const auto& event : evidence.record()) {
    if (event.kind != faults::Kind::told || event.text("event") != "lost") continue;
    const auto* hold = evidence.held_at("redis", event.number);
    const auto next =
        std::find_if(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
          return call.client == event.process && call.called > event.number;
        });
    if (hold == nullptr || hold->owner != event.process || next == evidence.calls().end()) continue;
    const bool was_its_own = next->is("release", "released") || next->is("release", "still_held");
    if (!was_its_own || evidence.ms(next->called) - evidence.ms(event.number) < too_soon) continue;
    return fmt::format(
        "your lock gave up a hold that it had: {} was told at {} ms that it was lost, and when it "
        "released it at {} ms the server still held it for {}; what the lock knows of its lease "
        "has to be the longest that it was given, also by a second acquire",
        event.process, evidence.ms(event.number), evidence.ms(next->called), event.process);
  }
  return std::nullopt;
}

// 1 % and 2 ms are usual (core/lease.h).
Says no_room_for_drift(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto lease = evidence.lease_of(*call);
    const auto left = call->answer.value("remaining_ms", 0LL);
    constexpr long long long_enough = 10'000;  // for a hundredth of it to be more than chance
    // An inner one, or one after a hold that was not heard to end, may have a longer lease than its
    // own.
    const bool is_first = depth_at(evidence, call->client, call->called) == 0;
    if (!is_first || call->asked.contains("join") || lease < long_enough) continue;
    if (left <= lease - lease / 1'000) continue;
    return fmt::format(
        "your lock relies on its lease to the last moment: {} asked for {} ms, and says that {} ms "
        "of them are left, which leaves no room for clocks that run at different speeds; count a "
        "hundredth of the lease and 2 ms less, from before the command was sent "
        "(core::local_deadline)",
        call->client, lease, left);
  }
  return std::nullopt;
}

}  // namespace learning::rules
