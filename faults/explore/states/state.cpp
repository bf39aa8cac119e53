#include "faults/explore/states/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace explore {

StateHash hash_of(const State& state) {
  // Names and texts have no such bytes: no text can look like two fields.
  std::string all;
  for (const auto& field : state) all += field.name + '\x1e' + field.text + '\x1d';
  const std::hash<std::string> hash;
  const auto first = hash(all);
  all += static_cast<char>(first);
  all.insert(0, fmt::format("{:x}", first));
  return {.first = first, .second = hash(all)};
}

std::optional<std::string> first_difference(const State& one, const State& other) {
  for (std::size_t i = 0; i < std::max(one.size(), other.size()); ++i) {
    const auto a = i < one.size() ? one[i] : StateField{};
    const auto b = i < other.size() ? other[i] : StateField{};
    if (a == b) continue;
    const auto& name = a.name.empty() ? b.name : a.name;
    return fmt::format("{}: \"{}\" and \"{}\"", name, a.text, b.text);
  }
  return std::nullopt;
}

}  // namespace explore
