#include "tools/bench/runner.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>
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

int repetitions_of(const Case& one, const Scale& scale) {
  return std::min(scale.repetitions, one.most_repetitions);
}

// Measures cases until one fails.
class Measuring {
 public:
  Measuring(const std::vector<Case>& cases, const Kit& kit, const Scale& scale,
            const OnRepetition& on_repetition)
      : kit_(kit), scale_(scale), on_repetition_(on_repetition) {
    for (const auto& one : cases) all_ += repetitions_of(one, scale);
  }

  void once(benchmark::State& state, const Case& one) {
    Figures figures;
    while (state.KeepRunning()) {
      if (failure_) return state.SkipWithError("not measured, since another one failed");
      on_repetition_(one.name, done_, all_);
      try {
        figures = one.measure(kit_, scale_);
      } catch (const std::exception& error) {
        failure_ = std::current_exception();
        return state.SkipWithError(error.what());
      }
      state.SetIterationTime(figures.time.count());
      ++done_;
    }
    for (const auto& [name, value] : figures.counters) state.counters[name] = value;
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const Kit& kit_;
  const Scale& scale_;
  const OnRepetition& on_repetition_;
  int all_ = 0;
  int done_ = 0;
  std::exception_ptr failure_;
};

}  // namespace

std::string warning_of_load(double load, unsigned cpus) {
  constexpr double needed = 2;
  if (load + needed <= std::max(needed + 0.5, static_cast<double>(cpus))) return {};
  return fmt::format(
      "this machine is busy (load {:.1f} on {} CPUs): what is measured now is noise as well", load,
      cpus);
}

json run_cases(const std::vector<Case>& cases, const Kit& kit, const Scale& scale,
               const OnRepetition& on_repetition) {
  Measuring measuring(cases, kit, scale, on_repetition);
  initialize();
  describe_machine(kit, scale);
  for (const auto& one : cases) {
    benchmark::RegisterBenchmark(
        one.name.c_str(),
        [&measuring, &one](benchmark::State& state) { measuring.once(state, one); })
        ->Iterations(1)
        ->Repetitions(repetitions_of(one, scale))
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  Reporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  measuring.rethrow();
  return reporter.result();
}

}  // namespace bench
