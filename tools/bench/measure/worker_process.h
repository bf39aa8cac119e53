// A client of the contended benchmark, seen from the benchmark: starts worker.cpp and speaks to it.
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>

#include "tools/bench/measure/contention.h"
#include "tools/bench/measure/line_process.h"
#include "tools/bench/measure/node.h"

namespace bench {

class WorkerProcess {
 public:
  // Starts it and waits until it is ready. Throws WrongResult if it is not.
  WorkerProcess(const Kit& kit, const WorkerPlan& plan, const std::filesystem::path& log);

  // Tells it when to begin and when to end. Throws WrongResult if it is gone.
  void start(Nanoseconds begin, Nanoseconds end);
  // Waits for its report. Throws WrongResult, with its words, if it could not do its work.
  [[nodiscard]] Acquisitions acquisitions();

 private:
  LineProcess process_;
};

}  // namespace bench
