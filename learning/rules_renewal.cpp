// Rules about a lease that follows the work.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

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

// The lease that a renewal asks for: its greatest argument.
std::optional<long long> lease_asked_by(const Sent& renewal) {
  std::optional<long long> lease;
  for (const auto& word : renewal.arguments()) {
    const bool is_number =
        std::all_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_number && !word.empty() && word.size() < 10) lease = std::max(lease, {std::stoll(word)});
  }
  return lease;
}

// Was it under way at the same time as a release of its client, which may have done what it seems
// to have done?
bool is_beside_a_release(const Evidence& evidence, const Sent& renewal) {
  return std::any_of(evidence.calls.begin(), evidence.calls.end(), [&](const Call& call) {
    return call.name == "release" && call.lane == renewal.lane && call.called < renewal.answered &&
           renewal.place < call.answered;
  });
}

// A hold, and the last renewal of it before it ended, or before the end of the story.
struct Renewed {
  const faults::ServerHold* hold = nullptr;
  const Sent* last = nullptr;
  std::size_t count = 0;
  bool lengthened = true;  // did each of them set a lease?
};

std::vector<Renewed> renewed_holds(const Evidence& evidence) {
  std::vector<Renewed> found;
  if (evidence.several_servers()) return found;
  for (const auto& hold : evidence.story.holds) {
    Renewed renewed{.hold = &hold};
    for (const auto* renewal : evidence.renewals()) {
      if (renewal->lane != hold.owner || renewal->name().ends_with("GET")) continue;
      if (evidence.held_at("redis", renewal->place) != &hold) continue;
      renewed.last = renewal;
      ++renewed.count;
      renewed.lengthened = renewed.lengthened && renewal->did("expire");
    }
    if (renewed.last != nullptr && renewed.last->answered != faults::never)
      found.push_back(renewed);
  }
  return found;
}

// When it ended, in ms; nothing if it did not.
std::optional<long long> end_of(const Evidence& evidence, const faults::ServerHold& hold) {
  if (hold.to == faults::never) return std::nullopt;
  return evidence.ms(evidence.story.events[hold.to].number);
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
  // One of several that has missed a hold is told of it later.
  if (evidence.several_servers()) return std::nullopt;
  for (const auto* renewal : evidence.renewals()) {
    const bool writes = renewal->did("set") || renewal->did("hset");
    const auto* hold = evidence.held_at(renewal->server, renewal->place);
    if (!writes || hold != nullptr) continue;
    // A minority that lost it may be given it again.
    const auto still_held = evidence.story.count_nodes([&](const faults::ServerHold& other) {
      return other.owner == renewal->lane && other.from < renewal->place &&
             renewal->place < other.to;
    });
    if (still_held >= evidence.story.majority()) continue;
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

Says renewal_is_refused(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  // One is what a server answers that has forgotten the script.
  std::map<std::string, std::size_t> errors;  // in a row, by client
  for (const auto* renewal : evidence.renewals()) {
    auto& count = errors[renewal->lane];
    count = renewal->reply.starts_with("erro") ? count + 1 : 0;
    if (count < 2) continue;
    return fmt::format(
        "your renewal is refused: {}'s {} was answered with an error again and again, so it renews "
        "nothing; look at what its commands are given",
        renewal->lane, renewal->name());
  }
  return std::nullopt;
}

Says renewal_deletes(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    if (!last->did("del") || is_beside_a_release(evidence, *last)) continue;
    return fmt::format(
        "your renewal deleted its own lock: a lease of 0 is over at once, and in whole seconds (as "
        "EXPIRE counts) {} ms are 0",
        lease_asked_by(*last).value_or(0));
  }
  return std::nullopt;
}

Says renewal_says_no(const Evidence& evidence) {
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    if (!lengthened || !last->said_no()) continue;
    return fmt::format(
        "your renewal set the lease and answered {}, which says that the lock is lost, so {} was "
        "told so; it has to answer 1 when it has renewed, as PEXPIRE does",
        last->reply, last->lane);
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
        "your renewal set a lease that does not end: the last one came at {} ms, for {} ms, and at "
        "{} ms the lock still stood; EXPIRE counts in seconds, PEXPIRE in milliseconds, and "
        "PERSIST "
        "takes the lease away",
        evidence.ms(last->place), *asked, end);
  }
  return std::nullopt;
}

