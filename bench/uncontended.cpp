// Acquire and release when nobody else wants the lock, on one connection.
//
// Beside each stage, interleaved: `limit`, a bare loop that sends the same commands, and `bare`, a
// loop that sends `SET key token NX PX` and the compare-and-delete of stage 4, the least that is a
// correct lock. Counters: pairs_per_s, p50_us, p99_us of the stage; limit_p50_us, bare_p50_us;
// ratio (of the stage's speed to its limit's) and bare_ratio.
#include <fmt/format.h>

#include <optional>

#include "bench/case.h"
#include "bench/lanes.h"
#include "bench/pair.h"
#include "bench/pinned.h"
#include "bench/replay.h"
#include "bench/stages.h"
#include "bench/statistics.h"
#include "stage4_lua_release/scripts.h"

namespace bench {
namespace {

struct Place {
  int stage = 1;
  bool tcp = true;
  bool pinned = false;
};

std::vector<Words> bare_pair() {
  const auto& release = stage4::scripts::release;
  return {{"SET", "bare", "token", "NX", "PX", "30000"},
          {"EVALSHA", std::string(release.sha1), "1", "bare", "token"}};
}

Figures measure(const Place& place, const Kit& kit, const Scale& scale) {
  Node node(kit);
  node.direct().command({"SCRIPT", "LOAD", stage4::scripts::release.text});
  std::optional<Pinned> pinned;
  if (place.pinned) pinned.emplace(node.process().id());
  const auto address = place.tcp ? node.tcp() : node.unix_socket();
  const auto stand = make_stand({.stage = place.stage, .nodes = {address}});
  const auto lock = stand->make("lock").lock;
  acquire_and_release(*lock);  // the scripts are there now
  Replay limit(address, heard_during(address, [&] { acquire_and_release(*lock); }));
  Replay bare(address, bare_pair());
  const auto lanes = run_lanes({{.name = "stage", .once = [&] { acquire_and_release(*lock); }},
                                {.name = "limit", .once = [&] { limit.once(); }},
                                {.name = "bare", .once = [&] { bare.once(); }}},
                               scale.rounds, scale.batch);
  return {.time = std::chrono::duration<double>(1 / lanes[0].per_second()),
          .counters = {{"pairs_per_s", lanes[0].per_second()},
                       {"p50_us", in_us(lanes[0].at(0.5))},
                       {"p99_us", in_us(lanes[0].at(0.99))},
                       {"limit_p50_us", in_us(lanes[1].at(0.5))},
                       {"bare_p50_us", in_us(lanes[2].at(0.5))},
                       {"ratio", speed_ratio(lanes[0], lanes[1])},
                       {"bare_ratio", speed_ratio(lanes[0], lanes[2])}}};
}

}  // namespace

std::vector<Case> uncontended_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (int stage = 1; stage <= stages; ++stage) {
    for (const bool tcp : {true, false}) {
      // What differs between the two ways to connect is the kernel's.
      if (!scale.everything && !tcp) continue;
      for (const bool pinned : {false, true}) {
        const Place place{.stage = stage, .tcp = tcp, .pinned = pinned};
        cases.push_back({.name = fmt::format("uncontended/stage{}/{}/{}", stage,
                                             tcp ? "tcp" : "unix", pinned ? "pinned" : "free"),
                         .measure = [place](const Kit& kit, const Scale& how_much) {
                           return measure(place, kit, how_much);
                         }});
      }
    }
  }
  return cases;
}

}  // namespace bench
