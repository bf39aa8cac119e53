#include "stage6_reentrant/places.h"

#include <algorithm>
#include <vector>

namespace stage6 {

void Place::hand_over(Clock::time_point since) {
  handed_over_ = std::max(since, made_);
  call();
}

std::optional<Clock::time_point> Place::take_over() {
  const auto since = handed_over_.exchange(Clock::time_point::min());
  return since == Clock::time_point::min() ? std::nullopt : std::optional(since);
}

void Place::call() {
  ++called_;
  wake_up();
}

void Place::lie_down() {
  const std::lock_guard guard(mutex_);
  lies_ = true;
}

void Place::sleep(std::uint64_t heard, Clock::time_point until, const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  woken_.wait_until(lock, stop, until, [&] { return !lies_ || called() > heard; });
  lies_ = false;
}

bool Place::wake_up() {
  const std::lock_guard guard(mutex_);
  if (!lies_) return false;
  lies_ = false;
  woken_.notify_all();
  return true;
}

std::shared_ptr<Place> Places::take(std::chrono::milliseconds lease) {
  auto place = std::make_shared<Place>(lease);
  const std::lock_guard guard(mutex_);
  if (places_.size() >= clean_at_) {
    std::erase_if(places_, [](const auto& entry) { return entry.second.expired(); });
    clean_at_ = 2 * places_.size() + 16;
  }
  places_[place->token()] = place;
  return place;
}

std::shared_ptr<Place> Places::find(std::string_view token) {
  const std::lock_guard guard(mutex_);
  const auto found = places_.find(token);
  return found == places_.end() ? nullptr : found->second.lock();
}

void Places::call_all() {
  for (const auto& place : all()) place->call();
}

void Places::wake_up_one() {
  for (const auto& place : all()) {
    if (place->wake_up()) return;
  }
}

std::vector<std::shared_ptr<Place>> Places::all() {
  std::vector<std::shared_ptr<Place>> found;
  const std::lock_guard guard(mutex_);
  for (const auto& [token, known] : places_) {
    if (auto place = known.lock()) found.push_back(std::move(place));
  }
  return found;
}

}  // namespace stage6
