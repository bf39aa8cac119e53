// Rules about what servers of a quorum keep, lose and forget.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "learning/evidence/quorum_votes.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// Was it this call that set the lock there, perhaps after it was answered?
bool set_by(const Evidence& evidence, const Call& call, const faults::ServerHold& hold,
            std::size_t from) {
  const auto commands = evidence.of(call);
  // Who asked there and was only told no has set nothing there.
  const bool was_refused =
      std::any_of(commands.begin(), commands.end(),
                  [&](const Sent* command) { return command->server == hold.server; }) &&
      std::none_of(commands.begin(), commands.end(), [&](const Sent* command) {
        return command->server == hold.server &&
               (command->heard == faults::never || command->said_yes());
      });
  if (was_refused) return false;
  if (call.called < from && from < call.answered) return true;
  return std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
    return command->server == hold.server && command->wrote() && command->place < from &&
           from < command->answered;
  });
}

// What the servers said to one round of renewals, each of them once.
struct Renewals {
  std::string client;
  std::size_t from = 0;  // when the first was sent
  std::size_t to = 0;    // when the last answer came
  std::map<std::string, const Sent*> asked;

  [[nodiscard]] std::size_t count(bool (Sent::*said)() const) const {
    return static_cast<std::size_t>(std::count_if(asked.begin(), asked.end(), [&](const auto& one) {
      return one.second->heard != faults::never && (one.second->*said)();
    }));
  }
};

std::vector<Renewals> rounds_of_renewal(const Evidence& evidence) {
  std::map<std::string, Renewals> open;  // by client
  std::vector<Renewals> rounds;
  for (const auto* renewal : evidence.renewals()) {
    auto& round = open[renewal->client];
    if (round.asked.contains(renewal->server)) {
      rounds.push_back(std::exchange(round, {}));
    }
    if (round.asked.empty()) round.from = renewal->place;
    round.client = renewal->client;
    round.asked[renewal->server] = renewal;
    if (renewal->heard != faults::never) round.to = std::max(round.to, renewal->heard);
  }
  for (auto& [lane, round] : open) rounds.push_back(std::move(round));
  return rounds;
}

// When `lane` is told that it has lost the lock, after `place`; never.
std::size_t told_after(const Evidence& evidence, const std::string& lane, std::size_t place) {
  for (const auto& event : evidence.record()) {
    const bool told = event.is(faults::Kind::told, lane) && event.text("event") == "lost";
    if (told && !event.is_of_another_key() && event.number > place) return event.number;
  }
  return faults::never;
}

}  // namespace

Says votes_not_given_back(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& hold : evidence.trace.holds) {
    const auto from = hold.from;
    const auto to = hold.to == faults::never ? faults::never : hold.to;
    const auto taken =
        std::find_if(evidence.calls().begin(), evidence.calls().end(), [&](auto& call) {
          return call.client == hold.owner && call.name == "acquire" &&
                 call.answered != faults::never && call.answered < to &&
                 call.outcome != "acquired" && set_by(evidence, call, hold, from);
        });
    if (taken == evidence.calls().end() || hold.end == "del") continue;
    return fmt::format(
        "your acquire was refused and kept what it had got: {} has no majority, and {} still holds "
        "its vote, so nobody else gets one either; who fails gives every vote back, at all "
        "servers, also those that have not answered",
        taken->client, hold.server);
  }
  return std::nullopt;
}

Says one_no_ends_the_hold(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const bool refused = call.is("acquire", "contended") || call.is("acquire", "unknown");
    if (!refused || depth_at(evidence, call.client, call.called) <= 0) continue;
    const auto rounds = rounds_of(evidence, call);
    if (rounds.empty() || rounds.front().yes.size() < evidence.trace.majority()) continue;
    const auto commands = evidence.of(call);
    const auto over = std::find_if(commands.begin(), commands.end(), [&](const Sent* command) {
      const auto arguments = command->arguments();
      const bool first_round = !arguments.empty() && arguments.front() == rounds.front().token;
      return first_round && command->number() == 0;
    });
    if (over == commands.end()) continue;
    return fmt::format(
        "your acquire gave up a hold that a majority still had: {} of {} servers let {} in again, "
        "and it took {}'s word that the hold was over; it is over when a majority cannot have it "
        "any more",
        rounds.front().yes.size(), evidence.trace.nodes(), call.client, (*over)->server);
  }
  return std::nullopt;
}

