#include "tools/pictures/run_layout.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "faults/judging/event_row.h"
#include "tools/pictures/svg.h"

namespace pictures {
namespace {

using faults::width_of;
using nlohmann::json;

constexpr double time_width = 60;
constexpr double name_height = 30;
constexpr double client_bar = 9;
constexpr double server_bar = 16;
constexpr double letter_of_name = 9.1;
constexpr double client_gap = 8;  // before a text, and after it
constexpr double server_gap = 4;
// For a word about a write.
constexpr std::size_t room_for_lost = 7;
constexpr std::size_t room_for_overwrites = 15;
constexpr long shortest_pause_ms = 50;
constexpr long most_apart_ms = 5;  // a command and its effect, on one row

bool is_fault(const json& line) {
  return line.at(1).is_string();
}

// The server has the lock in line `index` and had it not in the line before: for whom?
std::string newly_held_for(const json& drawing, const json& lane, std::size_t index) {
  for (const auto& bar : drawing.at("bars")) {
    if (bar.at(0) == lane && bar.at(1) == index) return bar.at(3);
  }
  return {};
}

bool is_effect(const json& drawing, std::size_t index) {
  const auto& lines = drawing.at("lines");
  if (index == 0 || is_fault(lines[index]) || is_fault(lines[index - 1])) return false;
  const auto& before = lines[index - 1].at(2);
  if (before.size() != 1 || before[0].at(1) != "command") return false;
  const auto command = before[0].at(2).get<std::string>();
  // "… 9 more tries …" is several commands, and a lost command has no effect.
  if (command.find("…") == command.find_first_not_of(' ')) return false;
  if (command.ends_with(faults::was_lost)) return false;
  if (lines[index].at(0).get<long>() - lines[index - 1].at(0).get<long>() > most_apart_ms)
    return false;
  const auto client =
      drawing.at("lanes")[before[0].at(0).get<std::size_t>()].at(0).get<std::string>();
  const auto& said = lines[index].at(2);
  return std::all_of(said.begin(), said.end(), [&](const json& one) {
    const auto holder = newly_held_for(drawing, one.at(0), index);
    return one.at(1) == "server" && !one.at(2).get<std::string>().ends_with("gone") &&
           (holder.empty() || holder == client);
  });
}

std::string text_at(const json& drawing, const json& place) {
  for (const auto& said : drawing.at("lines").at(place.at(0).get<std::size_t>()).at(2)) {
    if (said.at(0) == place.at(1)) return said.at(2);
  }
  return {};
}

LanePlace lane_of(const json& lane) {
  const bool is_server = lane.at(1) == 1;
  const auto name = lane.at(0).get<std::string>();
  const auto bar = is_server ? server_bar : client_bar;
  const auto gap = is_server ? server_gap : client_gap;
  const auto for_name = static_cast<double>(width_of(name)) * letter_of_name - bar - 2 * gap;
  const auto letters = static_cast<std::size_t>(std::ceil(std::max(0.0, for_name) / letter));
  return {.name = name, .is_server = is_server, .bar = bar, .gap = gap, .letters = letters};
}

// How many letters each lane has to have: its name, and a word about a lost write.
std::vector<std::size_t> fewest_letters(const json& drawing) {
  std::vector<std::size_t> letters;
  for (const auto& lane : drawing.at("lanes")) letters.push_back(lane_of(lane).letters);
  const auto make_room = [&](const json& place, std::size_t room) {
    auto& here = letters[place.at(1).get<std::size_t>()];
    here = std::max(here, width_of(text_at(drawing, place)) + room);
  };
  for (const auto& collision : drawing.at("collisions")) {
    make_room(collision.at(0), room_for_lost);
    make_room(collision.at(1), room_for_overwrites);
  }
  return letters;
}

// How many letters each lane would like to have.
std::vector<std::size_t> longest_texts(const json& drawing) {
  auto letters = fewest_letters(drawing);
  for (const auto& line : drawing.at("lines")) {
    if (is_fault(line)) continue;
    for (const auto& said : line.at(2)) {
      auto& here = letters[said.at(0).get<std::size_t>()];
      const auto text = width_of(said.at(2).get<std::string>());
      here = std::max(here, std::min(text, faults::widest_text));
    }
  }
  return letters;
}

// Gives lanes letters, fewer than they would like to have where there is no room; returns the room
// that is left.
double share_letters(RunLayout& layout, const json& drawing) {
  const auto fewest = fewest_letters(drawing);
  const auto wanted = longest_texts(drawing);
  double free = picture_width - margin - layout.left;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    auto& lane = layout.lanes.emplace_back(lane_of(drawing.at("lanes")[i]));
    lane.letters = wanted[i];
    free -= lane.bar + 2 * lane.gap + static_cast<double>(lane.letters) * letter;
  }
  while (free < 0) {
    LanePlace* widest = nullptr;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      auto& lane = layout.lanes[i];
      if (lane.letters <= fewest[i]) continue;
      if (widest == nullptr || lane.letters > widest->letters) widest = &lane;
    }
    if (widest == nullptr) break;
    --widest->letters;
    free += letter;
  }
  return std::max(0.0, free);
}

