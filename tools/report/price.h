// The price of each stage, beside its safety.
//
// Commands and round trips come from the declarations (tools/bench/measure/costs_test.cpp counts
// them), times from a run of `./lab bench`. Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/table/grid.h"

namespace report {

// The newest results of `./lab bench` below `runs` that have all the times that the price shows;
// others, such as those of a filtered run, are skipped.
[[nodiscard]] std::optional<std::filesystem::path> newest_bench(const std::filesystem::path& runs);

// For each stage: holds, of (scenarios), nodes, commands and round_trips for one acquire and one
// release; with `bench`, a results.json, also the times in µs, as [least, median, most] of the
// repetitions: latency, latency_p99, handoff, handoff_p99. `measured` says where and when; it is
// null without `bench`. Throws CannotRun if `bench` is not a results.json of the benchmark.
[[nodiscard]] nlohmann::json price_of(const table::Grid& grid,
                                      const std::optional<std::filesystem::path>& bench);

}  // namespace report
