#include "monitor/holders.h"

#include <algorithm>

namespace monitor {

std::vector<Hold> Holders::take_silent(Clock::time_point now) {
  std::vector<Hold> silent;
  for (auto at = heard_.begin(); at != heard_.end();) {
    if (now - at->second < patience_.silence()) {
      ++at;
      continue;
    }
    silent.push_back(at->first);
    at = heard_.erase(at);
  }
  return silent;
}

std::optional<Clock::time_point> Holders::next_check() const {
  if (heard_.empty()) return std::nullopt;
  const auto first = std::min_element(
      heard_.begin(), heard_.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return first->second + patience_.silence();
}

}  // namespace monitor
