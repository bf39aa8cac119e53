#include "stage6_reentrant/reentry_state.h"

#include <utility>

#include "core/shared_instances.h"

namespace stage6 {

std::shared_ptr<ReentryState> ReentryState::of(const std::string& server, const std::string& key) {
  static core::SharedInstances<std::pair<std::string, std::string>, ReentryState> all;
  return all.get({server, key}, [] { return std::make_shared<ReentryState>(); });
}

ReentryState::~ReentryState() {
  for (const auto& [thread, levels] : levels_.take_all()) {
    for (const auto& level : levels) watchdog_->forget(level.hold);
  }
}

std::optional<Level> ReentryState::current() const {
  return levels_.look([](const auto& levels) {
    return levels.empty() ? std::nullopt : std::optional(levels.back());
  });
}

void ReentryState::enter(Level level) {
  levels_.change([&](auto& levels) {
    levels.push_back(std::move(level));
    return true;
  });
}

void ReentryState::begin_release() {
  levels_.change([](auto& levels) {
    if (!levels.empty()) levels.back().releasing = true;
    return !levels.empty();
  });
}

void ReentryState::leave() {
  levels_.change([](auto& levels) {
    if (!levels.empty()) levels.pop_back();
    return !levels.empty();
  });
}

}  // namespace stage6
