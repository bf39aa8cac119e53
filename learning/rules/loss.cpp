// Rules about a holder whose lease ends: whether it is told, and whether it heeds that.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Kind;
using faults::Property;

// Is it word that the lock is lost?
bool is_word(const faults::Event& event) {
  return event.kind == Kind::told && event.text("event") == "lost" && !event.is_of_another_key();
}

bool was_told(const Evidence& evidence, const std::string& lane) {
  return std::any_of(
      evidence.record().begin(), evidence.record().end(),
      [&](const faults::Event& event) { return event.process == lane && is_word(event); });
}

// On how many servers the lock was the client's, from the beginning of `work` until it gave it
// back.
std::size_t servers_that_held(const Evidence& evidence, const Call& work) {
  return evidence.trace.count_nodes([&](const faults::ServerHold& hold) {
    if (hold.owner != work.client || evidence.held_at(hold.server, work.called) != &hold)
      return false;
    const bool stays = hold.to == faults::never || hold.to > work.answered;
    return stays || (hold.end == "del" && hold.ended_by == work.client);
  });
}

// When the lease of each client's hold was over, where one ran out: on a majority of the servers.
std::map<std::string, std::size_t> ends_of_leases(const Evidence& evidence) {
  std::map<std::string, std::map<std::string, std::size_t>> expired;  // the last of each server
  for (const auto& hold : evidence.trace.holds) {
    if (hold.end != "expired" || hold.owner.empty()) continue;
    auto& last = expired[hold.owner][hold.server];
    last = std::max(last, hold.to);
  }
  std::map<std::string, std::size_t> ends;
  for (const auto& [owner, by_server] : expired) {
    std::vector<std::size_t> places;
    for (const auto& [server, place] : by_server) places.push_back(place);
    std::sort(places.begin(), places.end());
    const auto majority = evidence.trace.majority();
    if (places.size() >= majority) ends[owner] = places[majority - 1];
  }
  return ends;
}

}  // namespace

Says loses_what_it_has(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const bool given_up = call.name == "work" && call.outcome == "abandoned" &&
                          call.answer.value("why", std::string()) == "the lock is lost";
    if (!given_up || was_told(evidence, call.client)) continue;
    if (servers_that_held(evidence, call) < evidence.trace.majority()) continue;
    const Call* last = nullptr;
    auto shortest = std::numeric_limits<long long>::max();
    for (const auto* other : evidence.acquired()) {
      if (other->client != call.client || other->answered > call.called) continue;
      last = other;
      shortest = std::min(shortest, evidence.lease_of(*other));
    }
    if (last == nullptr) continue;
    const auto age = evidence.ms(call.answered) - evidence.ms(last->called);
    if (age > shortest / 2) continue;
    return fmt::format(
        "your remaining() says that nothing is left: {} took the lock for {} ms, and {} ms later "
        "it left its work, since remaining() was 0; it is in milliseconds, and it is what is left "
        "of the lease by the lock's own clock",
        call.client, evidence.lease_of(*last), age);
  }
  return std::nullopt;
}

Says work_outlives_lease(const Evidence& evidence) {
  if (!evidence.broke(Property::mutual_exclusion) || evidence.several_servers())
    return std::nullopt;
  for (const auto& hold : evidence.trace.holds) {
    if (hold.end != "expired" || hold.owner.empty()) continue;
    const auto end = hold.to;
    const bool at_work =
        std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](auto& call) {
          return call.name == "work" && call.client == hold.owner && call.called < end &&
                 end < call.answered;
        });
    const auto renewals = evidence.renewals();
    const auto renewed = std::any_of(renewals.begin(), renewals.end(), [&](const Sent* renewal) {
      return renewal->client == hold.owner && renewal->said_yes();
    });
    if (!at_work || renewed) continue;
    return fmt::format(
        "your lease ended at {} ms while {} was still at work: nothing renewed it, and nobody told "
        "its holder, who wrote all the same",
        evidence.ms(end), hold.owner);
  }
  return std::nullopt;
}

Says keeps_a_loss_to_itself(const Evidence& evidence) {
  if (!evidence.broke(Property::mutual_exclusion) || evidence.several_servers()) {
    return std::nullopt;
  }
  for (const auto* renewal : evidence.renewals()) {
    const auto token = evidence.token_of(renewal->client, renewal->place);
    const bool others = renewal->name() == "GET" && !token.empty() && !renewal->reply.empty() &&
                        !renewal->was_refused() && renewal->reply != token;
    const bool no = others || (renewal->name() != "GET" && renewal->said_no());
    const bool heard = renewal->heard != faults::never;
    const bool at_work =
        std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](auto& call) {
          return call.name == "work" && call.client == renewal->client &&
                 call.called < renewal->place && renewal->answered < call.answered;
        });
    if (!no || !heard || !at_work || was_told(evidence, renewal->client)) continue;
    return fmt::format(
        "your watchdog heard that the lock was gone and told nobody: {} was answered {} at {} ms, "
        "and {} worked on; lost() has to fire then",
        renewal->name(), renewal->reply, evidence.ms(renewal->answered), renewal->client);
  }
  return std::nullopt;
}

