// Rules about what a renewal does to its own lock: which lease it sets, and that it does not remove
// it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// When it ended, in ms; nothing if it did not.
std::optional<long long> end_of(const Evidence& evidence, const faults::ServerHold& hold) {
  if (hold.to == faults::never) return std::nullopt;
  return evidence.ms(hold.to);
}

}  // namespace

Says renewal_gives_back(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& command : evidence.sent) {
    const bool by_itself = !command.operation && command.key() == lock_key && command.did("del");
    if (!by_itself || is_stopped(evidence, command)) continue;
    const auto* hold = evidence.held_at(command.server, command.place);
    if (hold == nullptr || hold->owner != command.client) continue;
    // Work that is left early gives the lock back.
    const bool is_left =
        std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
          return call.client == command.client && call.name == "work" && call.outcome != "done" &&
                 call.called < command.place && command.place < call.answered;
        });
    if (is_left || depth_at(evidence, command.client, command.place) == 0) continue;
    return fmt::format(
        "your watchdog gives the lock back: at {} ms, when {} was inside, {} came by itself and "
        "removed the lock; a renewal sets a lease and nothing else, so look at which script it "
        "runs, and at what that does",
        evidence.ms(command.place), command.client, command.name());
  }
  return std::nullopt;
}

Says renewal_deletes(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    if (!last->did("del") || is_beside_a_release(evidence, *last)) continue;
    constexpr long long second = 1'000;
    if (lease_asked_by(*last).value_or(0) >= second) continue;
    return fmt::format(
        "your renewal deleted its own lock: a lease of 0 is over at once, and in whole seconds (as "
        "EXPIRE counts) {} ms are 0",
        lease_asked_by(*last).value_or(0));
  }
  return std::nullopt;
}

Says renewal_sets_no_lease(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    const bool none = hold->end == "expired" && last->said_yes() && last->effects.empty();
    if (!none) continue;
    return fmt::format(
        "your renewal answered yes and set no lease: {} asked at {} ms, and the lock's lease ended "
        "at {} ms all the same; PEXPIRE has to come with the comparison",
        last->client, evidence.ms(last->place), *end_of(evidence, *hold));
  }
  return std::nullopt;
}

Says renewal_skips_the_lease(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  std::map<std::string, std::vector<const Sent*>> skipped;  // by client
  for (const auto* renewal : evidence.renewals()) {
    const auto* before = evidence.held_at(renewal->server, renewal->place);
    const auto* after = evidence.held_at(renewal->server, renewal->answered);
    const bool its_own = before != nullptr && before == after && before->owner == renewal->client;
    const bool sets_none = renewal->is_script() && renewal->number() == 1 &&
                           renewal->effects.empty() && its_own && is_alone(evidence, *renewal);
    // Where a longer one was asked for, none has to be set.
    const auto asked = lease_asked_by(*renewal).value_or(0);
    const auto acquired = evidence.acquired();
    const bool has_longer = std::any_of(acquired.begin(), acquired.end(), [&](const Call* call) {
      return call->client == renewal->client && evidence.lease_of(*call) > asked;
    });
    if (!sets_none || has_longer || is_beside_a_release(evidence, *renewal)) continue;
    auto& all = skipped[renewal->client];
    all.push_back(renewal);
    if (all.size() < 2) continue;
    return fmt::format(
        "your renewal answers yes and sets no lease each time: those of {} at {} and {} ms were "
        "answered 1, and the lock kept the lease that it had; the holder counts a whole one from "
        "when it asked, so it believes in it for longer than the server does: set it whenever the "
        "answer is 1",
        renewal->client, evidence.ms(all.front()->place), evidence.ms(renewal->place));
  }
  return std::nullopt;
}

Says renewal_forgets_the_longest(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    const auto given = lease_asked_by(*last);
    if (hold->end != "expired" || !last->did("expire") || !given) continue;
    const auto lasted = *end_of(evidence, *hold) - evidence.ms(last->place);
    for (const auto* call : evidence.acquired()) {
      const auto asked = call->asked.value("lease_ms", 0LL);
      const bool of_this_hold = call->client == last->client && call->answered > hold->from &&
                                call->answered < last->place;
      const bool left =
          std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](auto& other) {
            return other.name == "release" && other.client == call->client &&
                   call->answered < other.called && other.called < last->place;
          });
      const bool inside =
          of_this_hold && !left && depth_at(evidence, call->client, last->place) > 1;
      if (!inside || asked < 2 * *given || lasted > asked / 2) continue;
      return fmt::format(
          "your renewal forgets who has asked for longer: {} ms were asked for inside the hold of "
          "{}, a renewal set {} ms all the same, and the lock was gone after {} ms; a renewal sets "
          "the longest lease that anybody inside has asked for",
          asked, call->client, *given, lasted);
    }
  }
  return std::nullopt;
}

Says renewal_shortens(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    const auto asked = lease_asked_by(*last);
    if (hold->end != "expired" || !last->did("expire") || !asked) continue;
    const auto lasted = *end_of(evidence, *hold) - evidence.ms(last->place);
    if (lasted >= *asked * 8 / 10) continue;
    return fmt::format(
        "your renewal shortened the lease: it asked for {} ms, and the lock was gone after {} ms; "
        "what is set has to be what was asked for, in milliseconds",
        *asked, lasted);
  }
  return std::nullopt;
}

Says renewal_sets_too_long_a_lease(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness) || evidence.record().empty()) return std::nullopt;
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    const auto asked = lease_asked_by(*last);
    const auto end = end_of(evidence, *hold).value_or(evidence.ms(evidence.record().size() - 1));
    const bool outlasted = asked && end - evidence.ms(last->answered) > 2 * *asked;
    if (!outlasted) continue;
    return fmt::format(
        "your renewal set too long a lease: the last one came at {} ms, for {} ms, and at {} ms "
        "the lock still stood; a lease is set anew and not added to what is left of it, PEXPIRE "
        "counts in milliseconds and EXPIRE in seconds, and PERSIST takes the lease away",
        evidence.ms(last->place), *asked, end);
  }
  return std::nullopt;
}

}  // namespace learning::rules
