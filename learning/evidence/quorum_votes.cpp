#include "learning/evidence/quorum_votes.h"

#include <algorithm>

namespace learning {
namespace {

// Was `command` answered before its client sent that server the next one of the same call? What
// comes later is of no more use: the client has given up, and gives back.
bool was_waited_for(const std::vector<const Sent*>& commands, const Sent& command) {
  return std::none_of(commands.begin(), commands.end(), [&](const Sent* other) {
    return other->server == command.server && command.place < other->place &&
           other->place < command.heard;
  });
}

}  // namespace

Votes votes_on(const Evidence& evidence, const Call& call) {
  Votes votes;
  std::map<std::string, const Sent*> last;
  for (const auto* command : evidence.of(call)) {
    if (command->heard < call.answered || !last.contains(command->server)) {
      last[command->server] = command;
    }
  }
  votes.asked = last.size();
  for (const auto& [server, command] : last) {
    if (command->said_yes() && command->heard < call.answered) votes.yes[server] = command;
  }
  return votes;
}

std::size_t majority_heard(const Evidence& evidence, const Call& call) {
  std::vector<std::size_t> yes;
  for (const auto& [server, command] : votes_on(evidence, call).yes) yes.push_back(command->heard);
  const auto majority = evidence.trace.majority();
  if (yes.size() < majority) return faults::never;
  std::sort(yes.begin(), yes.end());
  return yes[majority - 1];
}

std::vector<Round> rounds_of(const Evidence& evidence, const Call& call) {
  std::vector<Round> rounds;
  const auto commands = evidence.of(call);
  for (const auto* command : commands) {
    const auto arguments = command->arguments();
    if (arguments.empty()) continue;
    if (rounds.empty() || rounds.back().token != arguments.front()) {
      rounds.push_back({.token = arguments.front(),
                        .asked = {},
                        .yes = {},
                        .refused_later = {},
                        .yes_later = {}});
    }
    auto& round = rounds.back();
    const bool in_time = command->heard < call.answered && was_waited_for(commands, *command);
    if (round.asked.insert(command->server).second) {
      if (in_time && command->said_yes() && command->wrote()) round.yes.insert(command->server);
    } else if (command->said_no() && round.yes.contains(command->server)) {
      round.refused_later.insert(command->server);
    } else if (command->said_yes() && command->heard < call.answered) {
      round.yes_later.insert(command->server);
    }
  }
  return rounds;
}

}  // namespace learning
