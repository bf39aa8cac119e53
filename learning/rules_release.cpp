// Rules about giving the lock back.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules.h"

namespace learning::rules {
namespace {

using faults::ServerHold;

// A command that removed a lock which was not its sender's.
struct Theft {
  const Sent* command = nullptr;
  const Sent* before = nullptr;  // what the same call sent before it, if anything
  std::string owner;             // whose lock it was

  explicit operator bool() const { return command != nullptr; }
};

Theft theft_in(const Evidence& evidence) {
  for (const auto& command : evidence.sent) {
    if (!command.did("del") || command.key() != "lock") continue;
    const auto removed = std::find_if(
        evidence.story.holds.begin(), evidence.story.holds.end(), [&](const ServerHold& hold) {
          if (hold.to == faults::never || hold.end != "del") return false;
          const auto at = evidence.story.events[hold.to].number;
          return hold.server == command.server && command.place < at && at <= command.answered &&
                 hold.owner != command.lane;
        });
    if (removed == evidence.story.holds.end()) continue;
    Theft theft{.command = &command, .owner = removed->owner};
    if (const auto* call = evidence.call_of(command)) {
      for (const auto* other : evidence.of(*call)) {
        if (other->place < command.place) theft.before = other;
      }
    }
    return theft;
  }
  return {};
}

bool looks(const Sent* command) {
  return command != nullptr && (command->name() == "GET" || command->name() == "HGET");
}

// A release that left its own lock where it was.
const Call* left_in_place(const Evidence& evidence) {
  for (const auto& call : evidence.calls) {
    if (call.name != "release" || call.key != "lock" || call.answered == faults::never) continue;
    const auto commands = evidence.of(call);
    if (commands.empty() && call.outcome == "not_held") continue;
    if (call.outcome == "unknown" || call.outcome == "still_held") continue;
    const auto* hold = evidence.held_at("redis", call.answered);
    const auto* before = evidence.held_at("redis", call.called);
    if (hold != nullptr && hold == before && hold->owner == call.lane) return &call;
  }
  return nullptr;
}

}  // namespace

Says del_without_compare(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || theft.command->is_script() || looks(theft.before)) return std::nullopt;
  return fmt::format(
      "your release deleted a lock that was {}'s: it sends {} without asking whose the key is; "
      "nothing ties the lock to its holder",
      theft.owner, theft.command->name());
}

Says deletes_after_mismatch(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || !looks(theft.before)) return std::nullopt;
  const auto own = evidence.token_of(theft.command->lane, theft.command->place);
  if (theft.before->reply == own || own.empty()) return std::nullopt;
  return fmt::format(
      "your release saw that the lock was not its own and deleted it all the same: {} answered {}, "
      "its own token was {}, and {} followed",
      theft.before->name(), theft.before->reply, own, theft.command->name());
}

Says compare_then_del(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || !looks(theft.before)) return std::nullopt;
  const auto own = evidence.token_of(theft.command->lane, theft.command->place);
  if (theft.before->reply != own) return std::nullopt;
  return fmt::format(
      "your release deleted a lock it no longer owned: {} said that it was its own, the lease ran "
      "out, {} got in, and nothing compared the token again at {}; the comparison and the deletion "
      "have to be one step",
      theft.before->name(), theft.owner, theft.command->name());
}

Says script_does_not_compare(const Evidence& evidence) {
  const auto theft = theft_in(evidence);
  if (!theft || !theft.command->is_script() || looks(theft.before)) return std::nullopt;
  return fmt::format(
      "your release script deleted a lock that was {}'s: it was given the token of its caller, and "
      "deletes whatever is there without comparing it",
      theft.owner);
}

Says compares_with_something_else(const Evidence& evidence) {
  const auto* call = left_in_place(evidence);
  if (call == nullptr || call->outcome == "released") return std::nullopt;
  const auto commands = evidence.of(*call);
  if (commands.empty()) return std::nullopt;
  const auto token = evidence.token_of(call->lane, call->called);
  if (looks(commands.back()) && commands.back()->reply == token) {
    return fmt::format(
        "your release took its own lock for somebody else's: {} answered {}, which is its own "
        "token, "
        "and nothing was deleted; the comparison is the wrong way round",
        commands.back()->name(), token);
  }
  return fmt::format(
      "your release left its own lock where it was: {} answered {}, which says that the lock is "
      "not "
      "its own, and it was; what it compares the key's value with is not the token that acquire "
      "put there ({})",
      commands.back()->name(), commands.back()->reply, evidence.token_of(call->lane, call->called));
}

Says released_nothing(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls) {
    const auto commands = evidence.of(call);
    const bool removed = std::any_of(commands.begin(), commands.end(),
                                     [](const Sent* command) { return command->did("del"); });
    if (!call.is("release", "released") || removed) continue;
    if (commands.empty()) {
      return "your release answered \"released\" and sent nothing: the server still has the lock";
    }
    if (commands.back()->said_no()) continue;
    return fmt::format(
        "your release answered \"released\" and the lock is still there: {} was sent, and removed "
        "nothing",
        commands.back()->name());
  }
  return std::nullopt;
}

Says outcome_ignores_answer(const Evidence& evidence) {
  for (const auto& call : evidence.calls) {
    if (!call.is("release", "released") || call.key != "lock" || evidence.several_servers()) {
      continue;
    }
    const auto commands = evidence.of(call);
    const auto removed = std::any_of(commands.begin(), commands.end(),
                                     [](const Sent* command) { return command->did("del"); });
    if (removed || commands.empty() || !commands.back()->said_no()) continue;
    return fmt::format(
        "your release answered \"released\" whatever the server said: {} was answered {}, which "
        "says that nothing was removed",
        commands.back()->name(), commands.back()->reply);
  }
  return std::nullopt;
}

}  // namespace learning::rules
