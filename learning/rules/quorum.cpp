// Rules about the majority that a lock on several servers needs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "learning/evidence/quorum_votes.h"
#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

using faults::Property;

// What to think of where a story has another number of servers than most: five.
std::string of_how_many(const Evidence& evidence) {
  constexpr std::size_t usual = 5;
  const auto nodes = evidence.trace.nodes();
  if (nodes == usual) return {};
  if (nodes % 2 == 0) {
    return fmt::format(
        "; there are {} servers here, and half of them are not more than half: "
        "(N + 1) / 2 is a majority of an odd number only",
        nodes);
  }
  return fmt::format("; there are {} servers here, and not {}: is your majority a fixed number?",
                     nodes, usual);
}

// The acquire that said yes with the fewest yes of its servers, below a majority.
const Call* without_majority(const Evidence& evidence, std::size_t& fewest) {
  const Call* found = nullptr;
  fewest = evidence.trace.majority();
  for (const auto* call : evidence.acquired()) {
    const auto count = votes_on(evidence, *call).yes.size();
    if (count >= fewest) continue;
    fewest = count;
    found = call;
  }
  return found;
}

// Did one round of an acquire get a majority's yes in time, and keep it?
bool had_majority(const Evidence& evidence, const Call& call) {
  const auto rounds = rounds_of(evidence, call);
  return std::any_of(rounds.begin(), rounds.end(), [&](const Round& round) {
    return round.yes.size() - round.refused_later.size() >= evidence.trace.majority();
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

// What was asked next, by another script, when a majority had said yes and was not given back yet;
// null: nothing.
const Sent* asked_again(const Evidence& evidence, const Call& call, std::size_t decided) {
  const auto commands = evidence.of(call);
  for (const auto* command : commands) {
    if (command->place < decided) continue;
    const bool other = command->script() != commands.front()->script();
    return other && !command->did("del") && command->heard < call.answered ? command : nullptr;
  }
  return nullptr;
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

// Those of its last try: under the token that it asked with last.
std::vector<const Sent*> last_try(std::vector<const Sent*> commands) {
  if (commands.empty() || commands.back()->token().empty()) return commands;
  const auto token = commands.back()->token();
  std::erase_if(commands, [&](const Sent* command) { return command->token() != token; });
  return commands;
}

// Was a connection cut, of which only the client knows that no answer comes any more?
bool breaks_during(const Evidence& evidence, const Call& call) {
  return count_faults(evidence, faults::fault::reset, call.called, call.answered) > 0;
}

// Is `lane` ever let in with a lease as short as `lease`, in ms?
bool is_let_in_for(const Evidence& evidence, const std::string& lane, long long lease) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const auto& call) {
    return call.is("acquire", "acquired") && call.client == lane &&
           evidence.lease_of(call) <= lease;
  });
}

}  // namespace

Says no_taken_for_yes(const Evidence& evidence) {
  std::size_t yes = 0;
  const auto* call = evidence.several_servers() ? without_majority(evidence, yes) : nullptr;
  if (call == nullptr || yes > 0) return std::nullopt;
  const auto commands = evidence.of(*call);
  const auto says_no = [](const Sent* command) { return command->said_no() && !command->wrote(); };
  if (commands.empty() || !std::all_of(commands.begin(), commands.end(), says_no)) {
    return std::nullopt;
  }
  return fmt::format(
      "your acquire takes a no for a yes: {} answered \"acquired\", and no server had said yes: {} "
      "was answered {}, and changed nothing",
      call->client, commands.front()->name(), commands.front()->reply);
}

Says one_yes_is_enough(const Evidence& evidence) {
  std::size_t yes = 0;
  const auto* call = evidence.several_servers() ? without_majority(evidence, yes) : nullptr;
  if (call == nullptr || yes > 1) return std::nullopt;
  return fmt::format(
      "your {} answered \"acquired\" with {} yes of {}: one server decides, so what that one "
      "forgets is forgotten; it takes {} of {}",
      call->asked.contains("join") ? "join" : "acquire", yes, evidence.trace.nodes(),
      evidence.trace.majority(), evidence.trace.nodes());
}

