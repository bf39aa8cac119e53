// Rules about what a renewal does.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning::rules {
namespace {

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

// When it ended, in ms; nothing if it did not.
std::optional<long long> end_of(const Evidence& evidence, const faults::ServerHold& hold) {
  if (hold.to == faults::never) return std::nullopt;
  return evidence.ms(evidence.story.events[hold.to].number);
}

// Is its client told to stop before it sends that?
bool is_stopped(const Evidence& evidence, const Sent& command) {
  return std::any_of(evidence.record.begin(), evidence.record.end(), [&](const auto& event) {
    const bool bye = event.kind == faults::Kind::call && event.text("op") == "bye";
    const bool told =
        event.kind == faults::Kind::fault && event.text("what") == faults::fault::terminated;
    return event.lane == command.lane && event.number < command.place && (bye || told);
  });
}

// Was it under way at the same time as a release of its client, which may have done what it seems
// to have done?
bool is_beside_a_release(const Evidence& evidence, const Sent& renewal) {
  return std::any_of(evidence.calls.begin(), evidence.calls.end(), [&](const Call& call) {
    return call.name == "release" && call.lane == renewal.lane && call.called < renewal.answered &&
           renewal.place < call.answered;
  });
}

// Was somebody let in while it was under way? Then the key may be of his making.
bool comes_beside_a_yes(const Evidence& evidence, const Sent& renewal) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
    const auto* call = evidence.call_of(other);
    return call != nullptr && call->name == "acquire" && other.said_yes() &&
           other.server == renewal.server && other.place < renewal.answered &&
           renewal.place < other.answered;
  });
}

}  // namespace

