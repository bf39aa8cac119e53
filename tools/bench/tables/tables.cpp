#include "tools/bench/tables/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <utility>

#include "faults/kit/text_width.h"
#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

using faults::width_in_columns;
using Line = std::vector<std::string>;

std::string cell(const Row& row, const Column& column) {
  const auto found = row.find(column.counter);
  if (found == row.end()) return "–";
  const auto spread = spread_of(found->second);
  const auto number = [&](double value) { return fmt::format("{:.{}f}", value, column.decimals); };
  if (!column.with_spread || found->second.size() == 1) return number(spread.median);
  return fmt::format("{} ({}–{})", number(spread.median), number(spread.least),
                     number(spread.most));
}

constexpr auto own = "own";                // the way to wait that is the stage's own
constexpr auto fair_queue = "fair_queue";  // the line around the stage

// A row's name: the stage, and its way to wait if that is not its own.
std::string name_of(const std::string& stage, const std::string& way) {
  if (way == own) return stage;
  return way == fair_queue ? fmt::format("{} around {}", way, stage)
                           : fmt::format("{}, {}", stage, way);
}

// Each measured stage with each of its ways to wait, the stage's own first.
std::vector<std::pair<std::string, std::string>> stages_and_ways(const BenchmarkResults& results) {
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](const std::string& stage, const std::string& way) {
    const std::pair pair(stage, way);
    if (std::find(found.begin(), found.end(), pair) == found.end()) found.push_back(pair);
  };
  static const std::regex measured("(?:uncontended|contended/[^/]+)/stage([0-9]+)/([a-z_]+).*");
  for (const auto& [name, row] : results.rows) {
    std::smatch match;
    if (!std::regex_match(name, match, measured)) continue;
    add(match[1], own);
    if (name.starts_with("contended")) add(match[1], match[2]);
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& one, const auto& other) {
    return std::stoi(one.first) < std::stoi(other.first);
  });
  return found;
}

std::string as_markdown(const std::vector<Line>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const auto& cell : lines[i]) text += "| " + cell + " ";
    text += "|\n";
    if (i > 0) continue;
    for (std::size_t column = 0; column < lines[i].size(); ++column) {
      text += column == 0 ? "|---" : "|---:";
    }
    text += "|\n";
  }
  return text;
}

const std::vector<Group> every_group{
    {.name = "uncontended",
     .title = "Uncontended: acquire and release on one connection",
     .legend = "Its limit: a bare loop that sends the same. To its limit: the lock's speed as a "
               "share of that\n(1: as fast), and the range of several rounds. Pinned: lock and "
               "server each on a CPU of their own.",
     .columns = {{"pairs/s", "pairs_per_s"},
                 {"p50 µs", "p50_us", 1},
                 {"p99 µs", "p99_us", 1},
                 {"its limit's p50", "limit_p50_us", 1},
                 {"to its limit", "ratio", 3, true},
                 {"to SET + EVALSHA", "bare_ratio", 2}}},
    {.name = "quorum",
     .title = "Quorum: acquire and release on several nodes",
     .columns = {{"pairs/s", "pairs_per_s"},
                 {"p50 µs", "p50_us", 1},
                 {"p99 µs", "p99_us", 1},
                 {"to one node", "to_one_node", 2, true},
                 {"to first majority", "to_first_majority", 2, true},
                 {"to waiting for all", "to_waiting_for_all", 2, true},
                 {"to one after another", "to_one_after_another", 2, true},
                 {"p50 by the healthy one's", "p50_to_healthy", 2, true}}},
    {.name = "contended",
     .title = "Contended: eight processes, one lock",
     .columns = {{"per s", "per_s"},
                 {"of ceiling", "of_ceiling", 2, true},
                 {"hand-off p50 µs", "handoff_p50_us"},
                 {"p99", "handoff_p99_us"},
                 {"one pair alone µs", "pair_p50_us"},
                 {"commands", "commands", 2},
                 {"wait p99.9 ms", "wait_p999_ms", 1},
                 {"longest", "longest_wait_ms", 1},
                 {"luck", "luck", 2}}},
    {.name = "waiting",
     .title = "Waiting: many want one lock",
     .columns = {{"while held: commands/s", "idle_commands_per_s"},
                 {"servers' CPU %", "idle_server_percent", 1},
                 {"clients' CPU %", "idle_client_percent", 1},
                 {"handed on: releases/s", "releases_per_s"},
                 {"commands for one", "commands_per_release", 1},
                 {"servers' CPU µs", "server_us_per_release"},
                 {"clients' CPU µs", "client_us_per_release"},
                 {"failed tries", "failed"}}},
    {.name = "watchdog",
     .title = "Watchdog: locks that are only held, renewed every second",
     .columns = {{"CPU %", "cpu_percent", 2},
                 {"commands/s", "commands_per_s"},
                 {"renewals for one due", "renewals_per_period", 2}}},
    {.name = "peers",
     .title = "Peers: other people's locks beside the stages, each by its own loop",
     .legend = "Alone: one client, on one CPU with its servers. Of its limit: of a bare loop that "
               "sends stage 4's\ntwo commands. A pair is one acquire and one release; commands "
               "and bytes for each server, CPU for\nall clients and all servers.",
     .columns = {{"pairs/s", "pairs_per_s"},
                 {"of its limit", "of_limit", 2, true},
                 {"commands a pair", "commands", 1},
                 {"bytes", "bytes"},
                 {"clients' CPU µs", "client_us"},
                 {"servers' CPU µs", "server_us"}}}};

}  // namespace

