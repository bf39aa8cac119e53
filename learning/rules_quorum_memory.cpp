// Rules about what servers of a quorum keep, lose and forget.
#include <fmt/format.h>

#include <algorithm>

#include "learning/quorum_votes.h"
#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning::rules {
namespace {

using faults::Property;

// Was it this call that set the lock there, perhaps after it was answered?
bool set_by(const Evidence& evidence, const Call& call, const faults::ServerHold& hold,
            std::size_t from) {
  if (call.called < from && from < call.answered) return true;
  const auto commands = evidence.of(call);
  return std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
    return command->server == hold.server && command->wrote() && command->place < from &&
           from < command->answered;
  });
}

// The place in the story of what stands at `place` in the record.
std::size_t in_story(const Evidence& evidence, std::size_t place) {
  const auto& events = evidence.story.events;
  const auto found = std::find_if(events.begin(), events.end(),
                                  [&](const auto& event) { return event.number >= place; });
  return static_cast<std::size_t>(found - events.begin());
}

}  // namespace

Says votes_not_given_back(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& hold : evidence.story.holds) {
    const auto from = evidence.story.events[hold.from].number;
    const auto to =
        hold.to == faults::never ? faults::never : evidence.story.events[hold.to].number;
    const auto taken = std::find_if(evidence.calls.begin(), evidence.calls.end(), [&](auto& call) {
      return call.lane == hold.owner && call.name == "acquire" && call.answered != faults::never &&
             call.answered < to && call.outcome != "acquired" && set_by(evidence, call, hold, from);
    });
    if (taken == evidence.calls.end() || hold.end == "del") continue;
    return fmt::format(
        "your acquire was refused and kept what it had got: {} has no majority, and {} still holds "
        "its vote, so nobody else gets one either; who fails gives every vote back, at all "
        "servers, also those that have not answered",
        taken->lane, hold.server);
  }
  return std::nullopt;
}

Says one_no_ends_the_hold(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls) {
    const bool refused = call.is("acquire", "contended") || call.is("acquire", "unknown");
    if (!refused || depth_at(evidence, call.lane, call.called) <= 0) continue;
    const auto rounds = rounds_of(evidence, call);
    if (rounds.empty() || rounds.front().yes.size() < evidence.story.majority()) continue;
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
        rounds.front().yes.size(), evidence.story.nodes(), call.lane, (*over)->server);
  }
  return std::nullopt;
}

Says never_repairs(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(Property::mutual_exclusion)) {
    return std::nullopt;
  }
  for (const auto& event : evidence.record) {
    if (event.kind != faults::Kind::fault || event.text("what") != faults::fault::removed) continue;
    std::size_t asked = 0;
    bool repaired = false;
    for (const auto& command : evidence.sent) {
      if (command.server != event.lane || command.place < event.number) continue;
      // Where no majority has it any more there is nothing to repair.
      const bool lives = evidence.story.held_for(command.lane, in_story(evidence, command.place));
      if (command.renews && command.said_no() && lives) ++asked;
      // Whoever comes in later sets it as well.
      repaired = repaired || (command.wrote() && !command.call);
    }
    if (repaired || asked == 0) continue;
    return fmt::format(
        "your lock is not given again to a server that has lost it: {} lost it at {} ms, said no "
        "to {} renewals, and got it back with none of them; servers that lose it one by one cost "
        "the majority in the end, so repair one as soon as a majority has said yes without it",
        event.lane, evidence.ms(event.number), asked);
  }
  return std::nullopt;
}

Says forgets_and_votes(const Evidence& evidence) {
  if (!evidence.several_servers() || !evidence.broke(Property::mutual_exclusion)) {
    return std::nullopt;
  }
  for (const auto& event : evidence.record) {
    if (event.kind != faults::Kind::fault || event.text("what") != faults::fault::restarted)
      continue;
    for (const auto* call : evidence.acquired()) {
      const auto yes = votes_on(evidence, *call).yes;
      const auto vote = yes.find(event.lane);
      if (call->called < event.number || vote == yes.end()) continue;
      return fmt::format(
          "your lock counts the vote of a server that has forgotten: {} came back empty at {} ms "
          "and said yes to {}, after it had said yes to another; without its data it must not vote",
          event.lane, evidence.ms(event.number), call->lane);
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
