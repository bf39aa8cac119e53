// What tests with a client program that is no stage have in common: a lock in plain Python, whose
// words of the command line say how it differs (foreign_client.py).
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "faults/running/adapter_check.h"
#include "faults/testing/kit_test.h"

namespace faults {

class ForeignClients : public KitTest {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists("/usr/bin/python3")) GTEST_SKIP() << "there is no python3 here";
  }

  static TestedLock client(std::vector<std::string> options = {}) {
    TestedLock stage{.name = "foreign",
                     .adds = {},
                     .directory = {},
                     .command = {"/usr/bin/python3", LAB_FOREIGN_CLIENT},
                     .commands_on_the_wire = {},
                     .declared = {},
                     .marker = {},
                     .turned_from = {},
                     .facts = LockFacts{}};
    stage.command.insert(stage.command.end(), options.begin(), options.end());
    stage.facts->capabilities = {"lease", "token", "atomic_release"};
    stage.facts->key = "%s";
    return stage;
  }
  static TestedLock with_key(TestedLock stage, const std::string& key) {
    stage.facts->key = key;
    return stage;
  }

  // Every complaint about it, in one text.
  std::string wrong_with(const TestedLock& stage) {
    std::string sentences;
    for (const auto& checked : check_adapter(stage, plan(), reaper)) {
      if (!checked.wrong.empty()) sentences += checked.wrong + "\n";
    }
    return sentences;
  }
  Result run_on(const char* scenario, const TestedLock& stage) {
    return run_scenario(stage, *find_scenario(scenario), plan(), reaper);
  }
  RunPlan plan() { return {.redis = find_redis(), .runs = directory.path() / "runs"}; }
};

}  // namespace faults
