// The holders that a monitor has heard of, and which of them have been silent for too long.
//
// Thread-safety: none; the monitor's thread uses it.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace monitor {

using Clock = std::chrono::steady_clock;

struct Patience {
  std::chrono::milliseconds period{1'000};  // of the heartbeats (core/wrappers/heartbeats.h)
  int missed = 3;  // a holder is taken for dead once it has been silent for so many periods
  [[nodiscard]] std::chrono::milliseconds silence() const { return missed * period; }
};

struct Hold {
  std::string key;
  std::string token;
  auto operator<=>(const Hold&) const = default;
};

class Holders {
 public:
  explicit Holders(Patience patience) : patience_(patience) {}

  // A heartbeat, however late: the holder lives.
  void heard(const Hold& hold, Clock::time_point now) { heard_[hold] = now; }

  // Nothing could be heard until now, of anybody.
  void begin_anew(Clock::time_point now) {
    for (auto& [hold, heard] : heard_) heard = now;
  }

  // Those that are taken for dead, each named once.
  [[nodiscard]] std::vector<Hold> take_silent(Clock::time_point now);

 private:
  const Patience patience_;
  std::map<Hold, Clock::time_point> heard_;  // when last
};

}  // namespace monitor
