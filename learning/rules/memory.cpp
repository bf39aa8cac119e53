// Rules about what a lock remembers of a hold: too much, too little, or too long.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {

Says refused_without_asking(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!call.is("acquire", "contended") || call.key != lock_key) continue;
    if (!evidence.of(call).empty() || was_held_during(evidence, call)) continue;
    if (call.asked.contains("join")) continue;  // a hold that is over cannot be joined
    // On whatever key: who was never let in has nothing to remember.
    const bool was_let_in =
        std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& other) {
          return other.client == call.client && other.is("acquire", "acquired") &&
                 other.answered < call.called;
        });
    return fmt::format(
        "your acquire refused a lock that nobody had, and asked nobody: {} asked from {} to {} ms, "
        "nothing was sent, and the answer was \"contended\"{}",
        call.client, evidence.ms(call.called), evidence.ms(call.answered),
        was_let_in ? "; what the lock remembers of a hold of its own says nothing any more once "
                     "that was given back or is over"
                   : "");
  }
  return std::nullopt;
}

Says forgets_what_it_has(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "not_held") || call.key != lock_key) continue;
    if (!evidence.of(call).empty() || holder_during(evidence, call) != call.client) continue;
    const Call* last = nullptr;  // what its client was asked for before, of taking and giving back
    for (const auto& other : evidence.calls()) {
      const bool asks = other.name == "acquire" || other.name == "release";
      if (asks && other.client == call.client && other.called < call.called) last = &other;
    }
    if (last == nullptr || !last->is("acquire", "acquired")) continue;
    if (thread_of(*last) != thread_of(call)) continue;
    return fmt::format(
        "your lock does not remember what it has: {} was told \"acquired\" at {} ms, and its "
        "release at {} ms sent nothing and answered \"not_held\"; what acquire was given has to be "
        "put where release, remaining() and lost() look for it",
        call.client, evidence.ms(last->answered), evidence.ms(call.called));
  }
  return std::nullopt;
}

Says renews_after_an_unheard_release(const Evidence& evidence) {
  if (!evidence.broke(faults::Property::liveness)) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "unknown") || call.key != lock_key) continue;
    if (depth_at(evidence, call.client, call.called) != 1) continue;  // it may still be inside
    const auto lease = evidence.default_lease(call.client);
    for (const auto* renewal : evidence.renewals()) {
      const bool asked_since =
          std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& other) {
            return other.client == call.client && other.called > call.answered &&
                   other.called < renewal->place;
          });
      if (renewal->client != call.client || !renewal->said_yes() || asked_since) continue;
      // One that was under way may still arrive.
      if (evidence.ms(renewal->place) - evidence.ms(call.answered) < lease) continue;
      return fmt::format(
          "your watchdog goes on after a release that was not answered: {} gave the lock back at "
          "{} ms, was told \"unknown\", and at {} ms the lock was still renewed for it; who gives "
          "back works no more, so release ends the renewal first, and what was not heard ends with "
          "the lease",
          call.client, evidence.ms(call.called), evidence.ms(renewal->place));
    }
  }
  return std::nullopt;
}

Says renews_for_longer_than_asked(const Evidence& evidence) {
  if (!evidence.broke(faults::Property::liveness) || evidence.several_servers()) {
    return std::nullopt;
  }
  for (const auto* renewal : evidence.renewals()) {
    auto longest = evidence.default_lease(renewal->client);
    for (const auto& call : evidence.calls()) {
      const bool asks = call.name == "acquire" && call.key == lock_key;
      if (asks && call.client == renewal->client)
        longest = std::max(longest, evidence.lease_of(call));
    }
    if (is_number(evidence.token_of(renewal->client, renewal->place))) continue;  // which is which?
    const auto lease = lease_asked_by(*renewal).value_or(0);
    if (lease <= 2 * longest || !renewal->did("expire")) continue;
    return fmt::format(
        "your renewal asks for another lease than the lock's: {} took it for {} ms, and at {} ms "
        "it was renewed for {} ms, so what {} leaves behind stays that long; a hold counts with "
        "the lease that acquire asked the server for",
        renewal->client, longest, evidence.ms(renewal->place), lease, renewal->client);
  }
  return std::nullopt;
}

}  // namespace learning::rules
