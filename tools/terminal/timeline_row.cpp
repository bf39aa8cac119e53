#include "tools/terminal/timeline_row.h"

#include <algorithm>
#include <cctype>

#include "faults/kit/text_width.h"

namespace terminal {
namespace {

constexpr std::string_view bar = "┃";
constexpr std::string_view mark = "▶";
constexpr char escape = '\x1b';

// The bytes up to the first text: the time and the mark. 0: it is no row.
std::size_t length_of_time(std::string_view line) {
  const auto digits = std::min(line.find_first_not_of(' '), line.size());
  auto at = digits;
  while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0) ++at;
  if (at == digits) return 0;
  if (line.substr(at).starts_with(mark)) {
    at += mark.size();
  } else if (line.substr(at).starts_with(' ')) {
    ++at;
  } else {
    return 0;
  }
  return line.substr(at).starts_with(' ') ? at + 1 : 0;
}

// The bytes at the start of `rest` that belong to no text: blanks, colours, a bar with its owner.
std::size_t length_of_gap(std::string_view rest) {
  if (rest.starts_with(' ')) return 1;
  if (rest.starts_with(escape)) return std::min(rest.find('m'), rest.size() - 1) + 1;
  if (!rest.starts_with(bar)) return 0;
  const bool has_owner = rest.size() > bar.size() && rest[bar.size()] != ' ';
  return bar.size() + (has_owner ? faults::length_of_first(rest.substr(bar.size())) : 0);
}

std::size_t length_of_text(std::string_view rest) {
  const auto end = std::min({rest.find("  "), rest.find(" ┃"), rest.find(bar), rest.find(escape)});
  return rest.substr(0, end).find_last_not_of(' ') + 1;
}

}  // namespace

bool is_timeline_row(std::string_view line) {
  return length_of_time(line) > 0;
}

std::string with_lanes(std::string_view row,
                       const std::function<std::string(std::string_view text)>& say) {
  auto rest = row.substr(length_of_time(row));
  std::string drawn(row.substr(0, row.size() - rest.size()));
  while (!rest.empty()) {
    const auto before = length_of_gap(rest);
    drawn += rest.substr(0, before);
    rest.remove_prefix(before);
    if (before > 0) continue;
    const auto text = rest.substr(0, length_of_text(rest));
    rest.remove_prefix(text.size());
    const auto said = say(text);
    const auto had = faults::width_in_columns(text);
    const auto has = faults::width_in_columns(said);
    const auto blanks = std::min(rest.find_first_not_of(' '), rest.size());
    const bool fits = has <= had || rest.empty() || has - had < blanks;
    drawn += fits ? said : std::string(text);
    if (!fits || rest.empty()) continue;
    if (has < had) drawn += std::string(had - has, ' ');
    if (has > had) rest.remove_prefix(has - had);
  }
  return drawn;
}

}  // namespace terminal
