#include "tools/pictures/run_frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>
#include <vector>

#include "faults/judging/event_row.h"
#include "tools/pictures/run_layout.h"
#include "tools/terminal/text.h"

namespace pictures {
namespace {

using faults::width_of;
using nlohmann::json;
using terminal::Language;

constexpr double line_of_prose = 19;

// `words` in lines of about the same length, and of at most so many letters.
std::vector<std::string> in_lines(const std::string& words, std::size_t letters) {
  const auto count = width_of(words) / letters + 1;
  constexpr std::size_t longest_word = 10;
  const auto width = std::min(letters, width_of(words) / count + longest_word);
  std::istringstream text(terminal::wrapped(words, "", width));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

double write(Svg& svg, const std::string& words, double y) {
  constexpr std::size_t letters = 118;
  for (const auto& line : in_lines(words, letters)) {
    svg.text("about", margin, y + line_of_prose / 2, line);
    y += line_of_prose;
  }
  return y;
}

bool has_fault(const json& drawing) {
  const auto& lines = drawing.at("lines");
  return std::any_of(lines.begin(), lines.end(),
                     [](const json& line) { return line.at(1).is_string(); });
}

bool has_mistake(const json& drawing) {
  const auto& bars = drawing.at("bars");
  return std::any_of(bars.begin(), bars.end(), [](const json& bar) { return bar.at(4) == 1; });
}

}  // namespace

std::string verdict_of(const json& drawing, const Language& language) {
  return language(fmt::format("{}: {}", drawing.at("verdict").get<std::string>(),
                              drawing.at("sentence").get<std::string>()));
}

double draw_head(Svg& svg, const json& setting, const json& drawing, const Language& language) {
  const auto stage = setting.value("stage", std::string());
  const auto scenario = setting.value("scenario", std::string());
  constexpr double title = 26;
  svg.text("title", margin, title, fmt::format("{} · {}", stage, scenario));
  const auto number = stage.starts_with("stage") ? stage.substr(5, 1) : stage;
  svg.text("typed", picture_width - margin, title,
           fmt::format("./lab run {} {}", number, scenario));
  auto sentence = language(setting.value("sentence", std::string("?")));
  sentence[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(sentence[0])));
  auto y = write(svg, sentence + language("."), title + 17);
  const auto boundary = drawing.at("boundary").get<std::string>();
  if (!boundary.empty()) y = write(svg, language("Here: in " + boundary + "."), y);
  return y + 8;
}

double draw_verdict(Svg& svg, const json& drawing, double y, const Language& language) {
  const bool holds = drawing.at("verdict") == "holds";
  constexpr std::size_t letters = 104;
  constexpr double inside = 6;
  const auto lines = in_lines((holds ? "✓ " : "✗ ") + verdict_of(drawing, language), letters);
  const auto height = static_cast<double>(lines.size()) * line_of_prose + 2 * inside;
  const std::string outcome = holds ? "holds" : "violated";
  svg.rectangle("verdict-" + outcome, {margin, y, picture_width - 2 * margin, height}, 5);
  auto middle = y + inside + line_of_prose / 2;
  for (const auto& line : lines) {
    svg.text("verdict words-" + outcome, margin + 2 * inside, middle, line);
    middle += line_of_prose;
  }
  return y + height + 10;
}

double draw_key(Svg& svg, const json& drawing, double y, const Language& language) {
  constexpr double height = 16;
  constexpr double letter_of_key = 6.6;
  constexpr double wide = 16;
  double x = margin;
  const auto add = [&](const char* name, double width, std::string_view english) {
    const auto words = language(english);
    svg.rectangle(name, {x, y, width, height}, 2);
    svg.text("key-text", x + width + 7, y + height / 2, words);
    x += width + 25 + letter_of_key * static_cast<double>(width_of(words));
  };
  add("lane-0", 9, "believes that it holds the lock");
  if (has_mistake(drawing)) add("mistaken", 9, "believes so, and is wrong");
  svg.rectangle("lane-0", {x, y, wide, height}, 2);
  svg.text("owner", x + wide / 2, y + height / 2, "A");
  add("no-fill", wide, "the server has the lock, for A");
  if (has_fault(drawing)) add("fault", 24, "a fault");
  return y + height + 12;
}

}  // namespace pictures
