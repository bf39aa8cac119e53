#include "faults/judging/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

#include "faults/judging/judge.h"
#include "faults/judging/story.h"

namespace faults {
namespace {

constexpr std::size_t bar_width = 3;
constexpr std::size_t time_width = 7;
constexpr std::size_t widest_text = 28;

struct Row {
  std::size_t place = 0;  // in the story's events
  std::string lane;       // empty: a fault, across the page
  std::string text;
};

std::size_t width_of(std::string_view text) {
  // Each byte that does not continue a UTF-8 sequence begins one column.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

// `text` in exactly `width` columns; what does not fit is cut off, and the cut is shown.
std::string fit(std::string text, std::size_t width) {
  if (width_of(text) <= width) return text + std::string(width - width_of(text), ' ');
  while (width_of(text) >= width) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

// Without bytes that a terminal would obey.
std::string harmless(std::string text) {
  for (auto& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = '?';
  }
  return text;
}

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
  if (what == fault::stepped) {
    return fmt::format("{}'s clock jumps by {} ms", event.lane, event.data.value("by_ms", 0));
  }
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
  if (what == "set" || what == "hset") return "lock set";
  if (what == "expire") return "lease set";
  if (what == "expired") return "lease over: gone";
  if (what == "del") return "lock deleted";
  if (what == "kept") return "still has the lock";
  return what;
}

std::string say_storage(const Event& event) {
  const auto value = event.data.value("value", 0);
  return event.text("what") == "read" ? fmt::format("READ → {}", value)
                                      : fmt::format("WRITE {}", value);
}

// What one event adds to the picture; nothing for what another row shows already.
std::optional<Row> row_of(const Event& event, std::size_t place) {
  const auto in_lane = [&](std::string text) {
    return Row{.place = place, .lane = event.lane, .text = std::move(text)};
  };
  const auto operation = event.text("op");
  const bool with_storage = event.text("to") == "storage" || event.text("from") == "storage";
  switch (event.kind) {
    case Kind::call:
      if (operation == "bye" || operation == "work") return std::nullopt;
      return in_lane(operation);
    case Kind::answer:
      if (operation == "bye" || event.text("outcome") == "done") return std::nullopt;
      return in_lane("= " + event.text("outcome"));
    case Kind::command:
      if (with_storage) return std::nullopt;
      return in_lane(" " + event.text("text"));
    case Kind::reply:
      if (with_storage) return std::nullopt;
      return in_lane(" ← " + event.text("text"));
    case Kind::storage:
      if (event.text("what") == "begin") return std::nullopt;
      return in_lane(say_storage(event));
    case Kind::told: return in_lane("! " + event.text("event"));
    case Kind::server: return in_lane(say_server(event.text("what")));
    case Kind::fault: return Row{.place = place, .lane = {}, .text = say_fault(event)};
    case Kind::not_exercised:
    case Kind::stalled: return Row{.place = place, .lane = {}, .text = event.text("why")};
    case Kind::stood_still:
      return Row{
          .place = place,
          .lane = {},
          .text = fmt::format("the machine stood still for {} ms", event.data.value("for_ms", 0))};
    case Kind::setting:
    case Kind::ready: break;
  }
  return std::nullopt;
}

// A reply that came with nothing but the server's own doings in between stands beside its command.
bool join_reply_to_command(const Story& story, std::vector<Row>& rows, const Row& reply) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
    const auto kind = story.events[row->place].kind;
    if (kind == Kind::server) continue;
    if (kind != Kind::command || row->lane != reply.lane) return false;
    const auto joined = row->text + " → " + story.events[reply.place].text("text");
    if (width_of(joined) > widest_text) return false;
    row->text = joined;
    return true;
  }
  return false;
}

// Of a client's many tries within one acquire only the first and the last are drawn.
std::vector<Row> without_repeats(const Story& story, std::vector<Row> rows) {
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
    rows[commands[1]].text = fmt::format(" … {} more tries …", commands.size() - 2);
    std::vector<Row> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const bool repeats = i > commands[1] && i < commands.back() &&
                           (is_of(rows[i], Kind::command) || is_of(rows[i], Kind::reply));
      if (!repeats) kept.push_back(rows[i]);
    }
    rows = std::move(kept);
  }
  return rows;
}

// The place of the replica's promotion: before that it says what the master says.
std::size_t promotion_in(const Story& story) {
  const auto found = std::find_if(story.events.begin(), story.events.end(), [](const Event& event) {
    return event.kind == Kind::fault && event.text("what") == fault::promoted;
  });
  return found == story.events.end() ? never
                                     : static_cast<std::size_t>(found - story.events.begin());
}

bool is_echo(const Story& story, std::size_t place) {
  return story.events[place].is(Kind::server, "replica") && place < promotion_in(story);
}

std::vector<Row> rows_of(const Story& story) {
  std::vector<Row> rows;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    auto row = row_of(event, place);
    if (!row || is_echo(story, place)) continue;
    row->text = harmless(std::move(row->text));
    const bool lease_with_lock = event.kind == Kind::server && event.text("what") == "expire" &&
                                 !rows.empty() && rows.back().text == say_server("set");
    if (lease_with_lock) {  // SET ... PX announces both
      rows.back().text += " with lease";
    } else if (event.kind != Kind::reply || !join_reply_to_command(story, rows, *row)) {
      rows.push_back(std::move(*row));
    }
  }
  return without_repeats(story, std::move(rows));
}

