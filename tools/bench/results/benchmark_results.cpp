#include "tools/bench/results/benchmark_results.h"

#include <fmt/format.h>

#include <fstream>

#include "faults/kit/errors.h"

namespace bench {
namespace {

using nlohmann::json;

BenchmarkResults read(const json& object) {
  BenchmarkResults results;
  const auto& context = object.at("context");
  for (const auto* name : {"processor", "kernel", "redis", "build", "scale"}) {
    results.machine[name] = context.value(name, "unknown");
  }
  results.machine["cpus"] = std::to_string(context.value("num_cpus", 0));
  for (const auto& run : object.at("benchmarks")) {
    if (run.value("run_type", "iteration") != "iteration") continue;  // counted again here
    auto& row = results.rows[run.at("run_name").get<std::string>()];
    for (const auto& [name, value] : run.items()) {
      if (value.is_number()) row[name].push_back(value.get<double>());
    }
  }
  return results;
}

}  // namespace

BenchmarkResults results_from(const json& object, const std::string& source) {
  try {
    return read(object);
  } catch (const json::exception&) {
    throw faults::CannotRun(
        fmt::format("{} is not what ./lab bench writes: give the results.json of a run", source));
  }
}

json read_json(const std::filesystem::path& file) {
  std::ifstream input(file);
  if (!input) {
    throw faults::CannotRun(
        fmt::format("cannot read {}: give the results.json of a run", file.native()));
  }
  auto object = json::parse(input, nullptr, false);
  if (object.is_discarded()) {
    throw faults::CannotRun(
        fmt::format("{} is not JSON: give the results.json of a run", file.native()));
  }
  return object;
}

}  // namespace bench