Says renews_without_end(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness)) return std::nullopt;
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    for (const auto& call : evidence.calls) {
      const bool in_vain = call.is("acquire", "contended") && call.lane != hold->owner;
      const auto wait = call.asked.value("wait_ms", 0LL);
      const bool to_the_end =
          wait > 0 && evidence.ms(last->place) > evidence.ms(call.called) + wait / 2;
      if (!in_vain || !to_the_end) continue;
      return fmt::format(
          "your watchdog renews without end: {}'s work hangs, and it was still renewed at {} ms, "
          "for the {}th time; past the limit of a hold (max_hold) the lease has to be left to end",
          hold->owner, evidence.ms(last->place), count);
    }
  }
  return std::nullopt;
}

Says release_waits_for_renewal(const Evidence& evidence) {
  for (const auto& call : evidence.calls) {
    const auto commands = evidence.of(call);
    if (call.name != "release" || commands.empty() || call.outcome == "released") continue;
    const auto first = commands.front()->place;
    if (evidence.ms(first) - evidence.ms(call.called) < 100) continue;
    for (const auto* renewal : evidence.renewals()) {
      const bool under_way = renewal->place < call.called && call.called < renewal->answered;
      if (renewal->lane != call.lane || !under_way) continue;
      return fmt::format(
          "your release waits for a renewal that is under way: {} wanted to give the lock back at "
          "{} ms and sent nothing before {} ms, when its lease was over; a renewal names its hold, "
          "so it may arrive late and does no harm",
          call.lane, evidence.ms(call.called), evidence.ms(first));
    }
  }
  return std::nullopt;
}

Says stops_renewing(const Evidence& evidence) {
  const bool untold = evidence.judgement.verdict == faults::Verdict::not_exercised;
  const auto renewals = evidence.renewals();
  const bool waited = evidence.judgement.why.find("renewals of") != std::string::npos;
  if (!untold || !waited || renewals.empty()) return std::nullopt;
  const auto& last = *renewals.back();
  if (last.said_no() && evidence.held_at(last.server, last.place) == nullptr) {
    return fmt::format(
        "your renewal comes too late: {} sent it at {} ms, when the lock's lease was over; it has "
        "to come well before that, counted from before the lock was asked for",
        last.lane, evidence.ms(last.place));
  }
  return fmt::format(
      "your watchdog stops: the last renewal of {} was sent at {} ms, and its work went on; the "
      "lease has to be renewed again and again, until release",
      renewals.back()->lane, evidence.ms(renewals.back()->place));
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
  const bool waited = evidence.judgement.why.starts_with("waited");
  if (!untold || !waited || !evidence.renewals().empty()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    if (call->asked.contains("lease_ms")) continue;
    return fmt::format(
        "your lock renews nothing: {} took it at {} ms without naming a lease of its own, and no "
        "renewal was sent before that was over; a hold is renewed only if the watchdog watches it, "
        "and says how, and well before its lease ends",
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
  const auto& last = *renewals.back();
  const bool goes_on = last.place > lost->number;
  // The reply is seen on its way, and lost right there.
  const bool was_renewal = last.answered == faults::never || last.answered + 1 == lost->number;
  if (goes_on || !was_renewal || last.lane != lost->lane) return std::nullopt;
  return fmt::format(
      "your watchdog sent no renewal after the one at {} ms, whose answer never came: renewals "
      "have "
      "to go on, and one whose fate is unknown is asked for again, until the holder's own lease is "
      "over",
      evidence.ms(last.place));
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
