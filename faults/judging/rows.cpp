#include "faults/judging/rows.h"

#include <fmt/format.h>

#include <algorithm>

namespace faults {
namespace {

// The fate of the reply at `place`, if its client does not get it at once: the fault comes right
// after it.
std::string_view fate_of(const Trace& trace, std::size_t place) {
  const auto& events = trace.record;
  const auto& reply = events[place];
  const auto next =
      std::find_if(events.begin() + static_cast<std::ptrdiff_t>(place) + 1, events.end(),
                   [&](const Event& e) { return e.process == reply.process; });
  const bool is_its_own = next != events.end() && next->kind == Kind::fault &&
                          next->text("side") == "reply" &&
                          next->text("server") == reply.text("from");
  if (!is_its_own) return {};
  const auto what = next->text("what");
  if (what == fault::held || what == fault::delayed) return " (held back)";
  return fault::loses_the_message(what) ? was_lost : "";
}

// A reply joins its command's row if only the server's own events came between them.
bool join_reply_to_command(const Trace& trace, std::vector<Row>& rows, const Row& reply) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto kind = trace.record[row->place].kind;
    // A lease that was over by then ended before the command did anything.
    if (kind == Kind::server && trace.record[row->place].text("what") == "expired") return false;
    if (kind == Kind::server) continue;
    if (kind != Kind::command || row->cells[0].lane != reply.cells[0].lane) return false;
    const auto text = reply.cells[0].text.substr(std::string_view(" ← ").size());
    const auto joined = row->cells[0].text + " → " + text;
    if (width_of(joined) > widest_text) return false;
    row->cells[0].text = joined;
    row->cells[0].also.push_back(reply.place);
    return true;
  }
  return false;
}

// Lets `cell` stand for what `left_out` said as well.
void stand_for(Cell& cell, const Cell& left_out) {
  cell.also.push_back(left_out.place);
  cell.also.insert(cell.also.end(), left_out.also.begin(), left_out.also.end());
}

// Is `row` the same command as `first`, with which a try begins? The last try may have more.
bool begins_a_try(const Trace& trace, const Row& row, const Row& first) {
  const auto name = [&](const Row& of) {
    const auto text = trace.record[of.place].text("text");
    return text.substr(0, text.find(' '));
  };
  return name(row) == name(first);
}

bool is_of(const Trace& trace, const Operation& operation, const Row& row, Kind kind) {
  return trace.record[row.place].is(kind, operation.client) && operation.open_at(row.place);
}

// Did `client` set what `cell` of a server tells of, and give it back, all between two places?
bool came_and_went(const Trace& trace, const Cell& cell, const std::string& client,
                   std::size_t from, std::size_t until) {
  const auto is_passing = [&](std::size_t place) {
    return std::any_of(trace.holds.begin(), trace.holds.end(), [&](const ServerHold& hold) {
      return hold.server == cell.lane && hold.owner == client && hold.ended_by == client &&
             from < hold.from && hold.from <= place && place <= hold.to && hold.to < until;
    });
  };
  return is_passing(cell.place) && std::all_of(cell.also.begin(), cell.also.end(), is_passing);
}

// The rows of the commands of an acquire, from its first to the one that begins its last try.
std::vector<std::size_t> commands_of(const Trace& trace, const Operation& acquire,
                                     const std::vector<Row>& rows) {
  std::vector<std::size_t> commands;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_of(trace, acquire, rows[i], Kind::command)) commands.push_back(i);
  }
  while (commands.size() > 2 && !begins_a_try(trace, rows[commands.back()], rows[commands[0]])) {
    commands.pop_back();
  }
  return commands;
}

// Draws only the first and the last of a client's many tries within one acquire.
void leave_out_repeats(const Trace& trace, const Operation& acquire, std::vector<Row>& rows) {
  constexpr std::size_t fewest = 4;  // fewer are drawn one by one
  const auto commands = commands_of(trace, acquire, rows);
  if (commands.size() < fewest) return;
  auto& tries = rows[commands[1]].cells[0];
  tries.text = fmt::format(" … {} more tries …", commands.size() - 2);
  const auto from = rows[commands[1]].place;
  const auto until = rows[commands.back()].place;
  for (auto i = commands[1] + 1; i < commands.back(); ++i) {
    const bool is_said = is_of(trace, acquire, rows[i], Kind::command) ||
                         is_of(trace, acquire, rows[i], Kind::reply);
    std::erase_if(rows[i].cells, [&](const Cell& cell) {
      const bool repeats = is_said || came_and_went(trace, cell, acquire.client, from, until);
      if (repeats) stand_for(tries, cell);
      return repeats;
    });
  }
  std::erase_if(rows, [](const Row& row) { return row.is_empty(); });
}

// Is the lock there already, and has its owner asked since, so that this SET renews it? (A hash
// that is written again has got another level.)
bool is_set_again(const Trace& trace, const Event& change) {
  const auto* hold = trace.hold_on(change.process, change.number);
  if (change.text("what") != "set" || hold == nullptr) return false;
  return std::any_of(trace.sent.begin(), trace.sent.end(), [&](const SentCommand& command) {
    return command.client == hold->owner && hold->from < command.place &&
           command.place < change.number;
  });
}

std::vector<Row> row_by_row(const Trace& trace) {
  std::vector<Row> rows;
  for (const auto& event : trace.events) {
    auto row = row_of(event);
    if (row.is_empty() || is_echo(trace, event)) continue;
    if (event.kind == Kind::reply) row.cells[0].text += fate_of(trace, event.number);
    if (sets_lock(row) && is_set_again(trace, event)) row.cells[0].text = "set again: renewed";
    const bool lease_with_lock = event.kind == Kind::server && event.text("what") == "expire" &&
                                 !rows.empty() && sets_lock(rows.back());
    if (lease_with_lock) {  // SET ... PX announces both
      rows.back().cells[0].text += " with lease";
      rows.back().cells[0].also.push_back(event.number);
    } else if (event.kind != Kind::reply || !join_reply_to_command(trace, rows, row)) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

// A stall of the machine before the first call, or after the last answer, delays no client.
void leave_out_stalls_around(const Trace& trace, std::vector<Row>& rows) {
  if (trace.operations.empty()) return;
  std::size_t last = 0;
  for (const auto& operation : trace.operations) last = std::max(last, trace.end_of(operation));
  std::erase_if(rows, [&](const Row& row) {
    const bool is_around = row.place < trace.operations.front().called || row.place > last;
    return is_around && trace.record.at(row.place).kind == Kind::stood_still;
  });
}

}  // namespace

bool is_echo(const Trace& trace, const Event& event) {
  if (!event.is(Kind::server, "replica")) return false;
  return std::none_of(trace.events.begin(), trace.events.end(), [&](const Event& earlier) {
    return earlier.number < event.number && earlier.kind == Kind::fault &&
           earlier.text("what") == fault::promoted;
  });
}

std::vector<Row> rows_of(const Trace& trace) {
  auto rows = has_a_quorum(trace) ? quorum_rows_of(trace) : row_by_row(trace);
  for (const auto& operation : trace.operations) {
    if (operation.name == "acquire") leave_out_repeats(trace, operation, rows);
  }
  leave_out_stalls_around(trace, rows);
  return rows;
}

}  // namespace faults
