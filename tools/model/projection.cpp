#include "tools/model/projection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <string>
#include <string_view>

namespace model {
namespace {

using explore::EventKind;
using faults::Kind;

// Stage 8 counts where, and only where, it sets the lock.
constexpr std::string_view counter = "lock:fencing";

// The command by the word of the model; by its own name, if the model has none for it.
std::string message_in(const std::string& label) {
  static const std::map<std::string, std::string, std::less<>> words{
      {"SETNX", "acquire"}, {"SET", "acquire"},         {"acquire.lua", "acquire"},
      {"DEL", "release"},   {"release.lua", "release"}, {"renew.lua", "renew"},
      {"READ", "read"},     {"WRITE", "write"}};
  const auto name = label.substr(label.rfind(' ') + 1);
  const auto found = words.find(name);
  return found == words.end() ? name : found->second;
}

std::string change_of(const faults::Event& event) {
  const auto what = event.text("what");
  if (event.text("key") != faults::lock_key) {
    return event.text("key") == counter && what == "incrby" ? "sets the lock" : "";
  }
  if (what == "set") return "sets the lock";
  if (what == "del") return "removes the lock";
  if (what == "expired") return "expires";
  return {};
}

std::string seen_by_storage(const faults::Event& event) {
  const auto what = event.text("what");
  if (what != "read" && what != "write") return {};
  if (!event.data.value("accepted", false)) return "is refused";
  return fmt::format("{}s {}", what, event.data.value("value", 0));
}

std::string outcome_of(const faults::Event& event) {
  const auto token = event.data.find("fencing_token");
  if (token == event.data.end()) return event.text("outcome");
  return fmt::format("{}, token {}", event.text("outcome"), token->dump());
}

std::string effect_of(const faults::Event& event) {
  switch (event.kind) {
    case Kind::server: return change_of(event);
    case Kind::storage: return seen_by_storage(event);
    case Kind::answer: return outcome_of(event);
    default: return {};
  }
}

std::string effects_of(const faults::Record& history) {
  std::vector<std::string> effects;
  for (const auto& event : history) {
    auto effect = effect_of(event);
    if (!effect.empty()) effects.push_back(std::move(effect));
  }
  return fmt::format("{}", fmt::join(effects, ", "));
}

std::string what_happens(const RecordedEvent& event) {
  switch (event.kind) {
    case EventKind::begin: return "begins";
    case EventKind::send: return message_in(event.label) + " arrives";
    case EventKind::reply: return "reply to " + message_in(event.label) + " arrives";
    case EventKind::thaw: return "continues";
    case EventKind::freeze: return "freezes";
    case EventKind::kill: return "dies";
    default: return event.label;
  }
}

}  // namespace

std::optional<Action> action_of(const RecordedEvent& event) {
  auto effect = effects_of(event.history);
  if (event.kind == EventKind::advance) {
    if (effect.empty()) return std::nullopt;
    const bool is_lease = effect == "expires";
    return Action{"", is_lease ? "the lease ends" : event.label, is_lease ? "" : effect};
  }
  auto what = what_happens(event);
  if (effect.empty() && what.find("BEGIN") != std::string::npos) return std::nullopt;
  return Action{event.client, std::move(what), std::move(effect)};
}

ActionGraph project(const RecordedGraph& graph) {
  ActionGraph projected;
  for (const auto& events : graph.states) {
    auto& edges = projected.emplace_back();
    for (const auto& event : events) {
      edges.push_back({.action = action_of(event), .next = event.next, .label = event.label});
    }
  }
  return projected;
}

}  // namespace model