// The clients, then the servers that have something to say, each by name.
std::vector<std::string> lanes_of(const Story& story) {
  std::vector<std::string> clients;
  std::vector<std::string> servers;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    const bool is_server = event.kind == Kind::server && !is_echo(story, place);
    if (!is_server && event.kind != Kind::call) continue;
    auto& lanes = is_server ? servers : clients;
    if (std::find(lanes.begin(), lanes.end(), event.lane) == lanes.end()) {
      lanes.push_back(event.lane);
    }
  }
  std::sort(clients.begin(), clients.end());
  std::sort(servers.begin(), servers.end());
  clients.insert(clients.end(), servers.begin(), servers.end());
  return clients;
}

// Which clients believe that they hold the lock, as the story goes on.
class Beliefs {
 public:
  void follow(const Event& event) {
    const auto outcome = event.text("outcome");
    if (event.kind == Kind::answer && event.text("op") == "acquire" && outcome == "acquired") {
      holders_.insert(event.lane);
    }
    const bool gave_back =
        event.kind == Kind::answer && event.text("op") == "release" && outcome != "unknown";
    const bool gave_up = (event.kind == Kind::answer && outcome == "abandoned") ||
                         (event.kind == Kind::told && event.text("event") == "lost");
    const bool died = event.kind == Kind::fault &&
                      (event.text("what") == fault::killed || event.text("what") == fault::ended);
    if (gave_back || gave_up || died) holders_.erase(event.lane);
  }
  [[nodiscard]] bool holds(const std::string& lane) const { return holders_.contains(lane); }

 private:
  std::set<std::string> holders_;
};

// The bar at the left of a lane; as wide for a client as for a server.
std::string bar_of(const Story& story, const Beliefs& beliefs, const std::string& lane,
                   std::size_t place, bool is_server) {
  if (!is_server) return beliefs.holds(lane) ? "┃ " : "  ";
  for (const auto& hold : story.holds) {
    if (hold.server != lane || hold.from > place || place >= hold.to) continue;
    return fmt::format("┃{}", hold.owner.empty() ? "?" : hold.owner.substr(0, 1));
  }
  return "  ";
}

std::set<std::size_t> evidence_of(const Judgement& judgement) {
  std::set<std::size_t> places;
  for (const auto& finding : judgement.findings) {
    places.insert(finding.evidence.begin(), finding.evidence.end());
  }
  return places;
}

// How wide each lane is, its bar and a gap included: as its widest text, but no wider than the page
// allows.
std::map<std::string, std::size_t> widths_of(const std::vector<std::string>& lanes,
                                             const std::vector<Row>& rows, std::size_t page) {
  std::map<std::string, std::size_t> widths;
  std::size_t total = time_width;
  for (const auto& lane : lanes) {
    auto widest = width_of(lane);
    for (const auto& row : rows) {
      if (row.lane == lane) widest = std::max(widest, width_of(row.text));
    }
    widths[lane] = bar_width + std::min(widest, widest_text) + 1;
    total += widths[lane];
  }
  constexpr std::size_t narrowest = bar_width + 10;
  while (total > page) {  // take a column from the widest
    auto& widest = std::max_element(widths.begin(), widths.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->second;
    if (widest <= narrowest) break;
    --widest;
    --total;
  }
  return widths;
}

}  // namespace

std::string draw_timeline(const Record& record, const Paint& paint) {
  const Story story(record);
  const auto lanes = lanes_of(story);
  if (lanes.empty()) return "nothing happened\n";
  const auto rows = rows_of(story);
  const auto evidence = evidence_of(judge(record));
  std::set<std::string> servers;
  for (const auto& event : story.events) {
    if (event.kind == Kind::server) servers.insert(event.lane);
  }
  const auto widths = widths_of(lanes, rows, paint.columns);
  std::string head = "   ms  ";
  for (const auto& lane : lanes) head += fit("   " + lane, widths.at(lane));
  head.erase(head.find_last_not_of(' ') + 1);
  std::string picture = paint.bold(head) + "\n";
  Beliefs beliefs;
  std::size_t followed = 0;
  for (const auto& row : rows) {
    for (; followed <= row.place; ++followed) beliefs.follow(story.events[followed]);
    picture += fmt::format("{:>5}  ", story.ms(row.place));
    if (row.lane.empty()) {
      auto fault = fit("──── " + row.text + " ────", paint.columns - time_width);
      fault.erase(fault.find_last_not_of(' ') + 1);
      picture += paint.yellow(fault) + "\n";
      continue;
    }
    std::string line;
    for (const auto& lane : lanes) {
      const auto bar = bar_of(story, beliefs, lane, row.place, servers.contains(lane));
      const auto cell =
          fit(bar + " " + (lane == row.lane ? row.text : ""), widths.at(lane) - 1) + " ";
      const bool marked = lane == row.lane && evidence.contains(row.place);
      line += marked ? paint.red(cell) : cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    picture += line + "\n";
  }
  return picture;
}

}  // namespace faults
