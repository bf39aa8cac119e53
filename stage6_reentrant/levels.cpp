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
  const auto levels = levels_.get();
  return levels && !levels->empty() ? std::optional(levels->back()) : std::nullopt;
}

void Levels::enter(Level level) {
  auto levels = levels_.get().value_or(std::vector<Level>{});
  levels.push_back(std::move(level));
  levels_.set(std::move(levels));
}

void Levels::begin_to_leave() {
  auto levels = levels_.get().value_or(std::vector<Level>{});
  if (levels.empty()) return;
  levels.back().leaving = true;
  levels_.set(std::move(levels));
}

void Levels::leave() {
  auto levels = levels_.get().value_or(std::vector<Level>{});
  if (!levels.empty()) levels.pop_back();
  if (levels.empty()) return levels_.clear();
  levels_.set(std::move(levels));
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
