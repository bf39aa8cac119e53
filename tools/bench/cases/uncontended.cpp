// Acquire and release when nobody else wants the lock, on one connection.
//
// Each stage is interleaved with `limit`, a bare loop that sends the same commands, and `bare`, a
// loop that sends `SET key token NX PX` and the compare-and-delete of stage 4, the smallest correct
// lock. Counters: pairs_per_s, p50_us, p99_us of the stage; limit_p50_us, bare_p50_us; ratio (of
// the stage's speed to its limit's) and bare_ratio.
#include <fmt/format.h>

#include <optional>

#include "stage4_lua_release/scripts.h"
#include "tools/bench/cases/case.h"
#include "tools/bench/measure/acquire_and_release.h"
#include "tools/bench/measure/baseline.h"
#include "tools/bench/measure/cpu_pinning.h"
#include "tools/bench/measure/fixture.h"
#include "tools/bench/measure/interleaved.h"
#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

struct Setup {
  int stage = 1;
  bool tcp = true;
  bool pinned = false;
};

std::vector<Command> bare_pair() {
  const auto& release = stage4::scripts::release;
  return {{"SET", "bare", "token", "NX", "PX", "30000"},
          {"EVALSHA", std::string(release.sha1), "1", "bare", "token"}};
}

Figures measure(const Setup& setup, const Kit& kit, const Scale& scale) {
  Node node(kit);
  node.direct().command({"SCRIPT", "LOAD", stage4::scripts::release.text});
  std::optional<CpuPinning> pinned;
  if (setup.pinned) pinned.emplace(node.process().id());
  const auto address = setup.tcp ? node.tcp() : node.unix_socket();
  const auto fixture = make_fixture({.stage = setup.stage, .nodes = {address}});
  const auto lock = fixture->make("lock").lock;
  acquire_and_release(*lock);  // the scripts are there now
  Baseline limit(address, commands_during(address, [&] { acquire_and_release(*lock); }));
  Baseline bare(address, bare_pair());
  const auto timed =
      measure_interleaved({{.name = "stage", .once = [&] { acquire_and_release(*lock); }},
                           {.name = "limit", .once = [&] { limit.once(); }},
                           {.name = "bare", .once = [&] { bare.once(); }}},
                          scale.rounds, scale.batch);
  return {.time = std::chrono::duration<double>(1 / timed[0].per_second()),
          .counters = {{"pairs_per_s", timed[0].per_second()},
                       {"p50_us", in_us(timed[0].at(0.5))},
                       {"p99_us", in_us(timed[0].at(0.99))},
                       {"limit_p50_us", in_us(timed[1].at(0.5))},
                       {"bare_p50_us", in_us(timed[2].at(0.5))},
                       {"ratio", speed_ratio(timed[0], timed[1])},
                       {"bare_ratio", speed_ratio(timed[0], timed[2])}}};
}

}  // namespace

std::vector<Case> uncontended_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (int stage = 1; stage <= stages; ++stage) {
    for (const bool tcp : {true, false}) {
      // The two ways to connect differ only in the kernel's work.
      if (!scale.everything && !tcp) continue;
      for (const bool pinned : {false, true}) {
        const Setup setup{.stage = stage, .tcp = tcp, .pinned = pinned};
        cases.push_back({.name = fmt::format("uncontended/stage{}/{}/{}", stage,
                                             tcp ? "tcp" : "unix", pinned ? "pinned" : "free"),
                         .measure = [setup](const Kit& kit, const Scale& how_much) {
                           return measure(setup, kit, how_much);
                         }});
      }
    }
  }
  return cases;
}

}  // namespace bench
