// Rules about a lease that follows the work.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules.h"

namespace learning::rules {
namespace {

using faults::Kind;
using faults::Property;

// A renewal that changed a lock which was another client's.
const Sent* renewal_of_a_strangers(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    if (!renewal->did("expire")) continue;
    const auto* hold = evidence.held_at(renewal->server, renewal->answered);
    if (hold == nullptr || hold->owner.empty() || hold->owner == renewal->lane) continue;
    return renewal;
  }
  return nullptr;
}

// The renewal of the same client before `renewal`.
const Sent* before(const Evidence& evidence, const Sent& renewal) {
  const Sent* last = nullptr;
  for (const auto* other : evidence.renewals()) {
    if (other->lane == renewal.lane && other->place < renewal.place) last = other;
  }
  return last;
}

std::string owner_of(const Evidence& evidence, const Sent& renewal) {
  return evidence.held_at(renewal.server, renewal.answered)->owner;
}

bool was_told(const Evidence& evidence, const std::string& lane) {
  return std::any_of(evidence.record.begin(), evidence.record.end(),
                     [&](const faults::Event& event) { return event.is(Kind::told, lane); });
}

}  // namespace

Says checks_then_renews(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || renewal->is_script()) return std::nullopt;
  const auto* look = before(evidence, *renewal);
  if (look == nullptr || !look->name().ends_with("GET")) return std::nullopt;
  return fmt::format(
      "your watchdog renewed {}'s lock: {} said that the lock was its own, and until {} came it "
      "was "
      "not any more; the comparison and the renewal have to be one step",
      owner_of(evidence, *renewal), look->name(), renewal->name());
}

Says renews_with_set_xx(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || renewal->name() != "SET") return std::nullopt;
  return fmt::format(
      "your watchdog wrote over {}'s lock: SET XX asks whether the key is there, not whose it is, "
      "and puts your token into a lock that was somebody else's",
      owner_of(evidence, *renewal));
}

Says renewal_writes_the_key(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || (!renewal->did("set") && !renewal->did("hset"))) return std::nullopt;
  return fmt::format(
      "your watchdog took {}'s lock away: its renewal writes the key again instead of its lease "
      "alone, so a hold that is over comes back, over whoever has the lock now",
      owner_of(evidence, *renewal));
}

Says renews_whatever_is_there(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr) return std::nullopt;
  return fmt::format(
      "your watchdog renewed a lock that was {}'s: the renewal ({}) sets the lease of whatever is "
      "there, and its comparison with the token, if there is one, holds nothing up",
      owner_of(evidence, *renewal), renewal->name());
}

Says renewal_brings_it_back(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    const bool writes = renewal->did("set") || renewal->did("hset");
    const auto* hold = evidence.held_at(renewal->server, renewal->place);
    if (!writes || hold != nullptr) continue;
    return "your watchdog brought back a lock that was gone: its renewal makes the key if it is "
           "not "
           "there, and then nobody gives that back; a renewal may only lengthen what it finds";
  }
  return std::nullopt;
}

Says renewal_says_yes_to_all(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    const auto* hold = evidence.held_at(renewal->server, renewal->place);
    const bool is_its_own = hold != nullptr && hold->owner == renewal->lane;
    if (is_its_own || !renewal->said_yes() || !renewal->effects.empty()) continue;
    return fmt::format(
        "your renewal answered yes ({}) when the lock was gone and there was nothing to renew, so "
        "nobody told {} that it had lost it; the answer has to be that of the comparison",
        renewal->reply, renewal->lane);
  }
  return std::nullopt;
}

Says renews_after_release(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    const auto arguments = renewal->arguments();
    for (const auto& call : evidence.calls) {
      const bool over = call.is("release", "released") && call.lane == renewal->lane &&
                        call.answered < renewal->place;
      const auto token = evidence.token_of(call.lane, call.called);
      const bool names_it = std::find(arguments.begin(), arguments.end(), token) != arguments.end();
      if (!over || call.key != "lock" || token.empty() || !names_it) continue;
      return fmt::format(
          "your watchdog goes on after unlock: {} gave the lock back at {} ms, and at {} ms a "
          "renewal of that hold was sent; release has to end the renewal, whatever comes of it",
          call.lane, evidence.ms(call.answered), evidence.ms(renewal->place));
    }
  }
  return std::nullopt;
}

