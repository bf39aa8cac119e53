// Rules about a hold that is handed on.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// The acquire by which the client of `call` is inside; null: it is not.
const Call* last_acquired_before(const Evidence& evidence, const Call& call) {
  const Call* last = nullptr;
  if (depth_at(evidence, call.client, call.called) <= 0) return last;
  for (const auto* other : evidence.acquired()) {
    if (other->client == call.client && other->answered < call.called) last = other;
  }
  return last;
}

// Does `call` join the hold that `inside` was given? Of one without a token that is not known.
bool is_its_token(const Call& inside, const Call& call) {
  const auto token = inside.answer.value("token", std::string{});
  return token.empty() || token == call.asked.value("join", std::string{});
}

// Has another thread of the same client been let in before `release`?
bool another_thread_came_in(const Evidence& evidence, const Call& release) {
  const auto acquired = evidence.acquired();
  return std::any_of(acquired.begin(), acquired.end(), [&](const Call* call) {
    return call->client == release.client && call->answered < release.called &&
           thread_of(*call) != thread_of(release);
  });
}

// Did another thread of the same client send the very same words when it gave back its level?
bool is_said_by_another_too(const Evidence& evidence, const Sent& removal, const Call& release) {
  return std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& other) {
    const auto* call = evidence.call_of(other);
    return call != nullptr && call->name == "release" && call->client == release.client &&
           thread_of(*call) != thread_of(release) && other.words == removal.words;
  });
}

// Did `release` remove it only on servers that had lost it before and were given it back, and leave
// it on one that never lost it?
bool only_where_it_was_given_back(const Evidence& evidence, const Call& release) {
  const auto sent = evidence.of(release);
  const auto had_lost_it = [&](const Sent* command) {
    return count_faults(evidence, faults::fault::removed, 0, release.called, command->server) > 0;
  };
  return std::all_of(sent.begin(), sent.end(), [&](const Sent* command) {
    return command->did("del") == had_lost_it(command);
  });
}

const faults::Event* told_of_a_loss_during(const Evidence& evidence, const Call& call) {
  for (const auto& event : evidence.record()) {
    const bool told = event.is(faults::Kind::told, call.client) && event.text("event") == "lost";
    if (told && call.called < event.number && event.number < call.answered) return &event;
  }
  return nullptr;
}

// Does `lane` hold a majority of the servers at `place`?
bool has_a_majority_at(const Evidence& evidence, const std::string& lane, std::size_t place) {
  const auto held = evidence.trace.count_nodes([&](const auto& hold) {
    return hold.owner == lane && evidence.held_at(hold.server, place) == &hold;
  });
  return held >= evidence.trace.majority();
}

// Was the hold that `giver` was given released before `call`, and its token not given anew since?
bool is_over_before(const Evidence& evidence, const Call& giver, const Call& call) {
  const bool released =
      std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& other) {
        return other.is("release", "released") && other.client == giver.client &&
               other.key == lock_key && giver.answered < other.called &&
               other.answered < call.called;
      });
  const auto acquired = evidence.acquired();
  return released && std::none_of(acquired.begin(), acquired.end(), [&](const Call* other) {
           return giver.answered < other->called && other->answered < call.called &&
                  other->answer.value("token", std::string{}) ==
                      giver.answer.value("token", std::string{});
         });
}

}  // namespace

Says leaves_for_everybody(const Evidence& evidence) {
  for (const auto& removal : evidence.sent) {
    const auto* release = evidence.call_of(removal);
    if (release == nullptr || release->name != "release" || !removal.did("del")) continue;
    for (const auto& call : evidence.calls()) {
      const bool joined = call.is("acquire", "acquired") && call.asked.contains("join");
      if (!joined || call.client != release->client || call.answered > release->called) continue;
      if (!another_thread_came_in(evidence, *release)) continue;  // who joins its own goes deeper
      // The level of its own, and that of who joined.
      if (depth_at(evidence, call.client, release->called) < 2) continue;
      return fmt::format(
          "your release freed the lock for everybody inside: a thread of {} gave back its own "
          "level, and another one, which had joined, was still there; the key goes with the last "
          "one who leaves{}{}",
          call.client,
          only_where_it_was_given_back(evidence, *release)
              ? "; it went only on the servers that had lost it and were given it back by a "
                "renewal: that has to write every field that your release counts on"
              : "",
          is_said_by_another_too(evidence, removal, *release)
              ? ", and the two threads said the very same when they gave back, so the server "
                "cannot tell who that is: who is inside is a process and a thread in it"
              : "");
    }
  }
  return std::nullopt;
}

Says join_is_refused(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool joins = call.asked.contains("join") && call.key == lock_key;
    if (!joins || !call.is("acquire", "contended") || !stands_for(evidence, call)) continue;
    return fmt::format(
        "your join was refused while its hold stood: another thread of {} had the lock and handed "
        "on its token, and who came with that at {} ms was answered \"contended\"; by its token a "
        "hold is entered as by who has it",
        call.client, evidence.ms(call.called));
  }
  return std::nullopt;
}

Says joins_what_is_over(const Evidence& evidence) {
  const auto& holds = evidence.trace.holds;
  for (const auto* call : evidence.acquired()) {
    if (!call->asked.contains("join")) continue;
    const bool held = std::any_of(holds.begin(), holds.end(), [&](const auto& hold) {
      return evidence.held_at(hold.server, call->called) != nullptr;
    });
    if (held) continue;
    return fmt::format(
        "your join entered a hold that was over: nobody had the lock when {} came with its token "
        "at {} ms; others may have been inside since, so what is joined has to be there",
        call->client, evidence.ms(call->called));
  }
  return std::nullopt;
}

Says joins_by_an_old_token(const Evidence& evidence) {
  const auto acquired = evidence.acquired();
  for (const auto* call : acquired) {
    const auto token = call->asked.value("join", std::string{});
    if (token.empty()) continue;
    const auto is_over = [&](const Call* giver) {
      return giver->answer.value("token", std::string{}) == token &&
             is_over_before(evidence, *giver, *call);
    };
    if (!std::any_of(acquired.begin(), acquired.end(), is_over)) continue;
    return fmt::format(
        "your join let in who came with a token that was over: the hold that it names had been "
        "given back, and {} was answered \"acquired\" at {} ms; a token is for its own hold, also "
        "where somebody is inside another one, so compare it with that of the hold that is there",
        call->client, evidence.ms(call->answered));
  }
  return std::nullopt;
}

Says refused_join_ends_the_hold(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool joins = call.asked.contains("join") && call.key == lock_key;
    if (!joins || !call.is("acquire", "contended")) continue;
    const auto* inside = last_acquired_before(evidence, call);
    if (inside == nullptr || is_its_token(*inside, call)) continue;
    const auto* told = told_of_a_loss_during(evidence, call);
    if (told == nullptr || !has_a_majority_at(evidence, call.client, told->number)) continue;
    // Its own clock may end it before the server does, but not so soon.
    const auto age = evidence.ms(told->number) - evidence.ms(inside->called);
    if (age > inside->asked.value("lease_ms", 0LL) / 2) continue;
    return fmt::format(
        "your join ended a hold that it was not about: {} was inside, came with the token of "
        "another hold at {} ms and was refused, and was told that its own was lost, which the "
        "server still has for it; compare the token with that of the hold inside before you take a "
        "refusal for the end of that",
        call.client, evidence.ms(call.called));
  }
  return std::nullopt;
}

}  // namespace learning::rules
