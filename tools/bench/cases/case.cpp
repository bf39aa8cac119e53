#include "tools/bench/cases/case.h"

namespace bench {

using std::chrono::milliseconds;

Scale full_scale() {
  return {.name = "full",
          .repetitions = 5,
          .rounds = 16,
          .batch = 40,
          .contended = milliseconds(500),
          .watched = milliseconds(2'000)};
}

Scale quick_scale() {
  return {.name = "quick",
          .repetitions = 3,
          .rounds = 12,
          .batch = 25,
          .contended = milliseconds(300),
          .watched = milliseconds(1'000),
          .most_waiting = 100,
          .everything = false};
}

Scale pair_scale() {
  auto scale = full_scale();
  scale.name = "pair";
  scale.everything = false;
  return scale;
}

Scale smoke_scale() {
  return {.name = "smoke",
          .repetitions = 1,
          .rounds = 2,
          .batch = 3,
          .contended = milliseconds(60),
          .watched = milliseconds(100),
          .most_held = 100,
          .most_waiting = 10,
          .everything = false};
}

std::vector<Case> all_cases(const Scale& scale) {
  auto cases = uncontended_cases(scale);
  for (const auto& group : {quorum_cases(scale), contended_cases(scale), waiting_cases(scale),
                            watchdog_cases(scale), peers_cases(scale)}) {
    cases.insert(cases.end(), group.begin(), group.end());
  }
  return cases;
}

}  // namespace bench
