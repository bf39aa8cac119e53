#include "faults/judging/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

#include "faults/judging/judge.h"
#include "faults/judging/picture.h"
#include "faults/judging/rows.h"
#include "faults/judging/trace.h"

namespace faults {
namespace {

constexpr std::size_t bar_width = 3;
constexpr std::size_t time_width = 7;

constexpr std::string_view arrow = " → ";

// `text` in exactly `width` columns; what does not fit is cut off, and the cut is shown. The
// outcome, which follows an arrow, is cut last.
std::string fit(std::string text, std::size_t width) {
  if (width_of(text) <= width) return text + std::string(width - width_of(text), ' ');
  const auto at = text.rfind(arrow);
  const auto outcome = at == std::string::npos ? std::string() : text.substr(at + 1);
  constexpr std::size_t beginning = 4;  // of a client's field: its bar, and the cut
  if (!outcome.empty() && width_of(outcome) + beginning <= width) {
    return fit(text.substr(0, at), width - width_of(outcome)) + outcome;
  }
  while (width_of(text) >= width) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    text.pop_back();
  }
  if (!text.ends_with("…")) text += "…";
  return text + std::string(width - width_of(text), ' ');
}

// The bar at the left of a lane; as wide for a client as for a server.
std::string bar_of(const Lane& lane, const Field& field) {
  if (!field.bar) return "  ";
  if (!lane.is_server) return "┃ ";
  return fmt::format("┃{}", field.owner.empty() ? "?" : field.owner.substr(0, 1));
}

// How wide each lane is, its bar and a gap included: as its widest text, but no wider than the page
// allows.
std::vector<std::size_t> widths_of(const Picture& picture, std::size_t page) {
  std::vector<std::size_t> widths;
  std::size_t total = time_width;
  for (std::size_t i = 0; i < picture.lanes.size(); ++i) {
    auto widest = width_of(picture.lanes[i].name);
    for (const auto& line : picture.lines) {
      widest = std::max(widest, width_of(line.fields[i].text));
    }
    widths.push_back(bar_width + std::min(widest, widest_text) + 1);
    total += widths.back();
  }
  constexpr std::size_t narrowest = bar_width + 10;
  while (total > page) {  // take a column from the widest
    auto& widest = *std::max_element(widths.begin(), widths.end());
    if (widest <= narrowest) break;
    --widest;
    --total;
  }
  return widths;
}

std::string without_blanks_behind(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

std::string draw_line(const Picture& picture, const Line& line,
                      const std::vector<std::size_t>& widths, const Paint& paint) {
  if (!line.across.empty()) {
    const auto fault = fit("──── " + line.across + " ────", paint.columns - time_width);
    return paint.yellow(without_blanks_behind(fault));
  }
  std::string text;
  for (std::size_t i = 0; i < line.fields.size(); ++i) {
    const auto& field = line.fields[i];
    const auto bar = bar_of(picture.lanes[i], field);
    const auto cell = fit(bar + " " + field.text, widths[i] - 1) + " ";
    text += field.is_evidence ? paint.red(cell) : cell;
  }
  return without_blanks_behind(text);
}

// Says so where the lanes cannot be made as narrow as the page.
std::string warning(const std::vector<std::size_t>& widths, std::size_t page) {
  const auto width = std::accumulate(widths.begin(), widths.end(), time_width);
  if (width <= page) return {};
  return fmt::format("(this terminal has {} columns; the picture needs {})\n", page, width);
}

}  // namespace

std::string draw_timeline(const Record& record, const Paint& paint,
                          std::optional<std::size_t> marked) {
  const Trace trace(record);
  const auto picture = picture_of(trace, judge(record));
  if (picture.lanes.empty()) return "nothing happened\n";
  const auto widths = widths_of(picture, paint.columns);
  std::string head = "   ms  ";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    head += fit("   " + picture.lanes[i].name, widths[i]);
  }
  auto text = warning(widths, paint.columns);
  text += paint.bold(without_blanks_behind(head)) + "\n";
  for (const auto& line : picture.lines) {
    const bool is_marked = marked && line.place >= *marked;
    if (is_marked) marked.reset();
    text += fmt::format("{:>5}{} {}\n", trace.ms(line.place), is_marked ? "▶" : " ",
                        draw_line(picture, line, widths, paint));
  }
  return text;
}

}  // namespace faults
