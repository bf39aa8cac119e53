// Rules about a lease that follows the work: when it is renewed, and when not.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "learning/rules/known_words.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Kind;
using faults::Property;

// When the client of `call` is next asked for the lock, or for its release.
std::size_t next_call_of(const Evidence& evidence, const Call& call) {
  std::size_t next = faults::never;
  for (const auto& other : evidence.calls()) {
    const bool asks = other.client == call.client && other.name != "work";
    if (asks && other.called > call.answered) next = std::min(next, other.called);
  }
  return next;
}

// How far the renewals of one hold are apart, in ms, from its acquire to what its client was asked
// for next.
struct Pace {
  std::size_t renewals = 0;
  long long shortest = std::numeric_limits<long long>::max();
  long long longest = 0;
  long long lease = 0;  // the longest that one asked for
};

Pace pace_of(const Evidence& evidence, const Call& acquired) {
  Pace pace;
  const auto end = next_call_of(evidence, acquired);
  auto before = acquired.answered;
  for (const auto* renewal : evidence.renewals()) {
    const bool of_it = acquired.answered < renewal->place && renewal->place < end;
    if (renewal->client != acquired.client || !of_it) continue;
    const auto apart = evidence.ms(renewal->place) - evidence.ms(before);
    pace.shortest = std::min(pace.shortest, apart);
    pace.longest = std::max(pace.longest, apart);
    pace.lease = std::max(pace.lease, lease_asked_by(*renewal).value_or(0));
    before = renewal->place;
    ++pace.renewals;
  }
  return pace;
}

// Did the client that `release` let go ask for the lock once more before `place`, under the same
// token? Some locks have one for all their holds.
bool asks_again(const Evidence& evidence, const Call& release, const std::string& token,
                std::size_t place) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
    const auto* call = evidence.call_of(command);
    const bool asks = call != nullptr && call->name == "acquire" && call->key == release.key;
    return asks && command.client == release.client && command.token() == token &&
           release.answered < command.place && command.place < place;
  });
}

}  // namespace

Says renews_without_end(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness)) return std::nullopt;
  for (const auto& [hold, last, count, lengthened] : renewed_holds(evidence)) {
    for (const auto& call : evidence.calls()) {
      const bool in_vain = call.is("acquire", "contended") && call.client != hold->owner;
      const auto wait = call.asked.value("wait_ms", 0LL);
      const bool to_the_end =
          wait > 0 && evidence.ms(last->place) > evidence.ms(call.called) + wait / 2;
      if (!in_vain || !to_the_end) continue;
      return fmt::format(
          "your watchdog renews without end: {}'s work hangs, and it was still renewed at {} ms, "
          "{} times by then; past the limit of a hold (max_hold) the lease has to be left to end",
          hold->owner, evidence.ms(last->place), count);
    }
  }
  return std::nullopt;
}

Says renews_a_named_lease(const Evidence& evidence) {
  if (!evidence.broke(Property::liveness)) return std::nullopt;
  for (const auto* hold : evidence.acquired()) {
    if (!hold->asked.contains("lease_ms")) continue;
    for (const auto* renewal : evidence.renewals()) {
      const bool lengthens = renewal->said_yes() && (renewal->did("expire") || renewal->wrote());
      const bool later = renewal->client == hold->client && renewal->place > hold->answered;
      // Of what it was asked for since, another hold may be renewed by right.
      const bool asked_since =
          std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
            return call.client == hold->client && call.name != "work" &&
                   call.called > hold->answered && call.called < renewal->place;
          });
      if (!lengthens || !later || asked_since) continue;
      return fmt::format(
          "your watchdog renews a lease that was named: {} asked for {} ms, and at {} ms that was "
          "renewed; who names a lease wants it to end, renew only where none was named",
          hold->client, hold->asked.value("lease_ms", 0LL), evidence.ms(renewal->place));
    }
  }
  return std::nullopt;
}

Says release_waits_for_renewal(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    if (call.name != "release" || commands.empty() || call.outcome == "released") continue;
    const auto first = commands.front()->place;
    if (evidence.ms(first) - evidence.ms(call.called) < 100) continue;
    for (const auto* renewal : evidence.renewals()) {
      const bool under_way = renewal->place < call.called && call.called < renewal->answered;
      if (renewal->client != call.client || !under_way) continue;
      return fmt::format(
          "your release waits for a renewal that is under way: {} wanted to give the lock back at "
          "{} ms and sent nothing before {} ms, when its lease was over; a renewal names its hold, "
          "so it may arrive late and does no harm",
          call.client, evidence.ms(call.called), evidence.ms(first));
    }
  }
  return std::nullopt;
}

