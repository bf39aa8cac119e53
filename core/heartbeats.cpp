#include "core/heartbeats.h"

#include <fmt/format.h>

#include <vector>

#include "core/error.h"

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
    holds_.emplace(key, token);
  }
  announce({key, token});
}

void Heartbeats::end(const std::string& key, const std::string& token) {
  const std::lock_guard guard(mutex_);
  holds_.erase({key, token});
}

void Heartbeats::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<Hold> holds;
    {
      std::unique_lock lock(mutex_);
      (void)news_.wait_for(lock, stop, period_, [] { return false; });
      holds.assign(holds_.begin(), holds_.end());
    }
    for (const auto& hold : holds) announce(hold);
  }
}

void Heartbeats::announce(const Hold& hold) noexcept {
  try {
    (void)post_.command({"PUBLISH", channel, fmt::format("{} {}", hold.second, hold.first)});
  } catch (const ServerError&) {  // the next one may arrive
  }
}

}  // namespace core
