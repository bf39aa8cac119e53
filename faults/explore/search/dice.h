// Dice with a seed: the same numbers on every machine.
//
// (A distribution of the standard library may differ from one to another.)
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>

namespace explore {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}

  // A number below `end`, which is not 0.
  [[nodiscard]] std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(engine_() % end);
  }
  [[nodiscard]] bool one_in(std::size_t times) { return below(times) == 0; }
  // A time from `least` up to `most`.
  [[nodiscard]] std::chrono::microseconds time(std::chrono::microseconds least,
                                               std::chrono::microseconds most) {
    const auto span = static_cast<std::size_t>((most - least).count()) + 1;
    return least + std::chrono::microseconds(below(span));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace explore