Says stops_renewing(const Evidence& evidence) {
  const bool untold = evidence.judgement.verdict == faults::Verdict::not_exercised;
  const auto renewals = evidence.renewals();
  const bool waited = says(evidence.judgement.why, known::renewals_of);
  if (!untold || !waited || renewals.empty()) return std::nullopt;
  const auto& last = *renewals.back();
  if (last.heard == faults::never) return std::nullopt;  // it may be that which stopped it
  const auto& holds = evidence.trace.holds;
  const bool removed = std::any_of(holds.begin(), holds.end(), [&](const auto& hold) {
    return hold.server == last.server && hold.owner == last.client && hold.end == "del";
  });
  if (last.said_no() && !removed && evidence.held_at(last.server, last.place) == nullptr) {
    return fmt::format(
        "your renewal comes too late: {} sent it at {} ms, when the lock's lease was over; it has "
        "to come well before that, counted from before the lock was asked for",
        last.client, evidence.ms(last.place));
  }
  // One that comes seldom enough to be missed has not stopped.
  const auto silent = evidence.ms(evidence.record().back().number) - evidence.ms(last.place);
  const auto lease =
      std::max(evidence.default_lease(last.client), lease_asked_by(last).value_or(0));
  if (silent < lease) return std::nullopt;
  return fmt::format(
      "your watchdog stops: the last renewal of {} was sent at {} ms, and its work went on; the "
      "lease has to be renewed again and again, until release",
      renewals.back()->client, evidence.ms(renewals.back()->place));
}

Says renews_too_often(const Evidence& evidence) {
  if (!evidence.broke(Property::bounded_renewal) || evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    constexpr std::size_t enough = 3;
    const auto pace = pace_of(evidence, *call);
    const auto lease = evidence.lease_of(*call);
    if (lease <= 0 || pace.renewals < enough || pace.longest > lease / 6) continue;
    return fmt::format(
        "your watchdog renews too often: {} sent {} renewals of one lock, {} ms apart or less, and "
        "its lease lasts {} ms; each one costs the server as much as an acquire, and a third of "
        "the lease is the usual time",
        call->client, pace.renewals, pace.longest, lease);
  }
  return std::nullopt;
}

Says renews_too_late(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  const bool untold = evidence.judgement.verdict == faults::Verdict::not_exercised &&
                      says(evidence.judgement.why, known::renewals_of);
  for (const auto* call : evidence.acquired()) {
    const auto pace = pace_of(evidence, *call);
    const bool seldom = untold && pace.renewals > 1 && pace.shortest > pace.lease * 2 / 5;
    const bool late = pace.shortest > pace.lease * 3 / 4;
    if (pace.lease == 0 || (!late && !seldom)) continue;
    return fmt::format(
        "your watchdog renews too late: {}'s renewals are {} ms apart or more, and its lease lasts "
        "{} ms; {}, so a third of the lease is the usual time",
        call->client, pace.shortest, pace.lease,
        late ? "one whose answer is lost has to be sent again before the lease is over"
             : "there is room for one lost answer at most, and not for two");
  }
  return std::nullopt;
}

