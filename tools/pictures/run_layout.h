// Where everything in the picture of a run goes: a lane for each client and each server, time runs
// down, a row for each line of the terminal's timeline.
//
// What a server does upon a command shares the command's row. A pause without events gets a row of
// its own. Thread-safety: pure functions and values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pictures {

inline constexpr double letter = 7.23;  // how wide a letter of a run's picture is
inline constexpr double row_height = 19;
inline constexpr double margin = 16;

struct LanePlace {
  std::string name;
  bool is_server = false;
  double x = 0;
  double bar = 0;           // how wide its bar is
  double gap = 0;           // before its texts, and after them
  double text = 0;          // where its texts begin
  std::size_t letters = 0;  // how many of them have room
};

struct LinePlace {
  double top = 0;          // of a bar that begins with the line
  double middle = 0;       // of its text
  double bottom = 0;       // of a bar that ends with the line
  bool is_effect = false;  // it shares the row of the command in the line before
};

struct Pause {
  double middle = 0;
  long ms = 0;
};

struct RunLayout {
  std::vector<LanePlace> lanes;
  std::vector<LinePlace> lines;
  std::vector<Pause> pauses;
  double left = 0;    // of the lanes
  double top = 0;     // of their names
  double bottom = 0;  // of the last row
};

// For each line of a drawing in English (tools/report/drawing.h): true if it says only what a
// server did upon the command in the line before.
[[nodiscard]] std::vector<bool> effects_in(const nlohmann::json& drawing);

// Of a drawing in any language, and its effects. The lanes' names begin at `top`.
[[nodiscard]] RunLayout layout_of(const nlohmann::json& drawing, const std::vector<bool>& effects,
                                  double top);

// `text` in at most so many letters. If it is cut, that shows; the outcome at its end stays.
[[nodiscard]] std::string shortened(const std::string& text, std::size_t letters);

}  // namespace pictures
