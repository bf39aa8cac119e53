#include "faults/judging/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "faults/judging/judge.h"
#include "faults/judging/rows.h"
#include "faults/judging/story.h"

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

// The servers that have something to say, in order of appearance; of several, in their order.
std::vector<std::string> servers_of(const Story& story) {
  std::vector<std::string> servers;
  for (std::size_t place = 0; place < story.events.size(); ++place) {
    const auto& event = story.events[place];
    if (event.kind != Kind::server || is_echo(story, place)) continue;
    if (std::find(servers.begin(), servers.end(), event.lane) == servers.end()) {
      servers.push_back(event.lane);
    }
  }
  if (story.nodes() > 1) std::sort(servers.begin(), servers.end());
  return servers;
}

// The clients by name, then the servers.
std::vector<std::string> lanes_of(const Story& story) {
  std::set<std::string> clients;
  for (const auto& event : story.events) {
    if (event.kind == Kind::call) clients.insert(event.lane);
  }
  std::vector<std::string> lanes(clients.begin(), clients.end());
  const auto servers = servers_of(story);
  lanes.insert(lanes.end(), servers.begin(), servers.end());
  return lanes;
}

// Which clients believe that they hold the lock, as the story goes on.
class Beliefs {
 public:
  void follow(const Event& event) {
    const auto outcome = event.text("outcome");
    if (event.kind == Kind::answer && event.text("op") == "acquire" && outcome == "acquired") {
      holders_.insert(event.lane);
    }
    const bool gave_back = event.kind == Kind::answer && event.text("op") == "release" &&
                           outcome != "unknown" && outcome != "still_held";
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
      for (const auto& cell : row.cells) {
        if (cell.lane == lane) widest = std::max(widest, width_of(cell.text));
      }
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
  const auto servers = servers_of(story);
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
    if (!row.across.empty()) {
      auto fault = fit("──── " + row.across + " ────", paint.columns - time_width);
      fault.erase(fault.find_last_not_of(' ') + 1);
      picture += paint.yellow(fault) + "\n";
      continue;
    }
    std::string line;
    for (const auto& lane : lanes) {
      const auto said = std::find_if(row.cells.begin(), row.cells.end(),
                                     [&](const Cell& cell) { return cell.lane == lane; });
      const bool says = said != row.cells.end();
      const bool is_server = std::find(servers.begin(), servers.end(), lane) != servers.end();
      const auto bar = bar_of(story, beliefs, lane, says ? said->place : row.place, is_server);
      const auto cell = fit(bar + " " + (says ? said->text : ""), widths.at(lane) - 1) + " ";
      line += says && evidence.contains(said->place) ? paint.red(cell) : cell;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    picture += line + "\n";
  }
  return picture;
}

}  // namespace faults
