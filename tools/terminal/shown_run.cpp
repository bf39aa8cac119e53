#include "tools/terminal/shown_run.h"

#include <fmt/format.h>

#include <utility>

#include "faults/running/result_text.h"
#include "tools/terminal/console.h"
#include "tools/terminal/text.h"

namespace terminal {

faults::RunPlan plan_for(const Options& options, faults::Reaper& reaper) {
  auto redis = faults::find_redis();
  redis.name = options.redis;
  auto version = faults::version_of(redis, reaper);
  return {.redis = std::move(redis),
          .runs = as_seen_from_here(options.runs),
          .redis_version = std::move(version)};
}

faults::Result run_showing_progress(const faults::TestedLock& stage,
                                    const faults::Scenario& scenario, const faults::RunPlan& plan,
                                    const Language& language, faults::Reaper& reaper) {
  Progress progress(language(fmt::format("running {} on {}", scenario.name, stage.name)));
  auto heard = plan;
  heard.say = [&](const std::string& sentence) { progress.say(language(sentence)); };
  return faults::run_scenario(stage, scenario, heard, reaper);
}

std::string told(const faults::Result& result, const Options& options) {
  auto text = options.language(faults::describe_result(result, options.paint));
  const auto terminal = terminal_size();
  return terminal ? wrapped_result(text, terminal->columns) : text;
}

}  // namespace terminal
