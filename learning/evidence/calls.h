// What clients were asked for: the calls of a history, paired with their answers.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/history.h"
#include "faults/judging/story.h"

namespace learning {

using faults::lock_key;

// One operation that a client was asked for, on the lock or on another key: clients warm up with
// one, and a story may ask for more.
struct Call {
  std::string lane;
  std::string name;  // acquire, release, work
  std::string key;
  std::size_t called = 0;
  std::size_t answered = faults::never;
  std::string outcome;      // empty if it was never answered
  nlohmann::json asked;     // the request's fields
  nlohmann::json answer{};  // the answer's

  [[nodiscard]] bool is(std::string_view wanted, std::string_view wanted_outcome) const {
    return name == wanted && outcome == wanted_outcome;
  }
};

// Places are numbers of events in the record.
[[nodiscard]] std::vector<Call> calls_of(const faults::Record& record);

}  // namespace learning
