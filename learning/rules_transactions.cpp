// Rules about WATCH, MULTI and EXEC.
#include <fmt/format.h>

#include <algorithm>

#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning::rules {
namespace {

// The EXEC of a call, if it was answered nil: a key that is watched had changed, and nothing was
// done. Null: there is none.
const Sent* refused_exec(const Evidence& evidence, const Call& call) {
  for (const auto* command : evidence.of(call)) {
    if (command->name() == "EXEC" && command->reply == "nil") return command;
  }
  return nullptr;
}

}  // namespace

Says exec_not_looked_at(const Evidence& evidence) {
  for (const auto* call : evidence.acquired()) {
    const auto* exec = refused_exec(evidence, *call);
    if (exec == nullptr || evidence.of(*call).back() != exec) continue;
    return fmt::format(
        "your acquire does not look at what EXEC answered: it was nil at {} ms, which says that a "
        "watched key had changed and nothing was done, and {} was told \"acquired\"; nil is "
        "\"contended\"",
        evidence.ms(exec->answered), call->lane);
  }
  return std::nullopt;
}

Says watch_left_over(const Evidence& evidence) {
  for (const auto& call : evidence.calls) {
    if (call.name != "release" || call.key != lock_key) continue;
    const auto* exec = refused_exec(evidence, call);
    if (exec == nullptr || holder_during(evidence, call) != call.lane) continue;
    // An earlier call of the same client that watched, and came to no end of it.
    for (const auto& earlier : evidence.calls) {
      if (earlier.lane != call.lane || earlier.called >= call.called) continue;
      const auto commands = evidence.of(earlier);
      const auto sends = [&](std::string_view name) {
        return std::any_of(commands.begin(), commands.end(),
                           [&](const Sent* command) { return command->name() == name; });
      };
      if (!sends("WATCH") || sends("EXEC") || sends("UNWATCH") || sends("DISCARD")) continue;
      return fmt::format(
          "your release left its own lock where it was: EXEC was answered nil at {} ms, since a "
          "key "
          "had changed that {} watches since its {} at {} ms; a WATCH lasts until EXEC, so who "
          "does not come to that sends UNWATCH",
          evidence.ms(exec->answered), call.lane, earlier.name, evidence.ms(earlier.called));
    }
  }
  return std::nullopt;
}

}  // namespace learning::rules
