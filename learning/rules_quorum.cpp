// Rules about taking a lock on several servers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "learning/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// What the servers said to an acquire before it was answered: to its last round.
struct Votes {
  std::map<std::string, const Sent*> yes;  // by server
  std::size_t asked = 0;
};

Votes votes_on(const Evidence& evidence, const Call& call) {
  Votes votes;
  std::map<std::string, const Sent*> last;
  for (const auto* command : evidence.of(call)) {
    if (command->answered < call.answered || !last.contains(command->server)) {
      last[command->server] = command;
    }
  }
  votes.asked = last.size();
  for (const auto& [server, command] : last) {
    if (command->said_yes() && command->answered < call.answered) votes.yes[server] = command;
  }
  return votes;
}

// The acquire that said yes with the fewest yes of its servers, below a majority.
const Call* without_majority(const Evidence& evidence, std::size_t& fewest) {
  const Call* found = nullptr;
  fewest = evidence.story.majority();
  for (const auto* call : evidence.acquired()) {
    const auto count = votes_on(evidence, *call).yes.size();
    if (count >= fewest) continue;
    fewest = count;
    found = call;
  }
  return found;
}

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

// Was `command` answered before its client sent that server the next one of the same call? What
// comes later is of no more use: the client has given up, and gives back.
bool was_waited_for(const std::vector<const Sent*>& commands, const Sent& command) {
  return std::none_of(commands.begin(), commands.end(), [&](const Sent* other) {
    return other->server == command.server && command.place < other->place &&
           other->place < command.answered;
  });
}

// What was asked of the servers under one token, in an acquire.
struct Round {
  std::string token;
  std::set<std::string> asked;
  std::set<std::string> yes;            // who said yes to the first question, in time
  std::set<std::string> refused_later;  // of these, who said no to a second one
  std::set<std::string> yes_later;      // whoever said yes to a second one
};

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
    const bool in_time = command->answered < call.answered && was_waited_for(commands, *command);
    if (round.asked.insert(command->server).second) {
      if (in_time && command->said_yes() && command->wrote()) round.yes.insert(command->server);
    } else if (command->said_no() && round.yes.contains(command->server)) {
      round.refused_later.insert(command->server);
    } else if (command->said_yes() && command->answered < call.answered) {
      round.yes_later.insert(command->server);
    }
  }
  return rounds;
}

// Did one round of an acquire get a majority's yes in time, and keep it?
bool had_majority(const Evidence& evidence, const Call& call) {
  const auto rounds = rounds_of(evidence, call);
  return std::any_of(rounds.begin(), rounds.end(), [&](const Round& round) {
    return round.yes.size() - round.refused_later.size() >= evidence.story.majority();
  });
}

// When each server's first yes to an acquire came, in order.
std::vector<std::size_t> first_yes(const Evidence& evidence, const Call& call) {
  std::map<std::string, std::size_t> by_server;
  for (const auto* command : evidence.of(call)) {
    if (command->said_yes() && command->answered < call.answered && command->wrote()) {
      by_server.emplace(command->server, command->answered);
    }
  }
  std::vector<std::size_t> yes;
  for (const auto& [server, at] : by_server) yes.push_back(at);
  std::sort(yes.begin(), yes.end());
  return yes;
}

}  // namespace

Says one_yes_is_enough(const Evidence& evidence) {
  std::size_t yes = 0;
  const auto* call = evidence.several_servers() ? without_majority(evidence, yes) : nullptr;
  if (call == nullptr || yes > 1) return std::nullopt;
  return fmt::format(
      "your acquire answered \"acquired\" with {} yes of {}: one server decides, so what that one "
      "forgets is forgotten; it takes {} of {}",
      yes, evidence.story.nodes(), evidence.story.majority(), evidence.story.nodes());
}

Says second_round_ignored(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto rounds = rounds_of(evidence, *call);
    if (rounds.empty()) continue;
    const auto& last = rounds.back();
    const auto majority = evidence.story.majority();
    // Who was not asked again may have had it already.
    const auto confirmed =
        std::max(last.yes.size() - last.refused_later.size(), last.yes_later.size());
    if (last.yes.size() < majority || confirmed >= majority) continue;
    return fmt::format(
        "your acquire does not look at what its second round was answered: a majority let {} in, "
        "then {} of these {} did not confirm its token, and it answered \"acquired\"; both rounds "
        "need a majority",
        call->lane, last.refused_later.size(), last.yes.size());
  }
  return std::nullopt;
}

Says majority_too_small(const Evidence& evidence) {
  std::size_t yes = 0;
  const auto* call = evidence.several_servers() ? without_majority(evidence, yes) : nullptr;
  if (call == nullptr || yes < 2) return std::nullopt;
  return fmt::format(
      "your majority is {} of {}: {} was let in with {} yes, and the other {} can let in somebody "
      "else at the same time; two majorities have a server in common only from {} on (N / 2 + 1)",
      yes, evidence.story.nodes(), call->lane, yes, evidence.story.nodes() - yes,
      evidence.story.majority());
}

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

Says majority_is_not_enough(const Evidence& evidence) {
  if (!evidence.several_servers() || evidence.record.empty()) return std::nullopt;
  const auto usual = evidence.record.front().data.value("lease_ms", 300LL);
  for (const auto& call : evidence.calls) {
    const bool refused = call.is("acquire", "contended") || call.is("acquire", "unknown");
    if (!refused || call.key != lock_key || !had_majority(evidence, call)) continue;
    const auto yes = first_yes(evidence, call);
    const bool waits = call.asked.value("wait_ms", 0LL) > 0;
    const auto lease = call.asked.value("lease_ms", usual);
    const auto asked = evidence.ms(call.called);
    const auto decided = evidence.ms(yes[evidence.story.majority() - 1]);
    const auto answered = evidence.ms(call.answered);
    if (decided - asked > lease / 2 && !waits) continue;
    if (answered - decided > lease / 2 && !waits) {
      return fmt::format(
          "your acquire goes on asking when it has a majority: {} had it at {} ms, answered at {} "
          "ms, and by then a lease of {} ms was over; ask all at once, and wait for no more than "
          "the majority",
          call.lane, decided, answered, lease);
    }
    return fmt::format(
        "your majority is too large: {} had the yes of a majority and was refused; {} of {} are "
        "enough (N / 2 + 1), so that the others may be missing",
        call.lane, evidence.story.majority(), evidence.story.nodes());
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

Says waits_for_all(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    std::vector<std::size_t> yes;
    for (const auto& [server, command] : votes_on(evidence, *call).yes) {
      yes.push_back(command->answered);
    }
    if (yes.size() < evidence.story.majority()) continue;
    std::sort(yes.begin(), yes.end());
    const auto decided = evidence.ms(yes[evidence.story.majority() - 1]);
    const auto answered = evidence.ms(call->answered);
    if (answered - decided < 250 || yes.size() == evidence.story.nodes()) continue;
    return fmt::format(
        "your acquire waits for every server: {} had a majority at {} ms and answered at {} ms, "
        "because one server was silent; the majority is enough",
        call->lane, decided, answered);
  }
  return std::nullopt;
}

}  // namespace learning::rules
