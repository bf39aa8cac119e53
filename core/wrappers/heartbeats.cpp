#include "core/wrappers/heartbeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <vector>

namespace core {

Heartbeats::Heartbeats(Address post, std::chrono::milliseconds period)
    : post_(std::move(post), {.connect = period, .command = period}),
      period_(period),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

Heartbeats::~Heartbeats() {
  thread_.request_stop();
}

void Heartbeats::begin(const std::string& key, const std::string& token) {
  {
    const std::lock_guard guard(mutex_);
    ++holds_[{key, token}];
  }
  announce({key, token});
}

void Heartbeats::end(const std::string& key, const std::string& token) {
  const std::lock_guard guard(mutex_);
  const auto hold = holds_.find({key, token});
  if (hold != holds_.end() && --hold->second == 0) holds_.erase(hold);
}

void Heartbeats::run(const std::stop_token& stop) {
  auto next = std::chrono::steady_clock::now();
  while (!stop.stop_requested()) {
    next = std::max(next + period_, std::chrono::steady_clock::now());
    std::vector<Hold> holds;
    {
      std::unique_lock lock(mutex_);
      (void)news_.wait_until(lock, stop, next, [] { return false; });
      for (const auto& [hold, count] : holds_) holds.push_back(hold);
    }
    for (const auto& hold : holds) {
      if (!stop.stop_requested()) announce(hold);
    }
  }
}

void Heartbeats::announce(const Hold& hold) noexcept {
  try {
    (void)post_.command({"PUBLISH", channel, fmt::format("{} {}", hold.second, hold.first)});
  } catch (const std::exception&) {  // the next one may arrive
  }
}

}  // namespace core
