// Rules about giving one's own lock back: whether it is removed, and whether the answer says so.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// A release that left its own lock where it was.
const Call* left_in_place(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "release" || call.key != lock_key || call.answered == faults::never) continue;
    const auto commands = evidence.of(call);
    if (commands.empty() && call.outcome == "not_held") continue;
    const bool says_nothing_of_it =
        call.outcome == "unknown" || call.outcome == "still_held" || call.outcome == "error";
    if (says_nothing_of_it) continue;
    if (holder_during(evidence, call) == call.client) return &call;
  }
  return nullptr;
}

// Was its client ever told "acquired" of that key? Else there is nothing to give back.
bool took_before(const Evidence& evidence, const Call& release) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
    return call.is("acquire", "acquired") && call.client == release.client &&
           call.key == release.key && call.answered < release.called;
  });
}

}  // namespace

Says silence_taken_for_an_answer(const Evidence& evidence) {
  const auto* call = left_in_place(evidence);
  if (call == nullptr || call->outcome == "released") return std::nullopt;
  const auto commands = evidence.of(*call);
  const bool heard = std::any_of(commands.begin(), commands.end(), [&](const Sent* command) {
    return command->heard < call->answered;
  });
  if (commands.empty() || heard) return std::nullopt;
  return fmt::format(
      "your release took silence for an answer: {} was sent, its answer had not come when {} was "
      "told \"{}\"; what was not heard is \"unknown\"",
      commands.back()->name(), call->client, call->outcome);
}

Says compares_with_something_else(const Evidence& evidence) {
  const auto* call = left_in_place(evidence);
  if (call == nullptr || call->outcome == "released") return std::nullopt;
  const auto commands = evidence.of(*call);
  const auto token = evidence.token_of(call->client, call->called);
  if (commands.empty() || token.empty()) return std::nullopt;
  if (looks(commands.back()) && commands.back()->reply == token) {
    return fmt::format(
        "your release took its own lock for somebody else's: {} answered {}, which is its own "
        "token, and nothing was deleted; the comparison is the wrong way round, or what it "
        "compares is gone by then (text() is there for as long as its Reply)",
        commands.back()->name(), token);
  }
  const auto& words = commands.back()->words;
  const bool brings_it = std::find(words.begin(), words.end(), token) != words.end();
  return fmt::format(
      "your release left its own lock where it was: {} answered {}, which says that the lock is "
      "not its own, and it was; {}",
      commands.back()->name(), commands.back()->reply,
      brings_it ? fmt::format("it brings the token that acquire put there ({}), so look at what "
                              "it compares that with, and at what it deletes",
                              token)
                : fmt::format("what it compares the key's value with is not the token that "
                              "acquire put there ({})",
                              token));
}

Says released_nothing(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const auto commands = evidence.of(call);
    const bool removed = std::any_of(commands.begin(), commands.end(),
                                     [](const Sent* command) { return command->did("del"); });
    if (!call.is("release", "released") || removed) continue;
    if (commands.empty()) {
      if (!took_before(evidence, call)) continue;
      return "your release answered \"released\" and sent nothing: the server still has the lock";
    }
    if (commands.back()->said_no()) continue;
    if (commands.back()->reply.empty()) {
      return fmt::format(
          "your release answered \"released\" and does not know: {} was sent and never answered, "
          "and it may not have arrived; that is \"unknown\"",
          commands.back()->name());
    }
    // A command that was under way at the same time may seem to have done it.
    const auto* hold = evidence.held_at("redis", call.called);
    const bool was_its_own = hold != nullptr && hold->owner == call.client && call.key == lock_key;
    if (was_its_own && evidence.held_at("redis", commands.back()->answered) != hold) continue;
    return fmt::format(
        "your release answered \"released\" and the lock is still there: {} was sent, and removed "
        "nothing",
        commands.back()->name());
  }
  return std::nullopt;
}

Says removed_and_denied(const Evidence& evidence) {
  if (evidence.several_servers()) return std::nullopt;
  for (const auto& call : evidence.calls()) {
    const bool denied =
        call.outcome == "expired" || call.outcome == "stolen" || call.outcome == "not_held";
    const auto* hold = evidence.held_at("redis", call.called);
    if (call.name != "release" || !denied || hold == nullptr || hold->owner != call.client)
      continue;
    for (const auto* command : evidence.of(call)) {
      if (!command->did("del")) continue;
      return fmt::format(
          "your release removed its lock and answered \"{}\": {} was answered {}; what says that "
          "the lock was removed has to come back, and to be read as that",
          call.outcome, command->name(), command->reply);
    }
  }
  return std::nullopt;
}

Says outcome_ignores_answer(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (!call.is("release", "released") || call.key != lock_key || evidence.several_servers()) {
      continue;
    }
    const auto commands = evidence.of(call);
    const auto removed = std::any_of(commands.begin(), commands.end(),
                                     [](const Sent* command) { return command->did("del"); });
    if (removed || commands.empty() || !commands.back()->said_no()) continue;
    const bool negative = commands.back()->number().value_or(0) < 0;
    return fmt::format(
        "your release answered \"released\" whatever the server said: {} was answered {}, which "
        "says that nothing was removed{}",
        commands.back()->name(), commands.back()->reply,
        negative ? "; in C++ every number but 0 is true, that one as well" : "");
  }
  return std::nullopt;
}

}  // namespace learning::rules
