#include "faults/judging/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace faults {
namespace {

// Without bytes that a terminal would obey.
std::string harmless(std::string text) {
  for (auto& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return text;
}

constexpr std::string_view never_arrived = " (lost)";

std::string say_fault(const Event& event) {
  const auto what = event.text("what");
  const auto message = event.text("side") == "command"
                           ? fmt::format("{}'s command {}", event.lane, event.text("command"))
                           : fmt::format("the reply to {}'s {}", event.lane, event.text("command"));
  if (what == fault::held) return fmt::format("{} is held on the wire", message);
  if (what == fault::delivered) return fmt::format("{} is let go on", message);
  if (what == fault::dropped) return fmt::format("{} is lost", message);
  if (what == fault::delayed) return fmt::format("{} is delayed", message);
  if (what == fault::blackholed) return fmt::format("{} and all behind it vanish", message);
  if (what == fault::cut_off) {
    return event.text("side") == "command"
               ? fmt::format("from now on nothing {} sends arrives", event.lane)
               : fmt::format("from now on {} hears nothing from the server", event.lane);
  }
  if (what == fault::promoted) {
    return event.text("by").empty()
               ? fmt::format("{} is the master now", event.lane)
               : fmt::format("{} has made {} the master", event.text("by"), event.lane);
  }
  if (what == fault::flushed) return fmt::format("{} forgets its scripts", event.lane);
  if (what == fault::removed) {
    return fmt::format("{} loses the lock: somebody deletes it", event.lane);
  }
  if (what == fault::stepped) {
    return fmt::format("{}'s clock jumps by {} ms", event.lane, event.data.value("by_ms", 0));
  }
  if (what == fault::demoted) {
    return fmt::format("{} is made a replica: it takes no writes", event.lane);
  }
  if (what == fault::reinstated) return fmt::format("{} is a master again", event.lane);
  if (what == fault::restarted) {
    return fmt::format("{} is started again, {}", event.lane, event.text("how"));
  }
  if (what == fault::reset) return fmt::format("{} is lost: the connection breaks", message);
  if (what == fault::frozen) return fmt::format("{} is frozen (SIGSTOP)", event.lane);
  if (what == fault::thawed) return fmt::format("{} goes on (SIGCONT)", event.lane);
  if (what == fault::killed) return fmt::format("{} is killed (SIGKILL)", event.lane);
  if (what == fault::terminated) return fmt::format("{} is told to stop (SIGTERM)", event.lane);
  if (what == fault::ended) return fmt::format("{} {}", event.lane, event.text("how"));
  return fmt::format("{} {}", event.lane, what);
}

std::string say_server(const std::string& what) {
  if (what == "set" || what == "hset" || what == "incrby") return "lock set";
  if (what == "expire") return "lease set";
  if (what == "expired") return "lease over: gone";
  if (what == "hdel") return "one has left";
  if (what == "del") return "lock deleted";
  if (what == "kept") return "still has the lock";
  return what;
}

std::string say_storage(const Event& event) {
  const auto value = event.data.value("value", 0);
  const auto token = event.data.contains("token")
                         ? fmt::format(" (token {})", event.data.at("token").dump())
                         : std::string();
  const bool refused = !event.data.value("accepted", true);
  if (event.text("what") == "read") {
    return fmt::format("READ{} → {}", token, refused ? "refused" : std::to_string(value));
  }
  return fmt::format("WRITE {}{}{}", value, token, refused ? " → refused" : "");
}

}  // namespace

std::size_t width_of(std::string_view text) {
  // Each byte that does not continue a UTF-8 sequence begins one column.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

std::string_view if_lost(const Event& message) {
  return message.vanished() ? never_arrived : "";
}

Row row_of(const Event& event, std::size_t place) {
  const Row nothing{.place = place, .across = {}, .cells = {}};
  const auto in_lane = [&](std::string text) {
    return Row{.place = place, .across = {}, .cells = {{event.lane, harmless(text), place}}};
  };
  const auto across = [&](const std::string& text) {
    return Row{.place = place, .across = harmless(text), .cells = {}};
  };
  const auto operation = event.text("op");
  const bool with_storage = event.text("to") == "storage" || event.text("from") == "storage";
  switch (event.kind) {
    case Kind::call:
      if (operation == "bye" || operation == "work") return nothing;
      return in_lane(event.is_of_another_key() ? operation + " " + event.text("key") : operation);
    case Kind::answer:
      if (operation == "bye" || event.text("outcome") == "done") return nothing;
      return in_lane("= " + event.text("outcome"));
    case Kind::command:
      if (with_storage) return nothing;
      return in_lane(fmt::format(" {}{}", event.text("text"), if_lost(event)));
    case Kind::reply:
      if (with_storage) return nothing;
      return in_lane(fmt::format(" ← {}{}", event.text("text"), if_lost(event)));
    case Kind::storage:
      if (event.text("what") == "begin") return nothing;
      return in_lane(say_storage(event));
    case Kind::told: return in_lane("! " + event.text("event"));
    case Kind::server: return in_lane(say_server(event.text("what")));
    case Kind::fault: return across(say_fault(event));
    case Kind::not_exercised:
    case Kind::stalled: return across(event.text("why"));
    case Kind::stood_still:
      return across(
          fmt::format("the machine stood still for {} ms", event.data.value("for_ms", 0)));
    case Kind::setting:
    case Kind::ready: break;
  }
  return nothing;
}

namespace {

// What became of the reply at `place`, where its client does not have it: the fault comes right
// after it.
std::string_view fate_of(const Story& story, std::size_t place) {
  const auto& events = story.events;
  const auto& reply = events[place];
  const auto next =
      std::find_if(events.begin() + static_cast<std::ptrdiff_t>(place) + 1, events.end(),
                   [&](const Event& e) { return e.lane == reply.lane; });
  const bool is_its_own = next != events.end() && next->kind == Kind::fault &&
                          next->text("side") == "reply" &&
                          next->text("server") == reply.text("from");
  if (!is_its_own) return {};
  const auto what = next->text("what");
  if (what == fault::held || what == fault::delayed) return " (held back)";
  return fault::loses_the_message(what) ? never_arrived : "";
}

// A reply that came with nothing but the server's own doings in between stands beside its command.
bool join_reply_to_command(const Story& story, std::vector<Row>& rows, const Row& reply) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto kind = story.events[row->place].kind;
    // A lease that was over by then ended before the command did anything.
    if (kind == Kind::server && story.events[row->place].text("what") == "expired") return false;
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
bool begins_a_try(const Story& story, const Row& row, const Row& first) {
  const auto name = [&](const Row& of) {
    const auto text = story.events[of.place].text("text");
    return text.substr(0, text.find(' '));
  };
  return name(row) == name(first);
}

// Did `lane` set what `cell` of a server tells of, and give it back, all between two places?
bool came_and_went(const Story& story, const Cell& cell, const std::string& lane, std::size_t from,
                   std::size_t until) {
  const auto is_passing = [&](std::size_t place) {
    return std::any_of(story.holds.begin(), story.holds.end(), [&](const ServerHold& hold) {
      return hold.server == cell.lane && hold.owner == lane && hold.ended_by == lane &&
             from < hold.from && hold.from <= place && place <= hold.to && hold.to < until;
    });
  };
  return is_passing(cell.place) && std::all_of(cell.also.begin(), cell.also.end(), is_passing);
}

// Of a client's many tries within one acquire only the first and the last are drawn.
void leave_out_repeats(const Story& story, std::vector<Row>& rows) {
  for (const auto& operation : story.operations) {
    if (operation.name != "acquire") continue;
    const auto is_of = [&](const Row& row, Kind kind) {
      return story.events[row.place].is(kind, operation.lane) && operation.open_at(row.place);
    };
    std::vector<std::size_t> commands;  // places in `rows`
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_of(rows[i], Kind::command)) commands.push_back(i);
    }
    constexpr std::size_t fewest = 4;  // fewer are drawn one by one
    if (commands.size() < fewest) continue;
    while (commands.size() > 2 && !begins_a_try(story, rows[commands.back()], rows[commands[0]])) {
      commands.pop_back();
    }
    if (commands.size() < fewest) continue;
    rows[commands[1]].cells[0].text = fmt::format(" … {} more tries …", commands.size() - 2);
    auto& tries = rows[commands[1]].cells[0];
    const auto from = rows[commands[1]].place;
    const auto until = rows[commands.back()].place;
    for (auto i = commands[1] + 1; i < commands.back(); ++i) {
      const bool is_said = is_of(rows[i], Kind::command) || is_of(rows[i], Kind::reply);
      std::erase_if(rows[i].cells, [&](const Cell& cell) {
        const bool repeats = is_said || came_and_went(story, cell, operation.lane, from, until);
        if (repeats) stand_for(tries, cell);
        return repeats;
      });
    }
    std::erase_if(rows, [](const Row& row) { return row.across.empty() && row.cells.empty(); });
  }
}

bool sets_lock(const Row& row) {
  return !row.cells.empty() && row.cells[0].text == say_server("set");
}

std::vector<Row> row_by_row(const Story& story) {
  std::vector<Row> rows;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    auto row = row_of(event, place);
    if ((row.across.empty() && row.cells.empty()) || is_echo(story, place)) continue;
    if (event.kind == Kind::reply) row.cells[0].text += fate_of(story, place);
    const bool lease_with_lock = event.kind == Kind::server && event.text("what") == "expire" &&
                                 !rows.empty() && sets_lock(rows.back());
    if (lease_with_lock) {  // SET ... PX announces both
      rows.back().cells[0].text += " with lease";
      rows.back().cells[0].also.push_back(place);
    } else if (event.kind != Kind::reply || !join_reply_to_command(story, rows, row)) {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace

bool is_echo(const Story& story, std::size_t place) {
  if (!story.events[place].is(Kind::server, "replica")) return false;
  return std::none_of(story.events.begin(),
                      story.events.begin() + static_cast<std::ptrdiff_t>(place),
                      [](const Event& event) {
                        return event.kind == Kind::fault && event.text("what") == fault::promoted;
                      });
}

std::vector<Row> rows_of(const Story& story) {
  auto rows = is_crowded(story) ? crowded_rows_of(story) : row_by_row(story);
  leave_out_repeats(story, rows);
  return rows;
}

}  // namespace faults
