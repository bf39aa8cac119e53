// A measurement: a name, and a function that measures it once. One call is one repetition.
//
// Names are paths, "uncontended/stage4/tcp/free": the group first, so that `--filter` picks a
// group, a stage or a way. The groups: uncontended.cpp, quorum.cpp, contended.cpp, waiting.cpp,
// watchdog.cpp, peers.cpp (measured only if `--filter` asks for it).
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tools/bench/measure/node.h"
#include "tools/bench/measure/wrong_result.h"

namespace bench {

// How much is measured.
struct Scale {
  std::string name;
  int repetitions = 1;
  int rounds = 1;                       // of measure_interleaved
  int batch = 1;                        // of measure_interleaved
  std::chrono::milliseconds contended;  // how long eight clients want one lock
  std::chrono::milliseconds watched;    // how long the watchdog is watched
  int most_held = 10'000;               // locks under the watchdog
  int most_waiting = 10'000;            // threads that want one lock
  bool everything = true;               // else of each group the cases that tell most
};
[[nodiscard]] Scale full_scale();   // less than 10 minutes
[[nodiscard]] Scale quick_scale();  // less than 1 minute
[[nodiscard]] Scale pair_scale();   // less than 20 s for two stages
[[nodiscard]] Scale smoke_scale();  // seconds: shows that it works, measures nothing

struct Figures {
  std::chrono::duration<double> time{0};  // of one acquire and release, or of what the group says
  std::map<std::string, double> counters;
};

struct Case {
  std::string name;
  int most_repetitions = 1'000;  // of what takes long
  // Throws WrongResult if what was measured did not do what it should.
  std::function<Figures(const Kit&, const Scale&)> measure;
};

[[nodiscard]] std::vector<Case> uncontended_cases(const Scale& scale);
[[nodiscard]] std::vector<Case> quorum_cases(const Scale& scale);
[[nodiscard]] std::vector<Case> contended_cases(const Scale& scale);
[[nodiscard]] std::vector<Case> watchdog_cases(const Scale& scale);
[[nodiscard]] std::vector<Case> waiting_cases(const Scale& scale);
// Of those locks of field/ that are installed, and of the stages beside them.
[[nodiscard]] std::vector<Case> peers_cases(const Scale& scale);
[[nodiscard]] std::vector<Case> all_cases(const Scale& scale);

}  // namespace bench
