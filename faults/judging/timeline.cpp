#include "faults/judging/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "faults/judging/judge.h"
#include "faults/judging/story.h"

namespace faults {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t time_width = 7;

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

std::string fit(std::string text, std::size_t width) {
  while (width_of(text) > width) {
    while ((static_cast<unsigned char>(text.back()) & 0xC0U) == 0x80U) text.pop_back();
    text.pop_back();
    if (width_of(text) == width - 1) text += "…";
  }
  return text + std::string(width - width_of(text), ' ');
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
  if (what == fault::reset) return fmt::format("{} is lost: the connection breaks", message);
  if (what == fault::frozen) return fmt::format("{} is frozen (SIGSTOP)", event.lane);
  if (what == fault::thawed) return fmt::format("{} goes on (SIGCONT)", event.lane);
  if (what == fault::killed) return fmt::format("{} is killed (SIGKILL)", event.lane);
  if (what == fault::terminated) return fmt::format("{} is told to stop (SIGTERM)", event.lane);
  if (what == fault::ended) return fmt::format("{} {}", event.lane, event.text("how"));
  return fmt::format("{} {}", event.lane, what);
}

std::string say_server(const std::string& what) {
  if (what == "set" || what == "hset") return "lock is set";
  if (what == "expire") return "lease is set";
  if (what == "expired") return "lease over: lock gone";
  if (what == "del") return "lock is deleted";
  return what;
}

// What one event adds to the picture; nothing for most.
std::optional<Row> row_of(const Event& event, std::size_t place) {
  switch (event.kind) {
    case Kind::call:
      if (event.text("op") == "bye") return std::nullopt;
      return Row{.place = place, .lane = event.lane, .text = event.text("op")};
    case Kind::answer:
      if (event.text("op") == "bye") return std::nullopt;
      return Row{.place = place, .lane = event.lane, .text = "= " + event.text("outcome")};
    case Kind::command:
      if (event.text("to") == "storage") return std::nullopt;
      return Row{.place = place, .lane = event.lane, .text = "  " + event.text("text")};
    case Kind::reply:
      if (event.text("from") == "storage") return std::nullopt;
      return Row{.place = place, .lane = event.lane, .text = "  ← " + event.text("text")};
    case Kind::storage:
      if (event.text("what") == "begin") return std::nullopt;
      return Row{.place = place,
                 .lane = event.lane,
                 .text = fmt::format("{} the account: {}",
                                     event.text("what") == "read" ? "reads" : "WRITES",
                                     event.data.value("value", 0))};
    case Kind::server:
      return Row{.place = place, .lane = event.lane, .text = say_server(event.text("what"))};
    case Kind::fault:
      return Row{.place = place, .lane = {}, .text = say_fault(event)};
    case Kind::not_exercised:
    case Kind::stalled:
      return Row{.place = place, .lane = {}, .text = event.text("why")};
    case Kind::setting:
    case Kind::ready:
      break;
  }
  return std::nullopt;
}

// Of a client's many tries within one acquire only the first and the last are drawn.
std::vector<Row> without_repeats(const Story& story, std::vector<Row> rows) {
  for (const auto& operation : story.operations) {
    if (operation.name != "acquire") continue;
    std::vector<std::size_t> tries;  // places in `rows`
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto& event = story.events[rows[i].place];
      const bool on_the_wire = event.kind == Kind::command || event.kind == Kind::reply;
      if (on_the_wire && event.lane == operation.lane && operation.open_at(rows[i].place)) {
        tries.push_back(i);
      }
    }
    constexpr std::size_t drawn = 4;  // a command and its reply, first and last
    if (tries.size() <= drawn + 2) continue;
    const auto left_out = tries.size() - drawn;
    rows[tries[2]].text = fmt::format("  … {} more tries …", left_out / 2);
    std::set<std::size_t> gone(tries.begin() + 3, tries.end() - 2);
    std::vector<Row> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!gone.contains(i)) kept.push_back(rows[i]);
    }
    rows = std::move(kept);
  }
  return rows;
}

std::vector<Row> rows_of(const Story& story) {
  std::vector<Row> rows;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    const bool lease_with_lock = event.kind == Kind::server && event.text("what") == "expire" &&
                                 !rows.empty() && rows.back().text == say_server("set");
    if (lease_with_lock) {  // SET ... PX announces both: one row
      rows.back().text += ", with lease";
      continue;
    }
    if (auto row = row_of(event, place)) rows.push_back(std::move(*row));
  }
  return without_repeats(story, std::move(rows));
}

// The clients in order of appearance, then the servers.
std::vector<std::string> lanes_of(const Story& story) {
  std::vector<std::string> clients;
  std::vector<std::string> servers;
  for (const auto& event : story.events) {
    if (event.lane.empty()) continue;
    auto& lanes = event.kind == Kind::server ? servers : clients;
    if (std::find(lanes.begin(), lanes.end(), event.lane) == lanes.end()) {
      lanes.push_back(event.lane);
    }
  }
  std::sort(clients.begin(), clients.end());
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
    const bool gave_up = event.kind == Kind::answer && outcome == "abandoned";
    const bool died = event.kind == Kind::fault &&
                      (event.text("what") == fault::killed || event.text("what") == fault::ended);
    if (gave_back || gave_up || died) holders_.erase(event.lane);
  }
  [[nodiscard]] bool holds(const std::string& lane) const { return holders_.contains(lane); }

 private:
  std::set<std::string> holders_;
};

std::string bar_of(const Story& story, const Beliefs& beliefs, const std::string& lane,
                   std::size_t place, bool is_server) {
  if (!is_server) return beliefs.holds(lane) ? "┃ " : "  ";
  const auto* hold = story.hold_at(place);
  if (hold == nullptr) return "   ";
  return fmt::format("┃{} ", hold->owner.empty() ? "?" : hold->owner.substr(0, 1));
}

std::set<std::size_t> evidence_of(const Judgement& judgement) {
  std::set<std::size_t> places;
  for (const auto& finding : judgement.findings) {
    places.insert(finding.evidence.begin(), finding.evidence.end());
  }
  return places;
}

}  // namespace

std::string draw_timeline(const Record& record, const Paint& paint) {
  const Story story(record);
  const auto lanes = lanes_of(story);
  if (lanes.empty()) return "nothing happened\n";
  const auto evidence = evidence_of(judge(record));
  const auto lane_width = std::min<std::size_t>(34, (page_width - time_width) / lanes.size());
  std::set<std::string> servers;
  for (const auto& event : story.events) {
    if (event.kind == Kind::server) servers.insert(event.lane);
  }
  std::string head = fit("   ms", time_width);
  for (const auto& lane : lanes) head += fit("  " + lane, lane_width);
  std::string picture = paint.bold(head) + "\n";
  Beliefs beliefs;
  std::size_t followed = 0;
  for (const auto& row : rows_of(story)) {
    for (; followed <= row.place; ++followed) beliefs.follow(story.events[followed]);
    picture += fmt::format("{:>5}  ", story.ms(row.place));
    if (row.lane.empty()) {
      picture += paint.yellow("──── " + row.text + " ────") + "\n";
      continue;
    }
    std::string line;
    for (const auto& lane : lanes) {
      const auto bar = bar_of(story, beliefs, lane, row.place, servers.contains(lane));
      const auto cell = fit(bar + (lane == row.lane ? row.text : ""), lane_width);
      const bool marked = lane == row.lane && evidence.contains(row.place);
      line += marked ? paint.red(cell) : cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    picture += line + "\n";
  }
  return picture;
}

}  // namespace faults
