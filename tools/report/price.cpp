#include "tools/report/price.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "faults/kit/errors.h"
#include "tools/bench/results/benchmark_results.h"
#include "tools/bench/results/statistics.h"

namespace report {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

// The machine and the time of the measurement, in a sentence. Pages are shared, so it names no
// host.
std::string about(const json& object, const bench::BenchmarkResults& results) {
  const auto& machine = results.machine;
  const auto& context = object.at("context");
  auto text = fmt::format("Measured on {} CPUs ({}), {}, Redis {}, {} build, {} run, {}.",
                          machine.at("cpus"), machine.at("processor"), machine.at("kernel"),
                          machine.at("redis"), machine.at("build"), machine.at("scale"),
                          context.value("date", "at an unknown time"));
  if (context.value("host_name", "") != host_name()) {
    text += " The table is from another machine.";
  }
  return text;
}

json spread(const bench::BenchmarkResults& results, const std::string& name, const char* counter) {
  const auto row = results.rows.find(name);
  if (row == results.rows.end() || !row->second.contains(counter)) return nullptr;
  const auto found = bench::spread_of(row->second.at(counter));
  return {found.least, found.median, found.most};
}

// A stage for a quorum is measured on a quorum: nobody uses it on one server.
void add_times(json& price, const faults::TestedLock& stage,
               const bench::BenchmarkResults& results) {
  const auto name = stage.name.substr(0, stage.name.find('_'));
  const auto alone = stage.nodes > 1 ? fmt::format("quorum/nodes{}/{}", stage.nodes, name)
                                     : fmt::format("uncontended/{}/tcp/free", name);
  const auto contended = fmt::format("contended/held1ms_pause5ms/{}/own", name);
  price["latency"] = spread(results, alone, "p50_us");
  price["latency_p99"] = spread(results, alone, "p99_us");
  price["handoff"] = spread(results, contended, "handoff_p50_us");
  price["handoff_p99"] = spread(results, contended, "handoff_p99_us");
}

json price_of_stage(const table::Grid& grid, std::size_t column) {
  const auto& stage = grid.stages[column];
  int holds = 0;
  int of = 0;
  for (std::size_t row = 0; row < grid.scenarios.size(); ++row) {
    const auto& cell = grid.at(row, column);
    if (!cell.result) continue;
    ++of;
    if (cell.result->verdict() == faults::Verdict::holds) ++holds;
  }
  const auto sent = [&](const char* operation) {
    const auto found = stage.commands_on_the_wire.find(operation);
    return found == stage.commands_on_the_wire.end() ? 0 : found->second;
  };
  // Each command is a round trip; on a quorum it goes to all servers at once.
  const int round_trips = sent("acquire") + sent("release");
  return {{"holds", holds},
          {"of", of},
          {"nodes", stage.nodes},
          {"commands", round_trips * stage.nodes},
          {"round_trips", round_trips}};
}

bool has_all_times(const json& stage) {
  const auto is_there = [&](const char* time) { return !stage[time].is_null(); };
  return is_there("latency") && is_there("latency_p99") && is_there("handoff") &&
         is_there("handoff_p99");
}

// False for a filtered run, or one too short to mean anything.
bool is_complete(const fs::path& bench) {
  try {
    if (bench::results_from(bench::read_json(bench), bench).machine.at("scale") == "smoke") {
      return false;
    }
    const auto stages = price_of(table::empty_grid(), bench)["stages"];
    return std::all_of(stages.begin(), stages.end(), has_all_times);
  } catch (const faults::CannotRun&) {
    return false;
  }
}

}  // namespace

std::optional<fs::path> newest_bench(const fs::path& runs) {
  std::error_code error;
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(runs, error)) {
    auto file = entry.path() / "results.json";
    const bool is_bench = entry.path().filename().native().find("-bench") != std::string::npos;
    if (is_bench && fs::exists(file)) files.push_back(std::move(file));
  }
  std::sort(files.rbegin(), files.rend());  // the name begins with the time
  const auto newest = std::find_if(files.begin(), files.end(), is_complete);
  return newest == files.end() ? std::nullopt : std::optional(*newest);
}

json price_of(const table::Grid& grid, const std::optional<fs::path>& bench) {
  json price{{"measured", nullptr}, {"stages", json::array()}};
  bench::BenchmarkResults results;
  if (bench) {
    const auto object = bench::read_json(*bench);
    results = bench::results_from(object, bench->native());
    price["measured"] = about(object, results);
  }
  for (std::size_t column = 0; column < grid.stages.size(); ++column) {
    auto of_stage = price_of_stage(grid, column);
    if (bench) add_times(of_stage, grid.stages[column], results);
    price["stages"].push_back(std::move(of_stage));
  }
  return price;
}

}  // namespace report
