// Rules about WATCH, MULTI and EXEC, on one server.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules/parts.h"
#include "learning/rules/rules.h"

namespace learning::rules {
namespace {

// The EXEC of a call that was heard to be answered nil, and the WATCH of the same call before it: a
// key that is watched had changed, and nothing was done.
struct Refused {
  const Sent* watch = nullptr;
  const Sent* exec = nullptr;

  explicit operator bool() const { return watch != nullptr && exec != nullptr; }
};

Refused refused_exec(const Evidence& evidence, const Call& call) {
  Refused refused;
  if (evidence.several_servers()) return refused;
  for (const auto* command : evidence.of(call)) {
    if (command->name() == "WATCH") refused.watch = command;
    const bool is_nil = command->name() == "EXEC" && command->reply == "nil";
    if (is_nil && command->heard < call.answered) refused.exec = command;
  }
  return refused;
}

// What `call`'s client watches from before that call on: the WATCH, or null.
const Sent* watched_before(const Evidence& evidence, const Call& call) {
  const Sent* watch = nullptr;
  for (const auto& command : evidence.sent) {
    if (command.client != call.client || command.place > call.called) continue;
    const auto name = command.name();
    const bool ends = name == "EXEC" || name == "UNWATCH" || name == "DISCARD";
    // One that was not answered is followed by another connection.
    if (ends || command.heard == faults::never) watch = nullptr;
    if (name == "WATCH" && command.heard != faults::never) watch = &command;
  }
  return watch;
}

// Was the lock written while the call itself watched it?
bool is_written_meanwhile(const Evidence& evidence, const Refused& refused) {
  return std::any_of(evidence.record().begin(), evidence.record().end(), [&](const auto& event) {
    return event.kind == faults::Kind::server && event.text("key") == lock_key &&
           event.number > refused.watch->place && event.number < refused.exec->answered;
  });
}

}  // namespace

Says exec_not_looked_at(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto refused = refused_exec(evidence, *call);
    if (!refused || evidence.of(*call).back() != refused.exec) continue;
    return fmt::format(
        "your acquire does not look at what EXEC answered: it was nil at {} ms, which says that a "
        "watched key had changed and nothing was done, and {} was told \"acquired\"; that is "
        "\"contended\"",
        evidence.ms(refused.exec->answered), call->client);
  }
  return std::nullopt;
}

Says watch_left_over(const Evidence& evidence) {
  for (const auto& call : evidence.calls()) {
    if (call.name != "release" || call.key != lock_key) continue;
    const auto refused = refused_exec(evidence, call);
    if (!refused || holder_during(evidence, call) != call.client) continue;
    const auto* earlier = watched_before(evidence, call);
    if (earlier == nullptr || is_written_meanwhile(evidence, refused)) continue;
    return fmt::format(
        "your release left its own lock where it was: EXEC was answered nil at {} ms, since a key "
        "had changed that {} has watched since {} ms; a WATCH lasts until EXEC, so on every other "
        "way out send UNWATCH",
        evidence.ms(refused.exec->answered), call.client, evidence.ms(earlier->place));
  }
  return std::nullopt;
}

}  // namespace learning::rules