const std::vector<Group>& groups() {
  return every_group;
}

std::string aligned(const std::vector<Line>& english, Layout layout,
                    const terminal::Language& language) {
  auto lines = english;
  for (auto& line : lines) {
    for (auto& cell : line) cell = language(cell);
  }
  if (layout == Layout::markdown) return as_markdown(lines);
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      widths[i] = std::max(widths[i], width_in_columns(line[i]));
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const std::string blanks(widths[i] - width_in_columns(line[i]), ' ');
      text += i == 0 ? line[i] + blanks : "  " + blanks + line[i];
    }
    text += "\n";
  }
  return text;
}

std::string table(const BenchmarkResults& results, const Group& group, Layout layout,
                  const terminal::Language& language) {
  std::vector<Line> lines{{group.name}};
  for (const auto& column : group.columns) lines[0].push_back(column.title);
  for (const auto& [name, row] : results.rows) {
    if (!name.starts_with(group.name + "/")) continue;
    auto& line = lines.emplace_back(Line{name.substr(group.name.size() + 1)});
    for (const auto& column : group.columns) line.push_back(cell(row, column));
  }
  return lines.size() == 1 ? "" : aligned(lines, layout, language);
}

std::string summary(const BenchmarkResults& results, Layout layout,
                    const terminal::Language& language) {
  struct Source {
    std::string name;  // of a case; {0} is the stage, {1} the way to wait
    Column column;
  };
  static const std::vector<Source> sources{
      {"uncontended/stage{0}/tcp/free", {"acquire + release /s", "pairs_per_s"}},
      {"uncontended/stage{0}/tcp/free", {"of its limit: free", "ratio", 2}},
      {"uncontended/stage{0}/tcp/pinned", {"pinned", "ratio", 2}},
      {"contended/held1ms_pause5ms/stage{0}/{1}", {"contended: of the ceiling", "of_ceiling", 2}},
      {"contended/held1ms_pause5ms/stage{0}/{1}", {"hand-off p50 µs", "handoff_p50_us"}},
      {"contended/held1ms_pause5ms/stage{0}/{1}", {"commands", "commands", 1}}};
  std::vector<Line> lines{{"stage"}};
  for (const auto& source : sources) lines[0].push_back(source.column.title);
  for (const auto& [stage, way] : stages_and_ways(results)) {
    auto& line = lines.emplace_back();
    line.push_back(name_of(stage, way));
    for (const auto& [name, column] : sources) {
      // Figures that do not depend on the way to wait stand in the first line of a stage.
      const bool stands_above = way != own && name.find("{1}") == std::string::npos;
      const auto found = results.rows.find(fmt::format(fmt::runtime(name), stage, way));
      const bool none = stands_above || found == results.rows.end();
      line.push_back(none ? "–" : cell(found->second, column));
    }
  }
  return aligned(lines, layout, language);
}

std::string machine(const BenchmarkResults& results) {
  const auto& about = results.machine;
  return fmt::format("{} CPUs ({}), {}, Redis {}, {} build, {} run", about.at("cpus"),
                     about.at("processor"), about.at("kernel"), about.at("redis"),
                     about.at("build"), about.at("scale"));
}

std::string tables(const BenchmarkResults& results, Layout layout,
                   const terminal::Language& language) {
  const bool markdown = layout == Layout::markdown;
  auto text = machine(results) + "\n";
  for (const auto& group : groups()) {
    const auto lines = table(results, group, layout, language);
    if (!lines.empty())
      text += fmt::format("\n{}{}\n\n{}", markdown ? "### " : "", group.title,
                          markdown || group.legend.empty() ? lines : group.legend + "\n\n" + lines);
  }
  return text;
}

}  // namespace bench
