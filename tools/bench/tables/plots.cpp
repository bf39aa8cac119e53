#include "tools/bench/tables/plots.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "tools/bench/results/statistics.h"
#include "tools/bench/tables/tables.h"

namespace bench {
namespace {

namespace fs = std::filesystem;

// The bars of a group. In a case's name without its group, "stage4/tcp/free", the part before the
// first slash is the place on the axis, the rest the kind of the bar there.
struct Bars {
  std::set<std::string> places;
  std::set<std::string> kinds;
  std::map<std::pair<std::string, std::string>, Spread> heights;
};

Bars bars_of(const Results& results, const Group& group) {
  Bars bars;
  for (const auto& [name, row] : results.rows) {
    const auto counter = row.find(group.plotted);
    if (!name.starts_with(group.name + "/") || counter == row.end()) continue;
    const auto rest = name.substr(group.name.size() + 1);
    const auto slash = rest.find('/');
    const auto place = rest.substr(0, slash);
    const auto kind = rest.substr(slash + 1);
    bars.places.insert(place);
    bars.kinds.insert(kind);
    bars.heights[{place, kind}] = spread_of(counter->second);
  }
  return bars;
}

// One line for each place, three numbers for each kind; gnuplot reads "?" as a missing value.
std::string data_of(const Bars& bars) {
  std::string data;
  for (const auto& place : bars.places) {
    data += fmt::format("\"{}\"", place);
    for (const auto& kind : bars.kinds) {
      const auto found = bars.heights.find({place, kind});
      if (found == bars.heights.end()) {
        data += " ? ? ?";
      } else {
        const auto& spread = found->second;
        data += fmt::format(" {} {} {}", spread.median, spread.least, spread.most);
      }
    }
    data += "\n";
  }
  return data;
}

std::string script_of(const Bars& bars, const Group& group) {
  auto script = fmt::format(
      "set terminal svg size 1100,480 font 'sans,12' background 'white' noenhanced\n"
      "set output '{0}.svg'\n"
      "set title '{1}'\n"
      "set ylabel '{2}'\n"
      "set yrange [0:*]\n"
      "set grid ytics\n"
      "set key outside right\n"
      "set style data histograms\n"
      "set style histogram errorbars gap 1 lw 1\n"
      "set style fill solid 0.7\n"
      "set datafile missing '?'\n"
      "plot ",
      group.name, group.title, group.axis);
  std::size_t column = 2;
  for (const auto& kind : bars.kinds) {
    script +=
        fmt::format("{}'{}.dat' using {}:{}:{}{} title '{}'", column == 2 ? "" : ", ", group.name,
                    column, column + 1, column + 2, column == 2 ? ":xtic(1)" : "", kind);
    column += 3;
  }
  return script + "\n";
}

bool draw(const Bars& bars, const Group& group, const fs::path& directory) {
  const auto script = directory / (group.name + ".gnuplot");
  std::ofstream(directory / (group.name + ".dat")) << data_of(bars);
  std::ofstream(script) << script_of(bars, group);
  const auto command = fmt::format("cd '{}' && gnuplot '{}' 2>gnuplot.log", directory.native(),
                                   script.filename().native());
  return std::system(command.c_str()) == 0;  // NOLINT: no thread changes the environment
}

}  // namespace

bool draw_plots(const Results& results, const fs::path& directory) {
  bool drawn = true;
  for (const auto& group : groups()) {
    const auto bars = bars_of(results, group);
    if (!bars.heights.empty()) drawn = draw(bars, group, directory) && drawn;
  }
  return drawn;
}

}  // namespace bench
