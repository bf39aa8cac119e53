// An operation of a client: one call, paired with its answer.
//
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "faults/kit/history.h"

namespace faults {

// "Never", as a place in a record.
inline constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

struct Operation {
  std::string client;
  std::string name;  // acquire, release, work, bye
  std::string key;   // empty: the lock's
  std::size_t called = 0;
  std::size_t answered = never;
  std::string outcome;      // empty if it was never answered
  nlohmann::json asked;     // the request's fields
  nlohmann::json answer{};  // the answer's

  [[nodiscard]] bool open_at(std::size_t place) const { return called < place && place < answered; }
  [[nodiscard]] bool is(std::string_view wanted, std::string_view wanted_outcome) const {
    return name == wanted && outcome == wanted_outcome;
  }
};

// All operations of a history, in the order of their calls.
[[nodiscard]] std::vector<Operation> read_operations(const Record& record);

}  // namespace faults
