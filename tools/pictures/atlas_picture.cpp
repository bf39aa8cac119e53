#include "tools/pictures/atlas_picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faults/explore/atlas/search_locks.h"
#include "faults/explore/atlas/smallest.h"
#include "tools/pictures/svg.h"

namespace pictures {
namespace {

constexpr double atlas_edge = 16;
constexpr double cells_at = 500;
constexpr double cell_width = 38;
constexpr double atlas_row = 20;
constexpr double rows_at = 130;

// "set · token · release script · look".
std::string short_words(const atlas::Parts& parts) {
  std::vector<std::string> words;
  for (auto word : atlas::to_words(parts)) {
    const auto equals = word.find('=');
    const auto part = word.substr(0, equals);
    const auto choice = word.substr(equals + 1);
    if (part == "acquire") {
      words.push_back(choice);
    } else {
      words.push_back(choice == "yes" ? part : part + " " + choice);
    }
  }
  return fmt::format("{}", fmt::join(words, " · "));
}

void draw_headings(Svg& svg) {
  double x = cells_at + cell_width / 2;
  for (const auto& kind : atlas::kinds_of_fault()) {
    svg.add(fmt::format(
        "<text class=\"key-text\" transform=\"translate({:.1f},{:.1f}) rotate(-50)\">{}</text>\n",
        x, rows_at - 8, kind.name));
    x += cell_width;
  }
}

void draw_cell(Svg& svg, const atlas::Cell* cell, double x, double y) {
  const Box box{x + 1, y + 1, cell_width - 2, atlas_row - 2};
  if (cell == nullptr) return svg.rectangle("gone", box, 3);
  const bool is_broken = !cell->broken.empty();
  const auto* how = is_broken ? "violated" : (cell->is_exhausted ? "holds" : "unknown");
  svg.rectangle(cell->is_exhausted || is_broken ? fmt::format("verdict-{}", how) : "fault", box, 3);
  const std::string letters(cell->broken.begin(), cell->broken.end());
  svg.text(fmt::format("owner words-{}", how), x + cell_width / 2, y + atlas_row / 2,
           is_broken ? letters : (cell->is_exhausted ? "✓" : "?"));
}

void draw_row(Svg& svg, const atlas::Finding& finding, double y) {
  svg.text("call", atlas_edge, y + atlas_row / 2, short_words(finding.parts));
  double x = cells_at;
  for (const auto& kind : atlas::kinds_of_fault()) {
    draw_cell(svg, finding.cell(kind.name), x, y);
    x += cell_width;
  }
}

// After style.css: its white letters are for a dark ground.
constexpr std::string_view atlas_style =
    ".call { font-weight: 400; font-size: 11px; }\n"
    ".owner { font-weight: 700; font-size: 10px; }\n"
    ".owner.words-holds { fill: #0b6b2d; }\n"
    ".owner.words-violated { fill: #b3001b; }\n"
    ".owner.words-unknown { fill: #6b4a00; }\n"
    "@media (prefers-color-scheme: dark) {\n"
    "  .owner.words-holds { fill: #7ee29b; }\n"
    "  .owner.words-violated { fill: #ff9a93; }\n"
    "  .owner.words-unknown { fill: #ffd97a; }\n"
    "}\n";

}  // namespace

std::string picture_of_atlas(const std::vector<atlas::Finding>& all) {
  Svg svg;
  svg.text("title", atlas_edge, 30, "The smallest locks, and what each breaks");
  svg.text("about", atlas_edge, 56, "X mutual exclusion · R owner-only release · L liveness");
  svg.text("about", atlas_edge, 76, "N owner-only renewal · T truthful outcomes · F rising tokens");
  draw_headings(svg);
  double y = rows_at;
  int rows = 0;
  for (const auto& finding : all) {
    if (atlas::size_in_atlas(finding, all) != atlas::Size::smallest) continue;
    draw_row(svg, finding, y);
    y += atlas_row;
    ++rows;
  }
  return svg.finish(y + 12, "The smallest locks of the atlas",
                    fmt::format("{} locks, each with the promises that it breaks under each kind "
                                "of fault; docs/atlas.md has the same as a table.",
                                rows),
                    atlas_style);
}

}  // namespace pictures