Says renews_before_the_answer(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& command : evidence.sent) {
    if (!command.is_script() || command.effects != std::vector<std::string>{"expire"}) continue;
    const auto arguments = command.arguments();
    const auto is_taken_by = [&](const Sent& other) {
      const auto token = other.token();
      return other.client == command.client && other.key() == command.key() && other.wrote() &&
             other.place < command.place && command.place < other.heard && !token.empty() &&
             std::find(arguments.begin(), arguments.end(), token) != arguments.end();
    };
    for (const auto& taking : evidence.sent) {
      const auto* call = evidence.call_of(taking);
      if (!is_taken_by(taking) || call == nullptr || call->name != "acquire") continue;
      // Who is inside already is renewed by right.
      if (depth_at(evidence, call->client, call->called) > 0) continue;
      // Whose answer is lost may ask again under the same token, as long as the call lasts, and is
      // renewed if that lets it in. A script that may come twice only lengthens the second time.
      const bool within = command.place < call->answered;
      const bool asks_again = within && taking.heard == faults::never;
      const bool comes_twice = taking.is_script() && taking.script() == command.script();
      if (asks_again || comes_twice) continue;
      // Who has heard nothing may ask whether it has it: that ends soon after the call.
      if (!within && (call->outcome == "acquired" || !command.renews)) continue;
      return fmt::format(
          "your watchdog renews what nobody was given: {} asked for the lock at {} ms, its answer "
          "had not come, and at {} ms the lease was renewed all the same; if that answer is lost, "
          "nobody works under the lock, and it is kept from everybody: watch it once the answer "
          "says yes",
          command.client, evidence.ms(taking.place), evidence.ms(command.place));
    }
  }
  return std::nullopt;
}

Says renews_after_release(const Evidence& evidence) {
  for (const auto* renewal : evidence.renewals()) {
    const auto arguments = renewal->arguments();
    for (const auto& call : evidence.calls()) {
      const bool over = call.is("release", "released") && call.client == renewal->client &&
                        call.answered < renewal->place;
      const auto token = evidence.token_of(call.client, call.called);
      const bool names_it = std::find(arguments.begin(), arguments.end(), token) != arguments.end();
      if (!over || call.key != lock_key || token.empty() || !names_it) continue;
      if (asks_again(evidence, call, token, renewal->place)) continue;
      // Somebody else of the same client is still inside: he joined, or entered before.
      if (depth_at(evidence, call.client, call.answered) > 1) continue;
      return fmt::format(
          "your watchdog goes on after unlock: {} gave the lock back at {} ms, and at {} ms a "
          "renewal of that hold was sent; release has to end the renewal, whatever comes of it",
          call.client, evidence.ms(call.answered), evidence.ms(renewal->place));
    }
  }
  return std::nullopt;
}

Says renews_what_was_let_go(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!call.is("let_go", "let go")) continue;
    std::map<std::string, int> rounds;  // by server
    for (const auto* renewal : evidence.renewals()) {
      const bool of_it = renewal->client == call.client && renewal->key() == call.key;
      // The first at each server may have been under way.
      if (!of_it || renewal->place < call.answered || ++rounds[renewal->server] < 2) continue;
      return fmt::format(
          "your watchdog outlives the lock: the lock object of {} was gone at {} ms, and at {} ms "
          "its hold was still renewed; a hold that nobody can give back any more has to end with "
          "its lease, so the destructor has the watchdog forget what is left",
          call.client, evidence.ms(call.answered), evidence.ms(renewal->place));
    }
  }
  return std::nullopt;
}

Says never_renews(const Evidence& evidence) {
  const bool untold = evidence.judgement.verdict == faults::Verdict::not_exercised;
  const bool waited = evidence.judgement.why.starts_with(known::waited);
  if (!untold || !waited || !evidence.renewals().empty()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    if (call->asked.contains("lease_ms")) continue;
    return fmt::format(
        "your lock renews nothing: {} took it at {} ms without naming a lease of its own, and no "
        "renewal was sent before that was over; a hold is renewed only if the watchdog watches it, "
        "and says how, and well before its lease ends",
        call->client, evidence.ms(call->answered));
  }
  return std::nullopt;
}

Says gives_up_after_a_lost_reply(const Evidence& evidence) {
  const auto lost =
      std::find_if(evidence.record().begin(), evidence.record().end(), [](const auto& e) {
        return e.kind == Kind::fault && e.text("what") == faults::fault::reset;
      });
  const auto renewals = evidence.renewals();
  if (lost == evidence.record().end() || renewals.empty()) return std::nullopt;
  const auto& last = *renewals.back();
  const bool goes_on = last.place > lost->number;
  // The reply is seen on its way, and lost right there.
  const bool was_renewal = last.answered == faults::never || last.answered + 1 == lost->number;
  if (goes_on || !was_renewal || last.client != lost->process) return std::nullopt;
  return fmt::format(
      "your watchdog sent no renewal after the one at {} ms, whose answer never came: renewals "
      "have to go on, and one whose fate is unknown is asked for again, until the holder's own "
      "lease is over",
      evidence.ms(last.place));
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