Says second_round_ignored(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto rounds = rounds_of(evidence, *call);
    if (rounds.empty()) continue;
    const auto& last = rounds.back();
    const auto majority = evidence.trace.majority();
    // Who was not asked again may have had it already.
    const auto confirmed =
        std::max(last.yes.size() - last.refused_later.size(), last.yes_later.size());
    if (last.yes.size() < majority || confirmed >= majority) continue;
    return fmt::format(
        "your acquire does not look at what its second round was answered: a majority let {} in, "
        "then {} of these {} did not confirm its token, and it answered \"acquired\"; both rounds "
        "need a majority",
        call->client, last.refused_later.size(), last.yes.size());
  }
  return std::nullopt;
}

Says majority_too_small(const Evidence& evidence) {
  std::size_t yes = 0;
  const auto* call = evidence.several_servers() ? without_majority(evidence, yes) : nullptr;
  if (call == nullptr || yes < 2) return std::nullopt;
  return fmt::format(
      "your majority is {} of {}: {} was let in with {} yes, and the other {} can let in somebody "
      "else at the same time; two majorities have a server in common only from {} on (N / 2 + 1){}",
      yes, evidence.trace.nodes(), call->client, yes, evidence.trace.nodes() - yes,
      evidence.trace.majority(), of_how_many(evidence));
}

Says majority_is_not_enough(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const bool refused = call.is("acquire", "contended") || call.is("acquire", "unknown");
    if (!refused || call.key != lock_key || !had_majority(evidence, call)) continue;
    const auto yes = first_yes(evidence, call);
    const bool waits = call.asked.value("wait_ms", 0LL) > 0;
    const auto lease = evidence.lease_of(call);
    const auto asked = evidence.ms(call.called);
    const auto decided = evidence.ms(yes[evidence.trace.majority() - 1]);
    const auto answered = evidence.ms(call.answered);
    if (decided - asked > lease / 2 && !waits) continue;
    if (answered - decided > lease / 2 && !waits) {
      return fmt::format(
          "your acquire goes on asking when it has a majority: {} had it at {} ms, answered at {} "
          "ms, and by then a lease of {} ms was over; ask all at once, and wait for no more than "
          "the majority",
          call.client, decided, answered, lease);
    }
    const auto* again = asked_again(evidence, call, yes[evidence.trace.majority() - 1]);
    return fmt::format(
        "your acquire does not see its majority: the servers said yes to {} {} times{}, and it was "
        "refused; {} of {} are enough (N / 2 + 1), so that the others may be missing, and every "
        "answer counts, not only the first{}{}",
        call.client, yes.size(), again == nullptr ? "" : ", then they were asked once more",
        evidence.trace.majority(), evidence.trace.nodes(),
        again == nullptr ? std::string{}
                         : fmt::format("; look at what the second round was answered ({}), and at "
                                       "what of the first is forgotten by it",
                                       again->reply),
        of_how_many(evidence));
  }
  return std::nullopt;
}

Says takes_a_short_lease_for_over(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  constexpr long long second = 1'000;
  for (const auto& call : evidence.calls()) {
    const auto lease = evidence.lease_of(call);
    if (!call.is("acquire", "unknown") || call.key != lock_key || lease >= second) continue;
    if (breaks_during(evidence, call) || !had_majority(evidence, call)) continue;
    if (may_be_leaving(evidence, call.client) || evidence.trace.stood_still()) continue;
    const auto yes = first_yes(evidence, call);
    const auto took = evidence.ms(yes[evidence.trace.majority() - 1]) - evidence.ms(call.called);
    const bool gives_back = given_back_from(evidence.of(call)).has_value();
    if (took > lease / 4 || !gives_back || call.asked.value("wait_ms", 0LL) > 0) continue;
    if (is_let_in_for(evidence, call.client, lease)) continue;
    for (const auto& other : evidence.calls()) {
      const auto longer = other.asked.value("lease_ms", 0LL);
      const bool let_in = other.is("acquire", "acquired") && other.client == call.client;
      if (!let_in || longer < second) continue;
      return fmt::format(
          "your acquire takes a lease for over that has just begun: {} asked for {} ms, had {} of "
          "{} yes after {} ms, gave them back and was told \"unknown\", and with a lease of {} ms "
          "it was let in; what is left is the lease, less what it took to ask, less the drift of "
          "the clocks, in milliseconds: in whole seconds it is 0",
          call.client, lease, yes.size(), evidence.trace.nodes(), took, longer);
    }
  }
  return std::nullopt;
}