void place_lanes(RunLayout& layout, const json& drawing) {
  const double free = share_letters(layout, drawing);
  const double more = free / static_cast<double>(std::max<std::size_t>(1, layout.lanes.size()));
  double x = layout.left;
  for (auto& lane : layout.lanes) {
    lane.x = x;
    lane.text = x + lane.bar + lane.gap;
    x = lane.text + static_cast<double>(lane.letters) * letter + lane.gap + more;
  }
}

void place_lines(RunLayout& layout, const json& drawing, const std::vector<bool>& effects) {
  double y = layout.top + name_height;
  const auto& lines = drawing.at("lines");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto passed = i > 0 ? lines[i].at(0).get<long>() - lines[i - 1].at(0).get<long>() : 0;
    if (passed >= shortest_pause_ms) {
      layout.pauses.push_back({.middle = y + row_height / 2, .ms = passed});
      y += row_height;
    }
    if (effects[i]) {
      auto& command = layout.lines.back();
      const LinePlace effect = {.top = command.middle,
                                .middle = command.middle,
                                .bottom = std::exchange(command.bottom, command.middle),
                                .is_effect = true};
      layout.lines.push_back(effect);
      continue;
    }
    layout.lines.push_back({.top = y, .middle = y + row_height / 2, .bottom = y + row_height});
    y += row_height;
  }
  layout.bottom = y;
}

}  // namespace

std::vector<bool> effects_in(const json& drawing) {
  std::vector<bool> effects;
  for (std::size_t i = 0; i < drawing.at("lines").size(); ++i) {
    effects.push_back(is_effect(drawing, i));
  }
  return effects;
}

RunLayout layout_of(const json& drawing, const std::vector<bool>& effects, double top) {
  RunLayout layout;
  layout.left = time_width;
  layout.top = top;
  place_lanes(layout, drawing);
  place_lines(layout, drawing, effects);
  return layout;
}

std::string shortened(const std::string& text, std::size_t letters) {
  if (width_of(text) <= letters) return text;
  constexpr std::string_view arrow = " → ";
  const auto at = text.rfind(arrow);
  const auto outcome = at == std::string::npos ? std::string() : text.substr(at);
  const auto kept = letters - std::min(letters, width_of(outcome) + 1);
  auto beginning = text.substr(0, at);
  while (width_of(beginning) > kept) {
    while ((static_cast<unsigned char>(beginning.back()) & 0xC0U) == 0x80U) beginning.pop_back();
    beginning.pop_back();
  }
  return beginning + (beginning.ends_with("…") ? "" : "…") + outcome;
}

}  // namespace pictures
