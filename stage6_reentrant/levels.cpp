#include "stage6_reentrant/levels.h"

#include <map>
#include <utility>

namespace stage6 {

std::shared_ptr<Levels> Levels::of(const std::string& server, const std::string& key) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::weak_ptr<Levels>> all;
  const std::lock_guard guard(mutex);
  auto& known = all[{server, key}];
  auto levels = known.lock();
  if (!levels) {
    levels = std::make_shared<Levels>();
    known = levels;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return levels;
}

Levels::~Levels() {
  for (const auto& [thread, levels] : levels_.take_all()) {
    for (const auto& level : levels) watchdog_->forget(level.hold);
  }
}

std::optional<Level> Levels::innermost() const {
  return levels_.look([](const auto& levels) {
    return levels.empty() ? std::nullopt : std::optional(levels.back());
  });
}

void Levels::enter(Level level) {
  levels_.change([&](auto& levels) {
    levels.push_back(std::move(level));
    return true;
  });
}

void Levels::begin_to_leave() {
  levels_.change([](auto& levels) {
    if (!levels.empty()) levels.back().leaving = true;
    return !levels.empty();
  });
}

void Levels::leave() {
  levels_.change([](auto& levels) {
    if (!levels.empty()) levels.pop_back();
    return !levels.empty();
  });
}

std::shared_ptr<Bell> Levels::bell(const core::Address& server, const std::string& channel) {
  const std::lock_guard guard(mutex_);
  if (!bell_) bell_ = std::make_shared<Bell>(server, channel);
  return bell_;
}

std::uint64_t Levels::rung() const {
  const std::lock_guard guard(mutex_);
  return bell_ ? bell_->rung() : 0;
}

}  // namespace stage6
