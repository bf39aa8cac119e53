#include "tools/pictures/peers_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <vector>

#include "faults/kit/errors.h"
#include "tools/pictures/svg.h"

namespace pictures {
namespace {

constexpr double peers_edge = 24;
constexpr double bars_at = 200;
constexpr double longest_bar = 590;
constexpr double bar_row = 22;
constexpr double heading_row = 40;

struct PeersBar {
  std::string lock;
  double pairs = 0;  // a second
};

// The locks that were measured beside each other.
struct PeersGroup {
  std::string servers;
  std::string clients;
  std::vector<PeersBar> bars;
};

std::string peers_table(const std::string& chapter) {
  constexpr std::string_view begin = "<!-- bench: peers -->";
  const auto from = chapter.find(begin);
  const auto to = from == std::string::npos ? from : chapter.find("<!-- end -->", from);
  if (to == std::string::npos) {
    throw faults::CannotRun("the table of peers is not there: ./lab bench --filter peers --record");
  }
  return chapter.substr(from, to - from);
}

std::vector<PeersGroup> read_groups(const std::string& table) {
  static const std::regex row(R"(\| (\w+)/(\w+)/([^ |]+) \| (\d+)[^|]*\|)");
  std::vector<PeersGroup> groups;
  for (std::sregex_iterator at(table.begin(), table.end(), row), end; at != end; ++at) {
    const auto& found = *at;
    if (groups.empty() || groups.back().servers != found[1] || groups.back().clients != found[2]) {
      groups.push_back({.servers = found[1], .clients = found[2], .bars = {}});
    }
    groups.back().bars.push_back({.lock = found[3], .pairs = std::stod(found[4])});
  }
  if (groups.empty()) throw faults::CannotRun("the table of peers has no row with pairs a second");
  for (auto& group : groups) {
    std::stable_sort(group.bars.begin(), group.bars.end(),
                     [](const auto& one, const auto& other) { return one.pairs > other.pairs; });
  }
  return groups;
}

std::string heading_of(const PeersGroup& group) {
  return fmt::format("{} {}, {}", group.servers, group.servers == "one" ? "server" : "servers",
                     group.clients == "alone" ? "one client alone"
                                              : group.clients + " clients that want one lock");
}

void draw_bar(Svg& svg, const PeersBar& bar, double most, double y) {
  const auto width = std::max(1.0, longest_bar * bar.pairs / most);
  const bool is_ours = bar.lock.starts_with("stage");
  svg.text("call", peers_edge, y + bar_row / 2, bar.lock);
  svg.rectangle(is_ours ? "lane-0" : "lane-1", {bars_at, y + 3, width, bar_row - 6}, 2);
  svg.text("call", bars_at + width + 6, y + bar_row / 2, fmt::format("{:.0f}", bar.pairs));
}

}  // namespace

std::string picture_of_peers(const std::string& chapter) {
  const auto groups = read_groups(peers_table(chapter));
  Svg svg;
  svg.text("title", peers_edge, 30, "Acquire and release, pairs a second");
  svg.text("about", peers_edge, 56,
           "Blue: a stage. Orange: other people's. Each part has a scale "
           "of its own.");
  double y = 72;
  for (const auto& group : groups) {
    svg.text("verdict", peers_edge, y + heading_row / 2, heading_of(group));
    y += heading_row;
    for (const auto& bar : group.bars) {
      draw_bar(svg, bar, group.bars.front().pairs, y);
      y += bar_row;
    }
  }
  return svg.finish(y + 16, "What locks cost, beside the stages",
                    "Pairs of acquire and release a second; docs/benchmarks.md has the same as a "
                    "table.",
                    ".call { font-weight: 400; }\n");
}

}  // namespace pictures
