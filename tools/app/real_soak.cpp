#include "tools/app/real_soak.h"

#include <fmt/format.h>

#include <iostream>

#include "faults/explore/search/kept_search.h"
#include "faults/explore/search/words.h"
#include "faults/explore/soaking/real_soak.h"
#include "faults/kit/shell_word.h"
#include "faults/running/describe.h"
#include "tools/table/results.h"
#include "tools/terminal/console.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

std::string counts_of(const explore::RealSoakResult& result) {
  return fmt::format("{}, {} of clients, {}", terminal::counted(result.rounds, "round"),
                     terminal::counted(result.passes, "pass", "passes"),
                     terminal::counted(result.faults, "fault"));
}

explore::RealSoakResult play_with_progress(const explore::WorldPlan& world,
                                           const explore::SoakPlan& plan, faults::Reaper& reaper) {
  terminal::Progress progress("soaking " + world.stage.name);
  return explore::soak_in_real_time(
      world, plan, reaper, [&](const explore::RealSoakResult& so_far) {
        progress.change(fmt::format("soaking {}: {}", world.stage.name, counts_of(so_far)));
      });
}

// The command that throws the same dice again.
std::string same_dice(const explore::WorldPlan& world, const explore::SoakPlan& plan) {
  return fmt::format(
      "./lab soak {} --time real --seed {} --clients {} --operations {} --faults {} --at-most {}",
      world.stage.name, plan.seed, world.clients, world.program.name,
      explore::to_words(plan.faults, ","), plan.at_most);
}

std::string describe_found(const explore::RealFinding& found, const std::filesystem::path& kept,
                           const faults::Paint& paint) {
  auto text = faults::describe_record(found.round.record, found.round.judgement, paint) + "\n";
  if (found.example) text += explore::describe_example(*found.example, paint) + "\n";
  const auto history =
      fmt::format("this run:  ./lab judge {}\n", faults::shell_word(kept.native()));
  if (!found.example) {
    return text + fmt::format("schedule:  none was found: {}\n", found.why_not) + history;
  }
  return text + history +
         fmt::format("schedule:  {} steps, seen three times in virtual time\nagain:     {}\n",
                     found.example->steps, explore::again_with(kept / "schedule", found.world));
}

std::string describe_rounds(const explore::RealSoakResult& result, const explore::WorldPlan& world,
                            const faults::Paint& paint) {
  auto text = fmt::format(
      "{} · soak   {}\n  {} in {:.1f} s\n", paint.bold(world.stage.name),
      describe_end(result.found.has_value(), result.rounds > result.shown_nothing, paint),
      counts_of(result), result.time.count());
  if (result.shown_nothing == 0) return text;
  return text + fmt::format("  {} of the rounds show nothing, the last since {}\n",
                            result.shown_nothing, result.why_nothing);
}

nlohmann::json json_of_rounds(const explore::RealSoakResult& result, const explore::SoakPlan& plan,
                              const explore::WorldPlan& world, const std::filesystem::path& kept) {
  nlohmann::json object{{"lock", world.stage.name},
                        {"time", "real"},
                        {"seed", plan.seed},
                        {"clients", world.clients},
                        {"operations", world.program.name},
                        {"faults", explore::to_words(plan.faults)},
                        {"rounds", result.rounds},
                        {"rounds_that_show_nothing", result.shown_nothing},
                        {"passes", result.passes},
                        {"faults_thrown", result.faults},
                        {"seconds", result.time.count()},
                        {"broken", nullptr}};
  if (!result.found) return object;
  const auto& finding = result.found->round.judgement.findings.front();
  object["broken"] = {{"property", faults::to_string(finding.property)},
                      {"sentence", finding.sentence},
                      {"run", kept.native()},
                      {"schedule", nullptr}};
  if (!result.found->example) object["broken"]["why_no_schedule"] = result.found->why_not;
  if (result.found->example) object["broken"]["schedule"] = (kept / "schedule").native();
  return object;
}

}  // namespace

std::string describe_end(bool is_broken, bool has_shown, const faults::Paint& paint) {
  if (is_broken) return paint.red("violated");
  return has_shown ? paint.green("nothing was broken") : paint.yellow("nothing was shown");
}

int soak_real(const table::Options& options, const explore::WorldPlan& world,
              const explore::SoakPlan& plan, faults::Reaper& reaper) {
  const auto result = play_with_progress(world, plan, reaper);
  std::filesystem::path kept;
  if (result.found) {
    kept = explore::keep(*result.found, same_dice(world, plan),
                         terminal::as_seen_from_here(options.runs));
  }
  if (options.json) {
    std::cout << json_of_rounds(result, plan, world, kept).dump(2) << '\n';
  } else {
    if (result.found) std::cout << describe_found(*result.found, kept, options.paint) << '\n';
    std::cout << describe_rounds(result, world, options.paint);
  }
  if (result.found) return table::exit_violated;
  return result.rounds == result.shown_nothing ? table::exit_not_shown : table::exit_holds;
}

}  // namespace app
