// Rules about the renewal of a hold that is entered several times.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// Was the hold of `lane` renewed between two places?
bool is_renewed_between(const Evidence& evidence, const std::string& lane, std::size_t from,
                        std::size_t to) {
  const auto renewals = evidence.renewals();
  return std::any_of(renewals.begin(), renewals.end(), [&](const Sent* renewal) {
    return renewal->client == lane && from < renewal->place && renewal->place < to;
  });
}

}  // namespace

Says reentry_ends_renewal(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    if (call->asked.contains("lease_ms") || call->asked.contains("join")) continue;
    if (depth_at(evidence, call->client, call->called) != 1) continue;
    const auto* hold = evidence.held_at("redis", call->answered);
    if (hold == nullptr || hold->owner != call->client || hold->end != "expired") continue;
    const auto begun = hold->from;
    const auto over = hold->to;
    if (!is_renewed_between(evidence, call->client, begun, call->called)) continue;
    // Nothing else happened to it: it was not left.
    const bool left =
        std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& other) {
          return other.client == call->client && other.name == "release" &&
                 call->answered < other.called && other.called < over;
        });
    const bool renewed = is_renewed_between(evidence, call->client, call->called, over);
    if (left || renewed) continue;
    return fmt::format(
        "your second acquire ends the renewal: {} had the lock and took it once more at {} ms, "
        "nothing renewed it after that, and at {} ms it was gone; the watchdog that watches the "
        "hold has to go on",
        call->client, evidence.ms(call->called), evidence.ms(over));
  }
  return std::nullopt;
}

Says inner_unlock_ends_renewal(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto* hold = evidence.held_at("redis", call.answered);
    if (!call.is("release", "still_held") || hold == nullptr || hold->owner != call.client)
      continue;
    if (hold->end != "expired" || depth_at(evidence, call.client, call.called) < 2) continue;
    if (is_renewed_between(evidence, call.client, call.answered, faults::never)) continue;
    const auto gone = evidence.ms(hold->to);
    const auto acquired = evidence.acquired();
    const bool another_has_joined =
        std::any_of(acquired.begin(), acquired.end(), [&](const Call* other) {
          return other->client == call.client && other->asked.contains("join") &&
                 thread_of(*other) != thread_of(call) && other->answered < call.called;
        });
    if (another_has_joined) {
      return fmt::format(
          "your lock does not renew a hold for who has joined it: the one of {} that had taken it "
          "left at {} ms, nothing renewed it for the one that is still inside, and at {} ms it was "
          "gone; whoever enters a hold has it watched, by whichever way he came in",
          call.client, evidence.ms(call.answered), gone);
    }
    const auto begun = hold->from;
    if (!is_renewed_between(evidence, call.client, begun, call.called)) {
      const auto commands = evidence.of(call);
      const bool sets_a_lease =
          std::any_of(commands.begin(), commands.end(),
                      [](const Sent* command) { return command->did("expire"); });
      if (!sets_a_lease) continue;
      return fmt::format(
          "your inner release sets the lease: {} gave one level back at {} ms, that set a lease as "
          "well, and at {} ms the lock was gone; the lease belongs to all levels, so who leaves "
          "one lets it be",
          call.client, evidence.ms(call.answered), gone);
    }
    return fmt::format(
        "your inner release ends the renewal: {} gave one level back at {} ms, nothing renewed the "
        "lock after that, and at {} ms it was gone; only the outermost release ends it",
        call.client, evidence.ms(call.answered), gone);
  }
  return std::nullopt;
}

}  // namespace learning::rules
