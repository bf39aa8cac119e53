// What the timeline draws, row by row: the events of a story that matter, in words.
//
// With more than two servers what happens on several of them at once stands in one row: a command
// to five servers, their replies, the lock set on each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/judging/story.h"

namespace faults {

// The widest text of a lane.
inline constexpr std::size_t widest_text = 28;

// One lane's part of a row.
struct Cell {
  std::string lane;
  std::string text;
  std::size_t place = 0;               // in the story's events
  std::vector<std::size_t> also = {};  // further events that its text stands for
};

struct Row {
  std::size_t place = 0;    // in the story's events, of what it begins with
  std::string across;       // if set: a fault, across the page
  std::vector<Cell> cells;  // otherwise: what stands in the lanes
};

[[nodiscard]] std::vector<Row> rows_of(const Story& story);

// How many columns `text` takes.
[[nodiscard]] std::size_t width_of(std::string_view text);

// Is this a story of so many servers that they have to be drawn narrow?
[[nodiscard]] inline bool is_crowded(const Story& story) {
  return story.nodes() > 2;
}

// What is said behind a message that vanished on a link that was cut; nothing behind others.
[[nodiscard]] std::string_view if_lost(const Event& message);

// One event in words, as a row of its own; no cell and nothing across: it is not drawn.
[[nodiscard]] Row row_of(const Event& event, std::size_t place);

// Does a replica say there what its master has said? It does until it is promoted.
[[nodiscard]] bool is_echo(const Story& story, std::size_t place);

// The rows of a story of more than two servers, with every try of who waits.
[[nodiscard]] std::vector<Row> crowded_rows_of(const Story& story);

}  // namespace faults
