#include "stage6_reentrant/places.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "stage6_reentrant/queue.h"

namespace stage6 {

using std::chrono::milliseconds;

void Place::hand_over(Clock::time_point since) {
  handed_over_ = std::max(since, made_);
  bell_.ring();
}

std::optional<Place::Clock::time_point> Place::take_over() {
  const auto since = handed_over_.exchange(Clock::time_point::min());
  return since == Clock::time_point::min() ? std::nullopt : std::optional(since);
}

Place::Clock::duration Place::period() const {
  return std::clamp(lease_ / 10, milliseconds(10), milliseconds(1'000));
}

std::shared_ptr<Place> Places::take(milliseconds lease) {
  auto place = std::make_shared<Place>(lease);
  const std::lock_guard guard(mutex_);
  if (places_.size() >= clean_at_) {
    std::erase_if(places_, [](const auto& entry) { return entry.second.expired(); });
    clean_at_ = 2 * places_.size() + 16;
  }
  places_[place->token()] = place;
  return place;
}

bool Places::begin_to_wait(const Place& place) {
  const std::lock_guard guard(mutex_);
  const auto due = Clock::now() + place.period();
  if (next_beat_.load() <= due) return false;
  next_beat_ = due;
  return true;
}

void Places::subscribed() {
  told_ = true;
  std::vector<std::shared_ptr<Place>> all;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [token, place] : places_) all.push_back(place.lock());
  }
  for (const auto& place : all) {
    if (place) place->bell().ring();
  }
}

Ear::Words Places::told(std::string_view message, Clock::time_point since) {
  const auto first = message.find(' ');
  const auto second = message.find(' ', first + 1);
  if (second == std::string_view::npos) return {};
  const auto token = message.substr(0, first);
  if (const auto place = find(token)) {
    place->hand_over(since);
    return {};
  }
  const auto participant = message.substr(first + 1, second - first - 1);
  return Queue::passing_on(message.substr(second + 1), token, participant);
}

void Places::beat(Clock::time_point now) {
  const std::lock_guard guard(mutex_);
  auto next = Clock::time_point::max();
  for (const auto& [token, known] : places_) {
    const auto place = known.lock();
    if (place && place->waits()) next = std::min(next, now + place->period());
  }
  next_beat_ = next;
}

std::shared_ptr<Place> Places::find(std::string_view token) {
  const std::lock_guard guard(mutex_);
  const auto found = places_.find(token);
  return found == places_.end() ? nullptr : found->second.lock();
}

}  // namespace stage6
