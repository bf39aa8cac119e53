#include "tools/terminal/text.h"

#include <algorithm>
#include <sstream>

namespace terminal {
namespace {

// The number of UTF-8 characters: every byte but the continuations (RFC 3629, section 3).
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](unsigned char byte) { return (byte & 0xC0U) != 0x80U; }));
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
    const bool first = line.size() == indent.size();
    if (!first && columns_of(line) + 1 + columns_of(word) > width) {
      result += line + "\n";
      line = indent;
    }
    line += (line.size() == indent.size() ? "" : " ") + word;
  }
  return result + line + "\n";
}

std::string wrapped_help(std::string_view help, std::size_t column, std::size_t width) {
  std::istringstream lines{std::string(help)};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const auto meaning = line.size() > column ? line.find_first_not_of(' ', column) : line.npos;
    if (columns_of(line) <= width || !line.starts_with("  ") || meaning == line.npos) {
      result += line + "\n";
      continue;
    }
    // A long name of an option leaves no room for a column.
    const auto begin = line[column - 1] == ' ' ? column : line.find_first_not_of(' ');
    const std::string indent(column, ' ');
    auto text = wrapped(line.substr(begin), indent, width);
    result += text.replace(0, column, line.substr(0, begin));
  }
  return result;
}

std::string counted(long number, std::string_view one, std::string_view more) {
  auto text = std::to_string(number) + " ";
  if (number == 1) return text.append(one);
  return more.empty() ? text.append(one) + "s" : text.append(more);
}

}  // namespace terminal
