#include "tools/terminal/text.h"

#include <algorithm>
#include <sstream>

#include "faults/kit/text_width.h"

namespace terminal {
namespace {

using faults::length_of_first;
using faults::width_in_columns;

bool is_one_of(std::string_view character, std::string_view signs) {
  return signs.find(character) != std::string_view::npos;
}

// May a line be broken there? Chinese has no blanks: before and after any character, but some signs
// do not begin a line, and others do not end one.
bool may_break_between(std::string_view last, std::string_view next) {
  const bool is_wide = width_in_columns(last) == 2 || width_in_columns(next) == 2;
  return is_wide && !is_one_of(last, "（“《") && !is_one_of(next, "，。：；？！、）”》…");
}

// The part of `word` before the first place where a line may be broken.
std::string_view unbreakable(std::string_view word) {
  auto last = word.substr(0, length_of_first(word));
  auto length = last.size();
  while (length < word.size()) {
    const auto rest = word.substr(length);
    const auto next = rest.substr(0, length_of_first(rest));
    if (may_break_between(last, next)) break;
    length += next.size();
    last = next;
  }
  return word.substr(0, length);
}

// The bytes of `line` that are before that column.
std::size_t bytes_before(std::size_t column, std::string_view line) {
  std::size_t bytes = 0;
  while (bytes < line.size() && width_in_columns(line.substr(0, bytes)) < column) {
    bytes += length_of_first(line.substr(bytes));
  }
  return bytes;
}

// Without the control sequences for colours.
std::size_t visible_columns(std::string_view line) {
  std::string visible;
  bool is_control = false;
  for (const char letter : line) {
    is_control = is_control || letter == '\033';
    if (!is_control) visible += letter;
    is_control = is_control && letter != 'm';
  }
  return width_in_columns(visible);
}

// Continues below what comes after "broken:    ", or another such label.
std::string wrapped_below_label(const std::string& line, std::size_t width) {
  constexpr std::size_t widest_label = 16;
  constexpr std::string_view wide_colon = "：";
  const auto narrow = line.find(':');
  const auto wide = line.find(wide_colon);
  const auto end = wide < narrow ? wide + wide_colon.size() : narrow + 1;
  auto begin = std::min(narrow, wide) == line.npos ? 0 : line.find_first_not_of(' ', end);
  if (begin == line.npos || visible_columns(line.substr(0, begin)) > widest_label) begin = 0;
  const std::string indent(visible_columns(line.substr(0, begin)), ' ');
  return wrapped(line.substr(begin), indent, width).replace(0, indent.size(), line, 0, begin);
}

}  // namespace

std::size_t width_of_text(std::optional<TerminalSize> terminal) {
  constexpr std::size_t widest = 96;
  return terminal ? std::min(terminal->columns, widest) : widest;
}

std::string wrapped(std::string_view text, std::string_view indent, std::size_t width) {
  std::istringstream words{std::string(text)};
  std::string result;
  std::string line(indent);
  for (std::string word; words >> word;) {
    std::string blank = " ";  // before the first part of a word
    for (std::string_view rest = word; !rest.empty(); blank.clear()) {
      const auto part = unbreakable(rest);
      rest.remove_prefix(part.size());
      const bool first = line.size() == indent.size();
      if (!first && width_in_columns(line + blank) + width_in_columns(part) > width) {
        result += line + "\n";
        line = indent;
      }
      line += (line.size() == indent.size() ? "" : blank).append(part);
    }
  }
  return result + line + "\n";
}

std::string wrapped_result(std::string_view result, std::size_t width) {
  std::istringstream lines{std::string(result)};
  std::string text;
  int blank_lines = 0;
  for (std::string line; std::getline(lines, line);) {
    blank_lines += line.empty() ? 1 : 0;
    const bool is_picture = blank_lines == 1;
    const bool is_command = line.find("./lab") != line.npos;
    const bool fits = visible_columns(line) <= width || line.starts_with(' ');
    text += is_picture || is_command || fits ? line + "\n" : wrapped_below_label(line, width);
  }
  return text;
}

std::string wrapped_help(std::string_view help, std::size_t column_of_meaning, std::size_t width) {
  std::istringstream lines{std::string(help)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const auto column = bytes_before(column_of_meaning, line);
    const auto meaning = line.size() > column ? line.find_first_not_of(' ', column) : line.npos;
    if (width_in_columns(line) <= width || !line.starts_with("  ") || meaning == line.npos) {
      result += line + "\n";
      continue;
    }
    // A long name of an option leaves no room for a column.
    const auto begin = line[column - 1] == ' ' ? column : line.find_first_not_of(' ');
    const std::string indent(column_of_meaning, ' ');
    auto text = wrapped(line.substr(begin), indent, width);
    result += text.replace(0, column_of_meaning, line.substr(0, begin));
  }
  return result;
}

std::string padded(std::string text, std::size_t width) {
  const auto columns = width_in_columns(text);
  return columns < width ? text + std::string(width - columns, ' ') : text;
}

std::string counted(long number, std::string_view one, std::string_view more) {
  auto text = std::to_string(number) + " ";
  if (number == 1) return text.append(one);
  return more.empty() ? text.append(one) + "s" : text.append(more);
}

}  // namespace terminal