Says works_after_the_word(const Evidence& evidence) {
  std::map<std::string, std::size_t> told;  // who has been told that it lost the lock, and when
  for (const auto& event : evidence.record()) {
    if (is_word(event)) told.emplace(event.process, event.number);
    const bool takes_it = event.kind == Kind::answer && event.text("outcome") == "acquired";
    if (takes_it && !event.is_of_another_key()) told.erase(event.process);
    const auto word = told.find(event.process);
    const bool begins = event.kind == Kind::command && event.text("to") == "storage" &&
                        event.text("text").starts_with("BEGIN");
    // A word just before BEGIN may have come after remaining() was asked, which is asked when the
    // storage has answered READ.
    constexpr long long soon = 30;
    if (!begins || word == told.end()) continue;
    const bool before_it_asked = std::any_of(
        evidence.record().begin(), evidence.record().end(), [&](const faults::Event& let_on) {
          return let_on.is(Kind::fault, event.process) && let_on.number > word->second &&
                 let_on.number < event.number && let_on.text("server") == "storage" &&
                 let_on.text("what") == faults::fault::delivered;
        });
    const auto since = evidence.ms(event.number) - evidence.ms(word->second);
    if (since < soon && !before_it_asked) continue;
    return fmt::format(
        "your lock told {} at {} ms that it was lost, and {} began to write at {} ms: remaining() "
        "did not say 0; it has to be 0 as soon as the hold is lost or its lease is over",
        event.process, evidence.ms(word->second), event.process, evidence.ms(event.number));
  }
  return std::nullopt;
}

Says never_told(const Evidence& evidence) {
  if (!evidence.broke(Property::holder_was_told)) return std::nullopt;
  for (const auto& hold : evidence.trace.holds) {
    if (hold.end != "expired" || hold.owner.empty() || was_told(evidence, hold.owner)) continue;
    return fmt::format(
        "your lock lost its lease at {} ms and told nobody: {} worked on; lost() has to fire when "
        "the lease is over by the holder's own clock, with no word from the server",
        evidence.ms(hold.to), hold.owner);
  }
  return "your lock told its holder of the loss after the server had freed the lock: the holder's "
         "own deadline has to fall before the server's, so it counts from before the request";
}

Says not_told_after_a_release(const Evidence& evidence) {
  const auto judged = evidence.trace.setting.value("judged", std::vector<std::string>{});
  const auto name = std::string(to_string(Property::holder_was_told));
  if (std::find(judged.begin(), judged.end(), name) == judged.end()) return std::nullopt;
  for (const auto& [owner, end] : ends_of_leases(evidence)) {
    if (was_told(evidence, owner)) continue;
    const Call* last = nullptr;  // what its client was asked for last
    for (const auto& call : evidence.calls()) {
      if (call.client == owner && call.name != "bye") last = &call;
    }
    const bool is_unknown = last != nullptr && last->is("release", "unknown") &&
                            last->key == lock_key && last->answered < end;
    const auto waited = evidence.ms(evidence.record().back().number) - evidence.ms(end);
    const bool died = count_faults(evidence, faults::fault::killed, 0, faults::never, owner) > 0 ||
                      count_faults(evidence, faults::fault::frozen, 0, faults::never, owner) > 0;
    // The machine would have had to stand still for a good part of that time.
    const bool machine = evidence.trace.longest_stall().count() > waited / 3;
    if (!is_unknown || died || machine || waited < evidence.usual_lease()) continue;
    return fmt::format(
        "your release forgets a hold that may not have ended: {} gave the lock back at {} ms and "
        "was told \"unknown\", so it may still count on it; at {} ms the lease was over, and "
        "nobody told it; end the renewal first (renew_no_more), and forget the hold when the "
        "release is answered",
        owner, evidence.ms(last->called), evidence.ms(end));
  }
  return std::nullopt;
}

Says tells_of_a_release(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  if (evidence.trace.stood_still()) return std::nullopt;
  if (renews_after_release(evidence)) return std::nullopt;  // it is a loss of the hold before
  const auto lease = evidence.usual_lease();
  for (const auto& event : evidence.record()) {
    if (!is_word(event)) continue;
    const auto release =
        std::find_if(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
          return call.is("release", "released") && call.key == lock_key &&
                 call.client == event.process && call.called < event.number &&
                 event.number < call.answered;
        });
    if (release == evidence.calls().end()) continue;
    // A lease that may be over by then is another matter.
    const auto just_given =
        std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
          return command.client == event.process && command.key() == lock_key &&
                 command.said_yes() && command.did("expire") && command.heard < release->called &&
                 evidence.ms(event.number) - evidence.ms(command.place) < lease / 2;
        });
    if (!just_given) continue;
    return fmt::format(
        "your lock told {} at {} ms that it was lost, while {} gave it back by itself; lost() is "
        "for who is still inside: a release is no loss",
        event.process, evidence.ms(event.number), event.process);
  }
  return std::nullopt;
}

}  // namespace learning::rules
