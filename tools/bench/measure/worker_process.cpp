#include "tools/bench/measure/worker_process.h"

#include <fmt/format.h>

#include "tools/bench/measure/wrong_result.h"

namespace bench {

WorkerProcess::WorkerProcess(const Kit& kit, const WorkerPlan& plan,
                             const std::filesystem::path& log)
    : process_(kit, LAB_BENCH_WORKER, to_json(plan).dump(), log) {}

void WorkerProcess::start(Nanoseconds begin, Nanoseconds end) {
  process_.write_line(fmt::format("{} {}", begin.count(), end.count()));
}

Acquisitions WorkerProcess::acquisitions() {
  const auto line = process_.read_line();
  const auto object = nlohmann::json::parse(line, nullptr, false);
  if (!object.is_array()) throw WrongResult(error_in(line));
  return acquisitions_from(object);
}

}  // namespace bench
