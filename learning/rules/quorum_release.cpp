// Rules about giving back a lock on several servers.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// Is somebody kept from sending what he would?
bool was_disturbed(const Evidence& evidence) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [](const auto& event) {
    const auto what = event.text("what");
    return event.kind == faults::Kind::fault && what != faults::fault::held &&
           what != faults::fault::delivered;
  });
}

// When the servers that removed the lock said so to a release before it was answered, in order.
std::vector<std::size_t> removals_heard(const Evidence& evidence, const Call& call) {
  std::vector<std::size_t> heard;
  for (const auto* command : evidence.of(call)) {
    const bool removed = command->said_yes() && command->did("del");
    if (removed && command->heard < call.answered) heard.push_back(command->heard);
  }
  std::sort(heard.begin(), heard.end());
  return heard;
}

// What a release had heard before it was answered.
struct Told {
  std::set<std::string> removed;       // servers that removed the lock, and said so
  std::set<std::string> denied;        // others, that had nothing to remove
  bool says_yes_all_the_same = false;  // one that removed nothing said yes
};

Told told_of_removal(const Evidence& evidence, const Call& call) {
  Told told;
  for (const auto* command : evidence.of(call)) {
    if (command->heard >= call.answered) continue;
    const bool removed = command->did("del");
    if (removed && command->said_yes()) told.removed.insert(command->server);
    if (!removed && command->said_yes()) told.says_yes_all_the_same = true;
    if (!removed && command->said_no()) told.denied.insert(command->server);
  }
  return told;
}

}  // namespace

Says release_does_not_wait(const Evidence& evidence) {
  const bool lost =
      std::any_of(evidence.record().begin(), evidence.record().end(), [](const auto& e) {
        return e.kind == faults::Kind::fault && e.text("what") == faults::fault::reset;
      });
  if (!evidence.several_servers() || lost) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "unknown")) continue;
    const auto commands = evidence.of(call);
    const auto removed = std::count_if(commands.begin(), commands.end(), [](const Sent* command) {
      return command->said_yes() && command->did("del");
    });
    if (removed < static_cast<std::ptrdiff_t>(evidence.trace.majority())) continue;
    if (removals_heard(evidence, call).size() >= evidence.trace.majority()) continue;
    return fmt::format(
        "your release does not wait for a majority: {} of {} removed the lock, and {} answered "
        "\"unknown\" before it had heard them",
        removed, evidence.trace.nodes(), call.client);
  }
  return std::nullopt;
}

Says release_wants_all(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "unknown")) continue;
    const auto removed = removals_heard(evidence, call).size();
    if (removed < evidence.trace.majority()) continue;
    return fmt::format(
        "your release answered \"unknown\" when {} of {} servers had told {} that they removed the "
        "lock: it wants more than a majority, or does not look at what it was told; with {} of "
        "them gone nobody is kept out any more, so that is \"released\"",
        removed, evidence.trace.nodes(), call.client, evidence.trace.majority());
  }
  return std::nullopt;
}

Says release_waits_for_all(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto heard = removals_heard(evidence, call);
    if (!call.is("release", "released") || heard.size() < evidence.trace.majority()) continue;
    const auto decided = heard[evidence.trace.majority() - 1];
    const bool all = heard.size() == evidence.trace.nodes();
    if (all || !waited_on(evidence, decided, call)) continue;
    return fmt::format(
        "your release waits for every server: a majority had removed {}'s lock at {} ms, and it "
        "answered at {} ms, because one server was silent; the majority is enough",
        call.client, evidence.ms(decided), evidence.ms(call.answered));
  }
  return std::nullopt;
}

Says release_asks_too_few(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    std::set<std::string> asked;
    for (const auto* command : evidence.of(call)) asked.insert(command->server);
    const bool decided = !call.outcome.empty() && call.outcome != "unknown";
    const bool too_few = !asked.empty() && asked.size() < evidence.trace.majority();
    if (call.name != "release" || !decided || !too_few) continue;
    return fmt::format(
        "your release answered \"{}\" and had asked {} of {} servers: whether the lock is removed "
        "is for a majority to say, and every server that may have it has to be told",
        call.outcome, asked.size(), evidence.trace.nodes());
  }
  return std::nullopt;
}

Says release_of_too_few(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "released") || evidence.of(call).empty()) continue;
    const auto told = told_of_removal(evidence, call);
    if (told.removed.size() >= evidence.trace.majority() || told.says_yes_all_the_same) continue;
    if (told.removed.size() + told.denied.size() >= evidence.trace.majority()) {
      return fmt::format(
          "your release answered \"released\" when {} of {} servers had told {} that they removed "
          "the lock, and {} that they had nothing of it to remove: what is gone was not given "
          "back, but lost before, and that is \"expired\", or \"stolen\"",
          told.removed.size(), evidence.trace.nodes(), call.client, told.denied.size());
    }
    return fmt::format(
        "your release does not wait for a majority: it answered \"released\" when {} of {} servers "
        "had told {} that the lock is removed; the others may keep it, and only with {} of them is "
        "it gone",
        told.removed.size(), evidence.trace.nodes(), call.client, evidence.trace.majority());
  }
  return std::nullopt;
}

Says few_deny_a_release(const Evidence& evidence) {
  if (!evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "stolen") && !call.is("release", "expired")) continue;
    const auto told = told_of_removal(evidence, call);
    // As long as so few say so the others may have removed it.
    const auto few = evidence.trace.nodes() - evidence.trace.majority();
    if (told.removed.empty() || told.denied.size() > few) continue;
    return fmt::format(
        "your release decides by too few: {} of {} servers had removed {}'s lock, {} had nothing "
        "of it, and it answered \"{}\"; a few may have missed it, or lost it, so that the lock "
        "was not there is for a majority to say as well",
        told.removed.size(), evidence.trace.nodes(), call.client, told.denied.size(), call.outcome);
  }
  return std::nullopt;
}

Says release_leaves_servers_out(const Evidence& evidence) {
  if (!evidence.several_servers() || was_disturbed(evidence)) return std::nullopt;
  const auto& holds = evidence.trace.holds;
  for (const auto& kept : holds) {
    const auto from = kept.from;
    // On another server the same client has removed the lock that it had there at the same time.
    const auto removed = std::find_if(holds.begin(), holds.end(), [&](const auto& other) {
      if (other.owner != kept.owner || other.end != "del" || other.ended_by != kept.owner) {
        return false;
      }
      const auto to = other.to;
      return evidence.held_at(other.server, from) == &other ||
             (from < to && evidence.held_at(kept.server, to) == &kept);
    });
    if (removed == holds.end() || kept.end == "del" || kept.owner.empty()) continue;
    const auto since = removed->from;
    const auto asked =
        std::count_if(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
          return command.client == kept.owner && command.server == kept.server &&
                 command.place > std::max(from, since);
        });
    if (asked > 0) continue;
    return fmt::format(
        "your release leaves servers out: {} removed its lock at {}, and {}, which had it too, was "
        "not asked to; every server that may have it has to be told",
        kept.owner, removed->server, kept.server);
  }
  return std::nullopt;
}

}  // namespace learning::rules
