// A state of a searched world: all that its future, and the verdict on it, may depend on, as named
// fields. Two runs that lead to the same state have the same future (docs/searching.md says why).
//
// Thread-safety: values.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace explore {

struct StateField {
  std::string name;  // "what A has seen"
  std::string text;

  friend auto operator<=>(const StateField&, const StateField&) = default;
};

using State = std::vector<StateField>;

// 128 bits of a state: two states that differ have different ones, but for one chance in 2^64 even
// among 2^32 states.
struct StateHash {
  std::uint64_t first = 0;
  std::uint64_t second = 0;

  friend bool operator==(const StateHash&, const StateHash&) = default;
};

// For a container by hash.
struct StateHasher {
  std::size_t operator()(const StateHash& hash) const { return hash.first; }
};

[[nodiscard]] StateHash hash_of(const State& state);

// The name of the first field in which they differ, and both texts; nothing: they are the same.
[[nodiscard]] std::optional<std::string> first_difference(const State& one, const State& other);

}  // namespace explore
