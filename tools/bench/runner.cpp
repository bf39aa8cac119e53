#include "tools/bench/runner.h"

#include <benchmark/benchmark.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <fstream>
#include <numeric>
#include <sstream>

namespace bench {
namespace {

using nlohmann::json;

// Google Benchmark's own reporter, with our names: it would append the number of repetitions.
class Reporter : public benchmark::BenchmarkReporter {
 public:
  Reporter() { json_.SetOutputStream(&text_); }

  bool ReportContext(const Context& context) override { return json_.ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    auto renamed = runs;
    for (auto& run : renamed) {
      const auto name = run.run_name.function_name;
      run.run_name = {};
      run.run_name.function_name = name;
      // The coefficient of variation of a counter that is always 0 is no number, and JSON has none.
      for (auto& [counter, value] : run.counters) {
        if (!std::isfinite(value.value)) value.value = 0;
      }
    }
    json_.ReportRuns(renamed);
  }
  void Finalize() override { json_.Finalize(); }

  [[nodiscard]] json result() const { return json::parse(text_.str()); }

 private:
  std::ostringstream text_;
  benchmark::JSONReporter json_;
};

std::string processor() {
  std::ifstream cpus("/proc/cpuinfo");
  for (std::string line; std::getline(cpus, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

void describe_machine(const Kit& kit, const Scale& scale) {
  utsname system{};
  uname(&system);
  benchmark::AddCustomContext("processor", processor());
  benchmark::AddCustomContext("kernel", std::string(system.sysname) + " " + system.release);
  benchmark::AddCustomContext("redis", faults::version_of(kit.redis, kit.reaper));
  benchmark::AddCustomContext("build", LAB_BUILD_TYPE);
  benchmark::AddCustomContext("scale", scale.name);
}

void initialize() {
  std::string program = "lab_bench";
  std::string mixed = "--benchmark_enable_random_interleaving=true";
  std::array<char*, 3> arguments{program.data(), mixed.data(), nullptr};
  int count = 2;
  benchmark::Initialize(&count, arguments.data());
}

}  // namespace

json run_cases(const std::vector<Case>& cases, const Kit& kit, const Scale& scale,
               const OnRepetition& on_repetition) {
  const auto repetitions = [&](const Case& one) {
    return std::min(scale.repetitions, one.most_repetitions);
  };
  const int all = std::accumulate(cases.begin(), cases.end(), 0,
                                  [&](int sum, const Case& one) { return sum + repetitions(one); });
  int done = 0;
  std::exception_ptr failure;
  const auto once = [&](benchmark::State& state, const Case& one) {
    Figures figures;
    while (state.KeepRunning()) {
      if (failure) return state.SkipWithError("not measured, since another one failed");
      on_repetition(one.name, done, all);
      try {
        figures = one.measure(kit, scale);
      } catch (const std::exception& error) {
        failure = std::current_exception();
        return state.SkipWithError(error.what());
      }
      state.SetIterationTime(figures.time.count());
      ++done;
    }
    for (const auto& [name, value] : figures.counters) state.counters[name] = value;
  };
  initialize();
  describe_machine(kit, scale);
  for (const auto& one : cases) {
    benchmark::RegisterBenchmark(one.name.c_str(),
                                 [&once, &one](benchmark::State& state) { once(state, one); })
        ->Iterations(1)
        ->Repetitions(repetitions(one))
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  if (failure) std::rethrow_exception(failure);
  return reporter.result();
}

}  // namespace bench
