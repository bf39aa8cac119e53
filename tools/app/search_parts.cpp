#include "tools/app/search_parts.h"

#include <iostream>

#include "faults/explore/search/prefixes.h"
#include "faults/explore/search/saved_search.h"
#include "faults/explore/search/search_report.h"
#include "tools/terminal/console.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"

namespace app {

int write_prefixes(const explore::WorldPlan& world, const explore::SearchPlan& plan,
                   std::size_t steps, faults::Reaper& reaper) {
  for (const auto& prefix : explore::prefixes_of(world, plan, steps, reaper)) {
    std::cout << explore::to_line(prefix);
  }
  return terminal::exit_holds;
}

int search_prefixes(const explore::WorldPlan& world, explore::SearchPlan plan,
                    const std::filesystem::path& file, const terminal::Options& options,
                    faults::Reaper& reaper) {
  bool violated = false;
  bool exhausted = true;
  for (const auto& prefix : explore::read_prefixes(file)) {
    plan.prefix = prefix;
    const auto result = explore::search(world, plan, reaper);
    std::filesystem::path schedule;
    if (!result.found.empty()) {
      schedule = explore::save(result, world, terminal::as_seen_from_here(options.runs));
    }
    auto line = explore::to_json(result, plan, world, schedule);
    line["prefix"] = prefix;
    std::cout << line.dump() << std::endl;
    violated = violated || !result.found.empty();
    exhausted = exhausted && result.is_exhausted();
  }
  if (violated) return terminal::exit_violated;
  return exhausted ? terminal::exit_holds : terminal::exit_not_shown;
}

}  // namespace app