Says renewed_by_too_few(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(Property::mutual_exclusion)) {
    return std::nullopt;
  }
  for (const auto& round : rounds_of_renewal(evidence)) {
    const auto yes = round.count(&Sent::said_yes);
    const auto no = round.count(&Sent::said_no);
    const bool is_lost = evidence.trace.nodes() - no < evidence.trace.majority();
    if (!is_lost || yes == 0 || told_after(evidence, round.client, round.from) != faults::never) {
      continue;
    }
    // Who gives back, or waits no more, need not be told.
    const bool works =
        std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](auto& call) {
          return call.name == "work" && call.client == round.client && call.called < round.from &&
                 round.to < call.answered && call.outcome == "done";
        });
    if (!works) continue;
    return fmt::format(
        "your renewal counts with too few: at {} ms {} of {} servers said yes to {} and {} said "
        "that its hold is over, so a majority has lost it, and {} was not told and worked on; a "
        "hold is renewed when a majority says so",
        evidence.ms(round.from), yes, evidence.trace.nodes(), round.client, no, round.client);
  }
  return std::nullopt;
}

Says few_lose_the_hold(const Evidence& evidence) {
  if (!evidence.several_servers() || evidence.trace.stood_still()) return std::nullopt;
  for (const auto& round : rounds_of_renewal(evidence)) {
    const auto no = round.count(&Sent::said_no);
    const auto told = told_after(evidence, round.client, round.from);
    const bool is_kept = round.count(&Sent::said_yes) >= evidence.trace.majority();
    if (no == 0 || !is_kept || told == faults::never) continue;
    // Later, or where fewer have said yes, its own clock may have ended it.
    const auto lease = evidence.default_lease(round.client);
    const bool at_once = evidence.ms(told) - evidence.ms(round.from) < lease / 3;
    if (!at_once || !evidence.trace.held_for(round.client, told)) continue;
    return fmt::format(
        "your renewal takes the word of too few: at {} ms {} of {} servers said that the hold of "
        "{} is over, and at {} ms it was told that it is lost, while a majority still had it; it "
        "is lost when so many say no that the others are no majority",
        evidence.ms(round.from), no, evidence.trace.nodes(), round.client, evidence.ms(told));
  }
  return std::nullopt;
}

Says never_repairs(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(Property::mutual_exclusion)) {
    return std::nullopt;
  }
  for (const auto& event : evidence.record()) {
    if (event.kind != faults::Kind::fault || event.text("what") != faults::fault::removed) continue;
    std::size_t asked = 0;
    bool repaired = false;
    for (const auto& command : evidence.sent) {
      if (command.server != event.process || command.place < event.number) continue;
      // Where no majority has it any more there is nothing to repair.
      const bool lives = evidence.trace.held_for(command.client, command.place);
      if (command.renews && command.said_no() && lives) ++asked;
      // Whoever comes in later sets it as well.
      repaired = repaired || (command.wrote() && !command.operation);
    }
    if (repaired || asked == 0) continue;
    return fmt::format(
        "your lock is not given again to a server that has lost it: {} lost it at {} ms, said no "
        "to {} renewals, and got it back with none of them; servers that lose it one by one cost "
        "the majority in the end, so repair one as soon as a majority has said yes without it",
        event.process, evidence.ms(event.number), asked);
  }
  return std::nullopt;
}

Says forgets_and_votes(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(Property::mutual_exclusion)) {
    return std::nullopt;
  }
  for (const auto& event : evidence.record()) {
    if (event.kind != faults::Kind::fault || event.text("what") != faults::fault::restarted)
      continue;
    for (const auto* call : evidence.acquired()) {
      const auto yes = votes_on(evidence, *call).yes;
      const auto vote = yes.find(event.process);
      if (call->called < event.number || vote == yes.end()) continue;
      return fmt::format(
          "your lock counts the vote of a server that has forgotten: {} came back empty at {} ms "
          "and said yes to {}, after it had said yes to another; without its data it must not vote",
          event.process, evidence.ms(event.number), call->client);
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
