#include "tools/learning/mistakes/renewals.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>

namespace learning {
namespace {

using faults::lock_key;
using faults::Operation;

// Nobody renews yet: when clients warm up, and when one first asks for the lock.
std::set<std::size_t> calls_before_any_renewal(const std::vector<Operation>& calls) {
  std::set<std::size_t> found;
  std::set<std::string> have_asked;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool warms_up = calls[i].key != lock_key && !have_asked.contains(calls[i].client);
    const bool asks = calls[i].name == "acquire" && !warms_up;
    if (warms_up || (asks && have_asked.insert(calls[i].client).second)) found.insert(i);
  }
  return found;
}

// Is a client being stopped, who then gives back what it may still have?
bool is_leaving(const std::vector<Operation>& calls, const Sent& command) {
  return std::any_of(calls.begin(), calls.end(), [&](const Operation& call) {
    return call.name == "bye" && call.client == command.client && call.called < command.place &&
           command.place < call.answered;
  });
}

// May it be the first renewal already, of who does not wait before that?
bool may_renew_at_once(const Sent& command) {
  return command.is_script() && command.effects == std::vector<std::string>{"expire"};
}

// Which script it runs, if that can be seen, or else which command it is.
std::string kind_of(const Sent& command) {
  const auto script = command.script();
  return script.empty() ? command.name() : script;
}

}  // namespace

void mark_renewals(const std::vector<Operation>& calls, std::vector<Sent>& sent) {
  const auto before_any = calls_before_any_renewal(calls);
  std::set<std::string> by_hand;
  std::set<std::string> by_itself;
  const auto is_alone = [&](const Sent& command) {
    return !command.operation && !is_leaving(calls, command);
  };
  for (const auto& command : sent) {
    const bool is_first = command.operation && before_any.contains(*command.operation);
    if (is_first && !may_renew_at_once(command)) by_hand.insert(kind_of(command));
    if (is_alone(command) && command.key() == lock_key) by_itself.insert(kind_of(command));
  }
  for (auto& command : sent) {
    const auto kind = kind_of(command);
    const bool is_known = command.is_script() && !command.script().empty();
    const bool is_its_own_kind = by_itself.contains(kind) && !by_hand.contains(kind);
    // A DEL leaves, and a TTL asks how long the lock lasts: neither renews.
    constexpr std::array no_renewals{"DEL", "UNLINK", "TTL", "PTTL"};
    const auto* const found = std::find(no_renewals.begin(), no_renewals.end(), kind);
    if (found != no_renewals.end()) continue;
    command.renews =
        command.key() == lock_key && (is_its_own_kind || (!is_known && is_alone(command)));
  }
}

}  // namespace learning
