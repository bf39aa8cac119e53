#include "tools/pictures/fold.h"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace pictures {
namespace {

using nlohmann::json;

constexpr std::size_t longest_cycle = 4;  // in lines: a command, its effect, its reply
constexpr std::size_t fewest_cycles = 5;

// A line's texts, whenever it was said; empty: a fault, which is never left out.
std::string texts_of(const json& line) {
  if (line.at(1).is_string()) return {};
  std::string texts;
  for (const auto& said : line.at(2)) {
    texts += fmt::format("{}:{}\n", said.at(0).dump(), said.at(2).get<std::string>());
  }
  return texts;
}

// How many times in a row the `length` lines from `from` on come.
std::size_t count_cycles(const std::vector<std::string>& texts, std::size_t from,
                         std::size_t length) {
  std::size_t end = from;
  while (end < texts.size() && !texts[end].empty() &&
         texts[end] == texts[from + (end - from) % length]) {
    ++end;
  }
  return (end - from) / length;
}

struct Fold {
  std::size_t length = 0;  // of a cycle, in lines
  std::size_t cycles = 0;  // 0: nothing is repeated
};

Fold fold_at(const std::vector<std::string>& texts, std::size_t from) {
  for (std::size_t length = 1; length <= longest_cycle; ++length) {
    const auto cycles = count_cycles(texts, from, length);
    if (cycles >= fewest_cycles) return {.length = length, .cycles = cycles};
  }
  return {};
}

// Leaves lines out; `places` gets for each old line its new place.
json fold_lines(const json& lines, std::vector<std::size_t>& places) {
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(texts_of(line));
  auto kept = json::array();
  const auto keep = [&](std::size_t from, std::size_t count) {
    for (auto i = from; i < from + count; ++i) {
      places.push_back(kept.size());
      kept.push_back(lines[i]);
    }
  };
  for (std::size_t i = 0; i < lines.size();) {
    const auto fold = fold_at(texts, i);
    if (fold.cycles == 0) {
      keep(i++, 1);
      continue;
    }
    keep(i, fold.length);
    const auto left_out = (fold.cycles - 2) * fold.length;
    places.insert(places.end(), left_out, kept.size());
    const auto lane = lines[i].at(2).at(0).at(0);
    const auto words = fmt::format(" … {} times more …", fold.cycles - 2);
    kept.push_back({lines[i + fold.length].at(0), 0,
                    json::array({json::array({lane, "reply", words, 0, json::array(), 0})})});
    keep(i + fold.length + left_out, fold.length);
    i += fold.cycles * fold.length;
  }
  places.push_back(kept.size());
  return kept;
}

}  // namespace

json folded(const json& drawing) {
  auto result = drawing;
  std::vector<std::size_t> places;
  result["lines"] = fold_lines(drawing.at("lines"), places);
  const auto move = [&](json& line) { line = places.at(line.get<std::size_t>()); };
  for (const auto* stretches : {"bars", "still"}) {
    for (auto& stretch : result[stretches]) {
      move(stretch[1]);
      move(stretch[2]);
    }
  }
  for (auto& struck : result["struck"]) move(struck[0]);
  for (auto& collision : result["collisions"]) {
    for (auto& end : collision) move(end[0]);
  }
  return result;
}

}  // namespace pictures
