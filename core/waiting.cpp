#include "core/waiting.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace core {
namespace {

void require(bool condition, const char* sentence) {
  if (!condition) throw std::invalid_argument(sentence);
}

}  // namespace

Waiting Waiting::none() {
  return Waiting{}.tries(1);
}

Waiting Waiting::fixed(Duration pause) {
  return exponential(pause, pause);
}

Waiting Waiting::exponential(Duration first, Duration ceiling) {
  require(first > Duration::zero(), "a pause between two tries must be longer than 0");
  require(first <= ceiling, "the longest pause must not be shorter than the first");
  Waiting waiting;
  waiting.first_ = first;
  waiting.ceiling_ = ceiling;
  return waiting;
}

Waiting Waiting::jitter(double share) const {
  require(share >= 0 && share <= 1, "jitter is a share of the pause, from 0 to 1");
  auto changed = *this;
  changed.jitter_ = share;
  return changed;
}

Waiting Waiting::at_most(Duration time) const {
  require(time >= Duration::zero(), "the longest wait must not be negative");
  auto changed = *this;
  changed.at_most_ = time;
  return changed;
}

Waiting Waiting::tries(int count) const {
  require(count >= 1, "the number of tries must be at least 1");
  auto changed = *this;
  changed.tries_ = count;
  return changed;
}

bool Waiting::waits() const {
  return tries_ != 1 && at_most_ != Duration::zero();
}

Waiting::Duration Waiting::pause_before(int number) const {
  if (number <= 1) return Duration::zero();
  auto pause = first_;
  // Stops doubling at the ceiling, so that a million tries cannot overflow.
  for (int i = 2; i < number && pause < ceiling_; ++i) {
    pause = pause > ceiling_ / 2 ? ceiling_ : pause * 2;
  }
  return pause;
}

Pauses::Pauses(Waiting waiting, Clock::time_point start) : waiting_(waiting), start_(start) {}

std::optional<Waiting::Duration> Pauses::next(Clock::time_point now) {
  const auto tries = waiting_.try_limit();
  if (tries && tries_made_ >= *tries) return std::nullopt;
  ++tries_made_;
  const auto whole = waiting_.pause_before(tries_made_);
  if (!random_) random_.emplace(std::random_device{}());
  std::uniform_real_distribution<double> part(0, waiting_.jitter_share());
  auto pause = whole - std::chrono::duration_cast<Waiting::Duration>(whole * part(*random_));
  if (const auto limit = waiting_.time_limit()) {
    // Not `start_ + *limit - now`: the limit may be Duration::max().
    const auto left = *limit - std::chrono::duration_cast<Waiting::Duration>(now - start_);
    if (left <= Waiting::Duration::zero()) return std::nullopt;
    pause = std::min(pause, left);
  }
  return pause;
}

bool pause_for(Waiting::Duration pause, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, pause, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace core
