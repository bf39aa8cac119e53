// Rules about taking a lock on several servers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "learning/rules.h"
#include "learning/rules_parts.h"

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
           other->place < command.heard;
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
    if (command->said_yes() && command->heard < call.answered && command->wrote()) {
      by_server.emplace(command->server, command->heard);
    }
  }
  std::vector<std::size_t> yes;
  for (const auto& [server, at] : by_server) yes.push_back(at);
  std::sort(yes.begin(), yes.end());
  return yes;
}

// The first command of a call to each server.
std::vector<const Sent*> first_to_each(const std::vector<const Sent*>& commands) {
  std::set<std::string> seen;
  std::vector<const Sent*> first;
  for (const auto* command : commands) {
    if (seen.insert(command->server).second) first.push_back(command);
  }
  return first;
}

// When a server was first asked for the second time; nothing: none was.
std::optional<std::size_t> given_back_from(const std::vector<const Sent*>& commands) {
  std::set<std::string> seen;
  for (const auto* command : commands) {
    if (!seen.insert(command->server).second) return command->place;
  }
  return std::nullopt;
}

// No second try, under another token.
bool asks_once(const std::vector<const Sent*>& commands) {
  return std::all_of(commands.begin(), commands.end(), [&](const Sent* command) {
    const auto arguments = command->arguments();
    const auto first = commands.front()->arguments();
    return !arguments.empty() && !first.empty() && arguments.front() == first.front();
  });
}

// Was a connection cut, of which only the client knows that no answer comes any more?
bool breaks_during(const Evidence& evidence, const Call& call) {
  return std::any_of(evidence.record.begin(), evidence.record.end(), [&](const auto& event) {
    return event.kind == faults::Kind::fault && event.text("what") == faults::fault::reset &&
           call.called < event.number && event.number < call.answered;
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

Says answers_counted_for_votes(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  const auto majority = evidence.story.majority();
  for (const auto& call : evidence.calls) {
    const bool refused = call.is("acquire", "contended") || call.is("acquire", "unknown");
    auto commands = evidence.of(call);
    // As of a script that a server does not know: it is sent again.
    std::erase_if(commands, [](const Sent* command) { return command->was_refused(); });
    if (!refused || call.key != lock_key || commands.empty()) continue;
    if (!asks_once(commands) || breaks_during(evidence, call)) continue;
    const auto decided = given_back_from(commands).value_or(call.answered);
    const auto first = first_to_each(commands);
    const auto count = [&](auto fits) {
      return static_cast<std::size_t>(std::count_if(first.begin(), first.end(), fits));
    };
    const auto yes = count([&](const Sent* c) { return c->heard < decided && c->said_yes(); });
    const auto open = count([&](const Sent* c) { return c->heard >= decided; });
    const auto took = evidence.ms(decided) - evidence.ms(commands.front()->place);
    constexpr long long bearable = 500;  // ms; after a longer silence nobody has to wait
    if (yes >= majority || yes + open < majority || took > bearable) continue;
    return fmt::format(
        "your acquire decides when a majority has answered, whatever it said: {} had {} of {} yes "
        "when it gave up, and {} answers were still to come, which could have made them a "
        "majority; count the yes, and go on until they are a majority or cannot become one",
        call.lane, yes, majority, open);
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

Says waits_for_all(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    std::vector<std::size_t> yes;
    for (const auto& [server, command] : votes_on(evidence, *call).yes) {
      yes.push_back(command->heard);
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
