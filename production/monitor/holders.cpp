#include "production/monitor/holders.h"

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

}  // namespace monitor