Says checks_then_renews(const Evidence& evidence) {
  const auto* renewal = renewal_of_a_strangers(evidence);
  if (renewal == nullptr || renewal->is_script()) return std::nullopt;
  const auto* look = before(evidence, *renewal);
  if (look == nullptr || !look->name().ends_with("GET")) return std::nullopt;
  return fmt::format(
      "your watchdog renewed {}'s lock: {} said that the lock was its own, and until {} came it "
      "was not any more; the comparison and the renewal have to be one step",
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
  // One of several that has missed a hold is told of it later.
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* renewal : evidence.renewals()) {
    const bool writes = renewal->did("set") || renewal->did("hset");
    const auto* hold = evidence.held_at(renewal->server, renewal->place);
    if (!writes || hold != nullptr || comes_beside_a_yes(evidence, *renewal)) continue;
    return "your watchdog brought back a lock that was gone: its renewal makes the key if it is "
           "not there, and then nobody gives that back; a renewal may only lengthen what it finds";
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

Says renewal_is_refused(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  // One is what a server answers that has forgotten the script.
  std::map<std::string, std::size_t> errors;  // in a row, by client
  for (const auto* renewal : evidence.renewals()) {
    auto& count = errors[renewal->lane];
    count = renewal->was_refused() ? count + 1 : 0;
    if (count < 2) continue;
    return fmt::format(
        "your renewal is refused: {}'s {} was answered with an error again and again ({}), so it "
        "renews nothing; look at what its commands are given",
        renewal->lane, renewal->name(), renewal->reply);
  }
  return std::nullopt;
}

Says renewal_gives_back(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& command : evidence.sent) {
    const bool by_itself = !command.call && command.key() == lock_key && command.did("del");
    if (!by_itself || is_stopped(evidence, command)) continue;
    const auto* hold = evidence.held_at(command.server, command.place);
    if (hold == nullptr || hold->owner != command.lane) continue;
    // Work that is left early gives the lock back.
    const bool is_left =
        std::any_of(evidence.calls.begin(), evidence.calls.end(), [&](const Call& call) {
          return call.lane == command.lane && call.name == "work" && call.outcome != "done" &&
                 call.called < command.place && command.place < call.answered;
        });
    if (is_left || depth_at(evidence, command.lane, command.place) == 0) continue;
    return fmt::format(
        "your watchdog gives the lock back: at {} ms, when {} was inside, {} came by itself and "
        "removed the lock; a renewal sets a lease and nothing else, so look at which script it "
        "runs, and at what that does",
        evidence.ms(command.place), command.lane, command.name());
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

Says renewal_refuses_its_own(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* renewal : evidence.renewals()) {
    const auto* before = evidence.held_at(renewal->server, renewal->place);
    const auto* after = evidence.held_at(renewal->server, renewal->answered);
    const bool its_own = before != nullptr && before == after && before->owner == renewal->lane;
    const bool in_vain = renewal->effects.empty() && renewal->said_no() && renewal->is_script();
    if (!its_own || !in_vain || is_beside_a_release(evidence, *renewal)) continue;
    // One of an older hold is told no, and rightly.
    const auto arguments = renewal->arguments();
    const auto token = evidence.token_of(renewal->lane, renewal->place);
    if (std::find(arguments.begin(), arguments.end(), token) == arguments.end()) continue;
    return fmt::format(
        "your renewal does not know its own lock: at {} ms the lock was {}'s, and {} answered {} "
        "and set no lease; look at what it compares with what, and at the conditions of PEXPIRE",
        evidence.ms(renewal->place), renewal->lane, renewal->name(), renewal->reply);
  }
  return std::nullopt;
}

Says renews_another_key(const Evidence& evidence) {
  const auto is_asked_for = [&](const std::string& key) {
    return std::any_of(evidence.calls.begin(), evidence.calls.end(),
                       [&](const Call& call) { return call.key == key; });
  };
  const auto renews_the_lock = [&](const std::string& lane) {
    const auto renewals = evidence.renewals();
    return std::any_of(renewals.begin(), renewals.end(),
                       [&](const Sent* renewal) { return renewal->lane == lane; });
  };
  for (const auto& command : evidence.sent) {
    const bool by_itself = !command.call && (command.is_script() || only_leases(command));
    if (!by_itself || is_asked_for(command.key())) continue;
    if (command.key().empty() && command.arguments().empty()) continue;  // it names none
    // Who is being stopped gives back, and who renews the lock has other things to do besides.
    if (is_stopped(evidence, command) || renews_the_lock(command.lane)) continue;
    return fmt::format(
        "your watchdog renews another key than the lock's: {} was sent for {}, and the lock's key "
        "is {}",
        command.name(),
        command.key().empty() ? "an empty one, such as a string that was moved away"
                              : command.key(),
        lock_key);
  }
  return std::nullopt;
}

Says renewal_says_no(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    // What is not 1 says nothing, unless it was taken for a no.
    const bool says_nothing = last->number() != 1 && !last->was_refused() && !last->reply.empty();
    const bool taken_for_no =
        says_nothing && std::any_of(evidence.record.begin(), evidence.record.end(),
                                    [&](const faults::Event& event) {
                                      return event.is(faults::Kind::told, last->lane);
                                    });
    if (!lengthened || !(last->said_no() || taken_for_no)) continue;
    return fmt::format(
        "your renewal set the lease and answered {}, which {}, so {} was told so; it has to answer "
        "1 when it has renewed, as PEXPIRE does",
        last->reply,
        last->said_no() ? "says that the lock is lost" : "is not 1 and counts as a lost lock",
        last->lane);
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
        last->lane, evidence.ms(last->place), *end_of(evidence, *hold));
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
      const bool of_this_hold = call->lane == last->lane &&
                                call->answered > evidence.story.events[hold->from].number &&
                                call->answered < last->place;
      const bool left = std::any_of(evidence.calls.begin(), evidence.calls.end(), [&](auto& other) {
        return other.name == "release" && other.lane == call->lane &&
               call->answered < other.called && other.called < last->place;
      });
      const bool inside = of_this_hold && !left && depth_at(evidence, call->lane, last->place) > 1;
      if (!inside || asked < 2 * *given || lasted > asked / 2) continue;
      return fmt::format(
          "your renewal forgets who has asked for longer: {} ms were asked for inside the hold of "
          "{}, a renewal set {} ms all the same, and the lock was gone after {} ms; a renewal sets "
          "the longest lease that anybody inside has asked for",
          asked, call->lane, *given, lasted);
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
  if (!evidence.broke(Property::liveness) || evidence.record.empty()) return std::nullopt;
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    const auto asked = lease_asked_by(*last);
    const auto end = end_of(evidence, *hold).value_or(evidence.ms(evidence.record.size() - 1));
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
