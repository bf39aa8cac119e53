// The first line of a history: which lock, under what, and what the judges are to look at. They
// read nothing else of the world that the history comes from.
//
// Thread-safety: pure functions and values.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/verdict.h"
#include "faults/world/tested_lock.h"

namespace faults {

struct Setting {
  std::string scenario;
  std::string sentence;  // what the scenario is, for a person
  std::string boundary = {};
  std::chrono::milliseconds lease{0};
  std::vector<Property> judged;
  std::vector<std::string_view> needs = {};  // what has to be in the history (judging/judge.h)
  bool depends_on_time = false;
  // Adds what a foreign lock's directory says of its key, its lease and its promises. False: the
  // history names the lock's key and the doer of each change itself.
  bool with_facts = true;
};

[[nodiscard]] nlohmann::json setting_of(const TestedLock& lock, const Setting& setting);

}  // namespace faults
