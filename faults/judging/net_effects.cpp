#include "faults/judging/net_effects.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace faults {
namespace {

bool is_release(const Trace& trace, const SentCommand& command) {
  return command.operation && trace.every_operation[*command.operation].name == "release";
}

// Did it write the key after it had removed it? One that counts down writes before.
bool writes_again(const SentCommand& command) {
  const auto removed = std::find(command.effects.begin(), command.effects.end(), "del");
  return std::any_of(removed, command.effects.end(), writes_key);
}

// Did the script of a release do both? Not if another client's command may have done the second.
bool is_of_one_script(const Trace& trace, const Event& removed, const Event& written) {
  bool found = false;
  for (const auto& command : trace.sent) {
    const bool is_there = command.server == removed.process && command.place < removed.number &&
                          written.number < command.settled &&
                          removed.data.value("by", command.client) == command.client;
    if (!is_there) continue;
    if (!is_release(trace, command)) return false;
    found = found || (command.is_script() && writes_again(command));
  }
  return found;
}

}  // namespace

bool writes_key(const std::string& what) {
  static const std::set<std::string, std::less<>> others{
      "del",  "expired", "evicted", "kept", "expire",      "persist",          "hdel",
      "zrem", "srem",    "lpop",    "rpop", "rename_from", "zremrangebyscore", "zremrangebyrank"};
  return !others.contains(what);
}

std::set<std::size_t> changes_put_back(const Trace& trace) {
  std::vector<const Event*> changes;
  for (const auto& event : trace.events) {
    if (event.kind == Kind::server) changes.push_back(&event);
  }
  std::set<std::size_t> put_back;
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    const auto& removed = *changes[i];
    const auto& written = *changes[i + 1];
    const bool may_be = removed.process == written.process && removed.text("what") == "del" &&
                        writes_key(written.text("what"));
    if (!may_be || !is_of_one_script(trace, removed, written)) continue;
    put_back.insert({removed.number, written.number});
    const auto* lease = i + 2 < changes.size() ? changes[i + 2] : nullptr;
    const bool has_one =
        lease != nullptr && lease->process == removed.process && lease->text("what") == "expire";
    if (has_one) put_back.insert(lease->number);
  }
  return put_back;
}

}  // namespace faults
