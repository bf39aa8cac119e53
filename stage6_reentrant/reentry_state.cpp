#include "stage6_reentrant/reentry_state.h"

#include <map>
#include <mutex>
#include <utility>

namespace stage6 {

std::shared_ptr<ReentryState> ReentryState::of(const std::string& server, const std::string& key) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::weak_ptr<ReentryState>> all;
  const std::lock_guard guard(mutex);
  auto& known = all[{server, key}];
  auto state = known.lock();
  if (!state) {
    state = std::make_shared<ReentryState>();
    known = state;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return state;
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
