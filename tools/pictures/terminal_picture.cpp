#include "tools/pictures/terminal_picture.h"

#include <fmt/format.h>

#include <sstream>
#include <string_view>
#include <vector>

#include "faults/kit/text_width.h"
#include "faults/running/result_text.h"
#include "tools/pictures/svg.h"
#include "tools/terminal/xml_text.h"

namespace pictures {
namespace {

constexpr std::size_t screen_columns = 114;
constexpr std::size_t screen_rows = 32;  // that the screen shows
constexpr double line_height = 17;
constexpr double title_bar = 34;
constexpr double screen_edge = 20;
constexpr double screen_height = screen_rows * line_height + 12;

// Seconds.
constexpr double key_press = 0.045;
constexpr double before_output = 0.6;
constexpr double between_lines = 0.11;
constexpr double at_a_fault = 0.75;  // the person who watches has to read it
constexpr double at_the_end = 6;

// A line with the terminal's colours, as parts of a <text>: "\x1b[31m" begins red, "\x1b[0m" ends.
std::string coloured(const std::string& line) {
  std::string parts;
  for (std::size_t i = 0; i < line.size();) {
    const auto escape = line.find('\x1b', i);
    parts += terminal::xml_text(line.substr(i, escape - i));
    if (escape == std::string::npos) break;
    const auto end = line.find('m', escape);
    const auto code = line.substr(escape + 2, end - escape - 2);
    parts += code == "0" ? "</tspan>" : fmt::format("<tspan class=\"code-{}\">", code);
    i = end + 1;
  }
  return parts;
}

// Where a line that is wider than the screen is broken; npos: it is not.
std::size_t break_in(const std::string& line) {
  std::size_t column = 0;
  std::size_t last_blank = std::string::npos;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\x1b') {
      i = line.find('m', i);
      continue;
    }
    if (line[i] == ' ') last_blank = i;
    const auto bytes = faults::length_of_first(std::string_view(line).substr(i));
    column += faults::width_in_columns(std::string_view(line).substr(i, bytes));
    i += bytes - 1;
    if (column > screen_columns) return last_blank;
  }
  return std::string::npos;
}

struct ShownLine {
  std::string text;
  double at = 0;  // when it appears
};

std::vector<ShownLine> lines_of(const faults::Record& record, double from,
                                const terminal::Language& language) {
  std::istringstream text(
      language(faults::describe_record(record, {.on = true, .columns = screen_columns})));
  std::vector<ShownLine> lines;
  for (std::string line; std::getline(text, line);) {
    const bool is_fault = line.find("────") != std::string::npos;
    if (const auto end = break_in(line); end != std::string::npos) {
      lines.push_back({.text = line.substr(0, end), .at = from});
      line.erase(0, end + 1);
    }
    lines.push_back({.text = line, .at = from});
    from += is_fault ? at_a_fault : between_lines;
  }
  return lines;
}

// A step of an animation of `name`: before `at` the one, from then on the other.
std::string appears(const std::string& name, double at, double whole) {
  const auto percent = 100 * at / whole;
  return fmt::format(
      "@keyframes {0} {{ 0%, {1:.2f}% {{ opacity: 0 }} {2:.2f}%, 100% {{ opacity: 1 }} }}\n"
      ".{0} {{ animation: {0} {3:.1f}s linear infinite }}\n",
      name, percent, percent + 0.01, whole);
}

// The lines go up, a row for each that has no room below; `first` is the number of screen_rows that
// are there before the output begins.
std::string scrolls(const std::vector<ShownLine>& lines, std::size_t first, double whole) {
  std::string steps = "0% { transform: none }";
  double last = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (first + i < screen_rows) continue;
    const auto up = static_cast<double>(first + i + 1 - screen_rows) * line_height;
    const auto percent = 100 * lines[i].at / whole;
    steps += fmt::format(
        " {:.2f}% {{ transform: translateY({:g}px) }} {:.2f}% {{ transform: "
        "translateY({:g}px) }}",
        percent, -last, percent + 0.01, -up);
    last = up;
  }
  return fmt::format(
      "@keyframes scroll {{ {0} 100% {{ transform: translateY({1:g}px) }} }}\n"
      ".scroll {{ transform: translateY({1:g}px); animation: scroll {2:.1f}s linear infinite }}\n",
      steps, -last, whole);
}

