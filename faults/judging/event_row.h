// One event in words: its row in the timeline, and in the report's drawing.
//
// Thread-safety: pure functions and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/kit/history.h"

namespace faults {

// The widest text of a lane.
inline constexpr std::size_t widest_text = 28;

// One lane's part of a row.
struct Cell {
  std::string lane;  // a client's or a server's name
  std::string text;
  std::size_t place = 0;               // in the record
  std::vector<std::size_t> also = {};  // further events that its text stands for
};

struct Row {
  std::size_t place = 0;    // in the record, of what it begins with
  std::string across;       // if set: a fault, across the page
  std::vector<Cell> cells;  // otherwise: what stands in the lanes

  [[nodiscard]] bool is_empty() const { return across.empty() && cells.empty(); }
};

// Does a client end a subscription there? Nothing comes of it, so that is not drawn.
[[nodiscard]] bool leaves_a_channel(const Event& event);

// An empty row: the event is not drawn.
[[nodiscard]] Row row_of(const Event& event);

// Is it the row of a server that sets the lock?
[[nodiscard]] bool sets_lock(const Row& row);

// How many columns `text` takes.
[[nodiscard]] std::size_t width_of(std::string_view text);

// Follows a message that does not arrive.
inline constexpr std::string_view was_lost = " (lost)";

// The same, if the message vanished; else nothing.
[[nodiscard]] std::string_view if_lost(const Event& message);

}  // namespace faults
