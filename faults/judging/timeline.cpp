#include "faults/judging/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "faults/judging/judge.h"
#include "faults/judging/picture.h"
#include "faults/judging/rows.h"
#include "faults/judging/trace.h"

namespace faults {
namespace {

constexpr std::size_t bar_width = 3;
constexpr std::size_t time_width = 7;

// `text` in exactly `width` columns; what does not fit is cut off, and the cut is shown.
std::string fit(std::string text, std::size_t width) {
  if (width_of(text) <= width) return text + std::string(width - width_of(text), ' ');
  while (width_of(text) >= width) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    text.pop_back();
  }
  return text + (text.ends_with("…") ? " " : "…");
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

}  // namespace

std::string draw_timeline(const Record& record, const Paint& paint) {
  const Trace trace(record);
  const auto picture = picture_of(trace, judge(record));
  if (picture.lanes.empty()) return "nothing happened\n";
  const auto widths = widths_of(picture, paint.columns);
  std::string head = "   ms  ";
  for (std::size_t i = 0; i < widths.size(); ++i) {
    head += fit("   " + picture.lanes[i].name, widths[i]);
  }
  auto text = paint.bold(without_blanks_behind(head)) + "\n";
  for (const auto& line : picture.lines) {
    text +=
        fmt::format("{:>5}  {}\n", trace.ms(line.place), draw_line(picture, line, widths, paint));
  }
  return text;
}

}  // namespace faults