constexpr std::string_view colours = R"(
.screen { fill: #101418; stroke: #3c444f; }
.bar { fill: #232a32; }
.bar-title { fill: #b3bcc8; text-anchor: middle; }
.dot-1 { fill: #ff5f57; } .dot-2 { fill: #febc2e; } .dot-3 { fill: #28c840; }
.out { fill: #dfe5ec; font-size: 12.4px; white-space: pre; }
.code-1 { font-weight: 700; fill: #ffffff; }
.code-31 { fill: #ff8f87; font-weight: 700; } .code-32 { fill: #7ee29b; }
.code-33 { fill: #ffd97a; font-weight: 700; } .code-2 { fill: #8b949e; }
.prompt { fill: #7ee29b; font-weight: 700; }
@media (prefers-reduced-motion: reduce) { * { animation: none !important } }
)";

void draw_window(Svg& svg) {
  svg.rectangle("screen", {0.5, 0.5, picture_width - 1, title_bar + screen_height - 1}, 8);
  svg.path("bar", fmt::format("M1,{0:g} V9 q0,-8 8,-8 H{1:g} q8,0 8,8 V{0:g} z", title_bar,
                              picture_width - 9));
  for (int i = 1; i <= 3; ++i) {
    svg.circle(fmt::format("dot-{}", i), screen_edge * i, title_bar / 2, 6);
  }
  svg.text("bar-title", picture_width / 2, title_bar / 2, "redis-lock-lab");
}

// The command, key by key.
std::string typed(const std::string& command, std::string& style, double whole) {
  std::string parts = "<tspan class=\"prompt\">$ </tspan>";
  for (std::size_t i = 0; i < command.size(); ++i) {
    const auto name = fmt::format("k{}", i);
    style += appears(name, before_output + static_cast<double>(i) * key_press, whole);
    parts += fmt::format("<tspan class=\"{}\">{}</tspan>", name,
                         terminal::xml_text(command.substr(i, 1)));
  }
  return parts;
}

}  // namespace

std::string picture_of_terminal(const faults::Record& record, const std::string& command,
                                const terminal::Language& language) {
  const auto output_from = 2 * before_output + static_cast<double>(command.size()) * key_press;
  const auto lines = lines_of(record, output_from, language);
  const auto whole = lines.back().at + at_the_end;
  std::string style(colours);
  Svg svg;
  draw_window(svg);
  std::string texts;
  const auto add = [&](const std::string& name, const std::string& parts, std::size_t row) {
    texts +=
        fmt::format("<text class=\"out {}\" x=\"{:g}\" y=\"{:g}\">{}</text>\n", name, screen_edge,
                    title_bar + line_height * (static_cast<double>(row) + 1), parts);
  };
  add("command-line", typed(command, style, whole), 0);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto name = fmt::format("l{}", i);
    style += appears(name, lines[i].at, whole);
    add(name, coloured(lines[i].text), i + 1);
  }
  style += scrolls(lines, 1, whole);
  svg.add(
      fmt::format("<clipPath id=\"inside\"><rect x=\"1\" y=\"{:g}\" width=\"{:g}\" "
                  "height=\"{:g}\"/></clipPath>\n<g clip-path=\"url(#inside)\">"
                  "<g class=\"scroll\">\n{}</g></g>\n",
                  title_bar, picture_width - 2, screen_height - 4, texts));
  const auto title = language(fmt::format("A terminal: {}", command));
  return svg.finish(title_bar + screen_height, title, language(faults::describe_record(record, {})),
                    style);
}

}  // namespace pictures
