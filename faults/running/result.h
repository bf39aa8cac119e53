// The result of one scenario on one stage, and whether the stage declares it so.
//
// Thread-safety: values.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "faults/judging/verdict.h"
#include "faults/world/tested_lock.h"

namespace faults {

// One run of the scenario: whole, or with the fault at one boundary of a sweep.
struct Execution {
  std::string boundary;  // empty outside a sweep
  Judgement judgement;
  std::filesystem::path history;
  int reruns = 0;  // how often it was run again, because it had shown nothing
};

struct Result {
  std::string stage;
  std::string scenario;
  std::filesystem::path directory;
  std::vector<Execution> executions;
  int commands = 0;               // of a sweep: how many commands the undisturbed operation sent
  std::string left_out = {};      // boundaries that say nothing about this lock, and why; or empty
  std::string again;              // what starts it again, for people
  bool at_default_lease = false;  // the lock's short leases were its default one
  std::string lock = {};  // name and version that a foreign lock says it has; empty of a stage

  // violated if any execution is; else inconclusive, not_exercised, holds, in this order.
  [[nodiscard]] Verdict verdict() const;
  // The execution that shows the verdict: of those that have it the first between two commands,
  // where the client itself is stopped; else the first.
  [[nodiscard]] const Execution& shown() const;
  // Every property broken in any execution, each once, in the order of their findings.
  [[nodiscard]] std::vector<Property> broken() const;
  // The boundaries of the executions that are violated.
  [[nodiscard]] std::vector<std::string> broken_at() const;
};

// How `result` differs from what `lock` declares, in one sentence; empty if it does not.
[[nodiscard]] std::string difference_from_declared(const TestedLock& lock, const Result& result);

}  // namespace faults
