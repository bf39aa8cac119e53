// Rules about a client that has several locks at once.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// The key of another lock that `lane` has all the time while `call` is under way; empty: none.
std::string another_lock_of(const Evidence& evidence, const Call& call) {
  for (const auto& other : evidence.calls()) {
    const bool took_another =
        other.client == call.client && other.key != lock_key && other.is("acquire", "acquired");
    if (!took_another || other.answered > call.called || evidence.of(other).empty()) continue;
    if (depth_at(evidence, call.client, call.called, other.key) > 0) return other.key;
  }
  return {};
}

// Has `lane` ever given back a lock as one should?
bool can_give_back(const Evidence& evidence, const Call& release) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(), [&](const Call& call) {
    return call.is("release", "released") && call.client == release.client &&
           call.called < release.called;
  });
}

// Has anybody joined a hold? Then it may be held on after a release.
bool somebody_joins(const Evidence& evidence) {
  return std::any_of(evidence.calls().begin(), evidence.calls().end(),
                     [](const Call& call) { return call.asked.contains("join"); });
}

bool brings(const Sent& command, const std::string& token) {
  return std::find(command.words.begin(), command.words.end(), token) != command.words.end();
}

constexpr std::string_view of_its_own =
    "what a lock remembers has to be its own: a member of the lock, and nothing that is static or "
    "known by the thread alone";

}  // namespace

Says mixes_up_its_locks(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    const auto other = call.key == lock_key ? another_lock_of(evidence, call) : std::string{};
    if (other.empty()) continue;
    const auto depth = depth_at(evidence, call.client, call.called);
    const auto commands = evidence.of(call);
    if (call.name == "acquire" && depth == 0 && commands.empty()) {
      return fmt::format(
          "your lock takes one lock for another: {} had \"{}\", asked for \"{}\" at {} ms, was "
          "told \"{}\", and no server was asked; {}",
          call.client, other, lock_key, evidence.ms(call.called), call.outcome, of_its_own);
    }
    const auto theirs = evidence.token_of(call.client, call.called, other);
    const bool enters_another = call.name == "acquire" && depth == 0 && !theirs.empty() &&
                                commands.size() > 1 && brings(*commands.front(), theirs) &&
                                commands.front()->said_no() && !brings(*commands.back(), theirs);
    if (enters_another) {
      return fmt::format(
          "your lock takes one lock for another: {} had \"{}\", and when it asked for \"{}\" at {} "
          "ms what it sent was to go deeper into the hold that it had on the other ({}), and was "
          "answered {}; {}",
          call.client, other, lock_key, evidence.ms(call.called), theirs, commands.front()->reply,
          of_its_own);
    }
    const bool wrong = call.name == "release" && depth == 1 && call.outcome != "released" &&
                       call.outcome != "unknown";
    const bool removed = std::any_of(commands.begin(), commands.end(),
                                     [](const Sent* command) { return command->did("del"); });
    if (!wrong || removed || !can_give_back(evidence, call)) continue;
    const auto own = evidence.token_of(call.client, call.called);
    for (const auto* command : commands) {
      if (own.empty() || command->key() != lock_key || brings(*command, own)) continue;
      const auto what =
          command->token().empty()
              ? fmt::format("was answered {}, which it did not know any more", command->reply)
              : "brought " + command->token();
      return fmt::format(
          "your locks share a token: {} took \"{}\" with {}, and \"{}\" as well, and when it gave "
          "the first back {} {}; {}",
          call.client, lock_key, own, other, command->name(), what, of_its_own);
    }
    if (call.outcome == "still_held" && !commands.empty() && !somebody_joins(evidence)) {
      return fmt::format(
          "your locks share their levels: {} had \"{}\" and \"{}\", once each, and gave the first "
          "back at {} ms, and it is still held, as if it had been taken twice; how deep a thread "
          "is inside is counted for each lock apart: {}",
          call.client, lock_key, other, evidence.ms(call.called), of_its_own);
    }
    if (!commands.empty()) continue;
    return fmt::format(
        "your lock takes one lock for another: {} had \"{}\" and \"{}\", gave the first back at {} "
        "ms, was told \"{}\", and no server was asked; {}",
        call.client, lock_key, other, evidence.ms(call.called), call.outcome, of_its_own);
  }
  return std::nullopt;
}

Says renews_one_lock_only(const Evidence& evidence) {
  for (const auto& hold : evidence.trace.holds) {
    if (hold.end != "expired") continue;
    const auto from = hold.from;
    const auto to = hold.to;
    const bool is_renewed =
        std::any_of(evidence.sent.begin(), evidence.sent.end(), [&](const Sent& command) {
          return command.client == hold.owner && command.key() == lock_key && !command.operation &&
                 from < command.place && command.place < to;
        });
    if (is_renewed) continue;
    for (const auto& other : evidence.sent) {
      const auto* call = evidence.call_of(other);
      // What is sent for another key while this one is asked for comes by itself.
      const bool by_itself = call == nullptr || call->key == lock_key;
      const bool of_another = other.client == hold.owner && !other.key().empty() &&
                              other.key() != lock_key && by_itself && other.did("expire");
      if (!of_another || other.place < from || other.place > to) continue;
      if (depth_at(evidence, hold.owner, other.place, other.key()) == 0) continue;
      return fmt::format(
          "your watchdog renews one lock of several: {} had \"{}\" and \"{}\", the second was "
          "renewed at {} ms, and the lease of the first ended at {} ms; {}",
          hold.owner, lock_key, other.key(), evidence.ms(other.place), evidence.ms(to), of_its_own);
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
