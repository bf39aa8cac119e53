#include "tools/bench/tables/compare.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "faults/kit/errors.h"
#include "tools/bench/results/statistics.h"

namespace bench {
namespace {

std::string told(const Spread& spread, int decimals) {
  return fmt::format("{:.{}f} ({:.{}f}–{:.{}f})", spread.median, decimals, spread.least, decimals,
                     spread.most, decimals);
}

std::string change(const Spread& before, const Spread& now) {
  if (before.median == 0) return "–";
  const double percent = 100 * (now.median / before.median - 1);
  return fmt::format("{:+.1f} %{}", percent, lie_apart(before, now) ? " *" : "");
}

const Group* group_of(const std::string& name) {
  for (const auto& group : groups()) {
    if (name.starts_with(group.name + "/")) return &group;
  }
  return nullptr;
}

using Lines = std::vector<std::vector<std::string>>;

using Change = std::function<std::string(const Spread& before, const Spread& now)>;

void add_lines(Lines& lines, const std::string& name, const Row& before, const Row& now,
               const Change& change) {
  const auto* group = group_of(name);
  if (group == nullptr) return;
  bool first = true;
  for (const auto& column : group->columns) {
    const auto old = before.find(column.counter);
    const auto current = now.find(column.counter);
    if (old == before.end() || current == now.end()) continue;
    const auto was = spread_of(old->second);
    const auto is = spread_of(current->second);
    lines.push_back({first ? name : "", column.title, told(was, column.decimals),
                     told(is, column.decimals), change(was, is)});
    first = false;
  }
}

std::string only_in(const std::string& run, const BenchmarkResults& here,
                    const BenchmarkResults& there) {
  std::string names;
  for (const auto& [name, row] : here.rows) {
    if (!there.rows.contains(name)) names += fmt::format("only {}: {}\n", run, name);
  }
  return names;
}

}  // namespace

std::string comparison(const BenchmarkResults& before, const BenchmarkResults& now,
                       const terminal::Language& language) {
  Lines lines{{"", "", "before", "now", "change"}};
  for (const auto& [name, row] : now.rows) {
    const auto old = before.rows.find(name);
    if (old != before.rows.end()) add_lines(lines, name, old->second, row, change);
  }
  if (lines.size() == 1) throw faults::CannotRun("the two runs have no benchmark in common");
  return fmt::format("before: {}\nnow:    {}\n\n{}\n{}{}* the repetitions do not overlap\n",
                     machine(before), machine(now), aligned(lines, Layout::text, language),
                     only_in("before", before, now), only_in("now", now, before));
}

std::string comparison(const BenchmarkResults& run, int one, int other, Layout layout,
                       const terminal::Language& language) {
  const auto title = [](int stage) { return fmt::format("stage {}", stage); };
  const auto part = [](int stage) { return fmt::format("/stage{}", stage); };
  Lines lines{{"", "", title(one), title(other), "change"}};
  for (const auto& [name, row] : run.rows) {
    const auto at = name.find(part(one));
    if (at == std::string::npos) continue;
    const auto its = std::string(name).replace(at, part(one).size(), part(other));
    const auto found = run.rows.find(its);
    if (found == run.rows.end()) continue;
    const auto what = std::string(name).erase(at, part(one).size());
    add_lines(lines, what, row, found->second, [](const Spread& before, const Spread& now) {
      return lie_apart(before, now) ? change(before, now) : "within the noise";
    });
  }
  if (lines.size() == 1) throw faults::CannotRun("the two stages have no benchmark in common");
  return fmt::format("{}\n\n{}\nmedian (least–most) of the repetitions; * they do not overlap\n",
                     machine(run), aligned(lines, layout, language));
}

}  // namespace bench