Says answers_counted_for_votes(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  const auto majority = evidence.trace.majority();
  for (const auto& call : evidence.calls()) {
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
    // What nobody ever heard, as from a server that is dead, was not to come.
    const auto open =
        count([&](const Sent* c) { return c->heard >= decided && c->heard != faults::never; });
    const auto took = evidence.ms(decided) - evidence.ms(commands.front()->place);
    constexpr long long bearable = 500;  // ms; after a longer silence nobody has to wait
    if (yes >= majority || yes + open < majority || took > bearable) continue;
    const auto answered =
        first.size() - open - count([](const Sent* c) { return c->heard == faults::never; });
    if (answered < majority) {
      return fmt::format(
          "your acquire gives up before a majority has answered: {} had {} of {} yes when it gave "
          "up, with {} still to answer, which could have made them a majority; a single no decides "
          "nothing, so go on until no majority can say yes any more{}",
          call.client, yes, majority, open, of_how_many(evidence));
    }
    return fmt::format(
        "your acquire decides when a majority has answered, whatever it said: {} had {} of {} yes "
        "when it gave up, with {} still to answer, which could have made them a majority; count "
        "the yes, and go on until they are a majority or cannot become one",
        call.client, yes, majority, open);
  }
  return std::nullopt;
}

Says no_taken_for_unknown(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  const auto majority = evidence.trace.majority();
  for (const auto& call : evidence.calls()) {
    const auto commands = last_try(evidence.of(call));
    if (!call.is("acquire", "unknown") || call.key != lock_key || commands.empty()) continue;
    if (breaks_during(evidence, call)) continue;
    if (may_be_leaving(evidence, call.client)) continue;
    const auto first = first_to_each(commands);
    // What it heard when it was giving back already came too late.
    const auto decided = given_back_from(commands).value_or(call.answered);
    // A number below 0 is what acquire.lua says of somebody else's lock.
    const auto no = static_cast<std::size_t>(
        std::count_if(first.begin(), first.end(), [&](const Sent* command) {
          return command->heard < decided && command->number().value_or(0) < 0;
        }));
    // The others may have given it, and are no majority.
    if (evidence.trace.nodes() - no >= majority) continue;
    return fmt::format(
        "your acquire was refused and says that it does not know: {} of {} servers told {} that "
        "the lock is somebody else's, and it answered \"unknown\"; where so many say no there is "
        "no majority, and that is \"contended\"",
        no, evidence.trace.nodes(), call.client);
  }
  return std::nullopt;
}

Says refusal_waits_for_all(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  const auto enough = evidence.trace.nodes() - evidence.trace.majority() + 1;
  for (const auto& call : evidence.calls()) {
    const bool refused = call.is("acquire", "contended") || call.is("acquire", "unknown");
    if (!refused || call.key != lock_key || call.asked.value("wait_ms", 0LL) > 0) continue;
    const auto commands = evidence.of(call);
    if (!asks_once(commands) || may_be_leaving(evidence, call.client)) continue;
    std::vector<std::size_t> no;
    for (const auto* command : first_to_each(commands)) {
      if (command->said_no() && command->heard < call.answered) no.push_back(command->heard);
    }
    if (no.size() < enough || no.size() == evidence.trace.nodes()) continue;
    std::sort(no.begin(), no.end());
    // From then on it gives back, which may take its time.
    auto asking = call;
    asking.answered = std::max(given_back_from(commands).value_or(call.answered), no[enough - 1]);
    if (!waited_on(evidence, no[enough - 1], asking)) continue;
    return fmt::format(
        "your acquire waits on when no majority can say yes any more: {} of {} servers had refused "
        "{} by {} ms, and it went on listening to who was silent until {} ms; stop as soon as too "
        "few are left for a majority",
        enough, evidence.trace.nodes(), call.client, evidence.ms(no[enough - 1]),
        evidence.ms(asking.answered));
  }
  return std::nullopt;
}

Says waits_for_all(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto* call : evidence.acquired()) {
    const auto decided = majority_heard(evidence, *call);
    const bool all = votes_on(evidence, *call).yes.size() == evidence.trace.nodes();
    if (decided == faults::never) continue;
    if (all || !waited_on(evidence, decided, *call)) continue;
    return fmt::format(
        "your acquire waits for every server: {} had a majority at {} ms and answered at {} ms, "
        "because one server was silent; the majority is enough",
        call->client, evidence.ms(decided), evidence.ms(call->answered));
  }
  return std::nullopt;
}

}  // namespace learning::rules