Says never_renews(const Evidence& evidence) {
  const bool untold = evidence.judgement.verdict == faults::Verdict::not_exercised;
  const bool waited = evidence.judgement.why.starts_with("waited for");
  if (!untold || !waited || !evidence.renewals().empty()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    if (call->asked.contains("lease_ms")) continue;
    return fmt::format(
        "your lock renews nothing: {} took it at {} ms without naming a lease of its own, and no "
        "renewal was ever sent; a hold is renewed only if the watchdog watches it",
        call->lane, evidence.ms(call->answered));
  }
  return std::nullopt;
}

Says gives_up_after_a_lost_reply(const Evidence& evidence) {
  const auto lost = std::find_if(evidence.record.begin(), evidence.record.end(), [](const auto& e) {
    return e.kind == Kind::fault && e.text("what") == faults::fault::reset;
  });
  const auto renewals = evidence.renewals();
  if (lost == evidence.record.end() || renewals.empty()) return std::nullopt;
  const bool goes_on = renewals.back()->place > lost->number;
  const bool was_renewal = renewals.back()->answered == faults::never;
  if (goes_on || !was_renewal) return std::nullopt;
  return "your watchdog gave up after one answer that never came: a renewal whose fate is unknown "
         "has to be asked for again, until the holder's own lease is over";
}

Says work_outlives_lease(const Evidence& evidence) {
  if (!evidence.broke(Property::mutual_exclusion) || evidence.several_servers())
    return std::nullopt;
  for (const auto& hold : evidence.story.holds) {
    if (hold.end != "expired" || hold.owner.empty()) continue;
    const auto end = evidence.story.events[hold.to].number;
    const bool at_work = std::any_of(evidence.calls.begin(), evidence.calls.end(), [&](auto& call) {
      return call.name == "work" && call.lane == hold.owner && call.called < end &&
             end < call.answered;
    });
    const auto renewals = evidence.renewals();
    const auto renewed = std::any_of(renewals.begin(), renewals.end(), [&](const Sent* renewal) {
      return renewal->lane == hold.owner && renewal->said_yes();
    });
    if (!at_work || renewed) continue;
    return fmt::format(
        "your lease ended at {} ms while {} was still at work: nothing renewed it, and nobody told "
        "its holder, who wrote all the same",
        evidence.ms(end), hold.owner);
  }
  return std::nullopt;
}

Says never_told(const Evidence& evidence) {
  if (!evidence.broke(Property::holder_was_told)) return std::nullopt;
  for (const auto& hold : evidence.story.holds) {
    if (hold.end != "expired" || hold.owner.empty() || was_told(evidence, hold.owner)) continue;
    return fmt::format(
        "your lock lost its lease at {} ms and told nobody: {} worked on; lost() has to fire when "
        "the lease is over by the holder's own clock, with no word from the server",
        evidence.ms(evidence.story.events[hold.to].number), hold.owner);
  }
  return "your lock told its holder of the loss after the server had freed the lock: the holder's "
         "own deadline has to fall before the server's, so it counts from before the request";
}

Says lease_counted_from_reply(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto commands = evidence.of(*call);
    const auto asked = call->asked.value("lease_ms", 0LL);
    if (commands.empty() || asked == 0 || call->asked.value("wait_ms", 0LL) > 0) continue;
    const auto took = evidence.ms(call->answered) - evidence.ms(commands.front()->place);
    if (took < asked) continue;
    return fmt::format(
        "your acquire said yes {} ms after it had asked for a lease of {} ms: the lease runs from "
        "when the server got the command, so it has to be counted from before that was sent, and "
        "not from the answers",
        took, asked);
  }
  return std::nullopt;
}

}  // namespace learning::rules
