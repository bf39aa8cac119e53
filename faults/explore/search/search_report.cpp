#include "faults/explore/search/search_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/running/result_text.h"

namespace explore {
namespace {

using nlohmann::json;

std::string count_of_faults(int faults) {
  if (faults == 0) return "no fault";
  return faults == 1 ? "1 fault" : fmt::format("{} faults", faults);
}

std::vector<std::string_view> judged_in(const WorldPlan& world) {
  std::vector<std::string_view> names;
  for (const auto property : world.judged) names.push_back(faults::to_string(property));
  return names;
}

// The bounds on a run, for a person: each with a semicolon in front.
std::string limits_of(const SearchPlan& plan, const WorldPlan& world) {
  std::string text;
  if (plan.switches)
    text += fmt::format("; at most {} switch{}", *plan.switches, *plan.switches == 1 ? "" : "es");
  if (plan.in_order && !plan.switches)
    text += "; each client's commands in the order of its servers";
  if (plan.servers_are_alike) text += "; states do not say which server is which";
  if (!plan.reduced) text += "; without the reduction";
  if (world.fresh_clients) text += "; new processes for each run";
  if (world.judged != properties_from("")) {
    text += fmt::format("; judged: {}", fmt::join(judged_in(world), ", "));
  }
  return text;
}

std::string faults_of(const SearchPlan& plan) {
  if (plan.faults == 0 || plan.at_most == 0) return "no faults";
  auto text =
      fmt::format("at most {} of: {}", count_of_faults(plan.at_most), to_words(plan.faults));
  if (plan.once_each) text += ", each kind once";
  if (!plan.during.empty()) text += fmt::format(", during {}", fmt::join(plan.during, ", "));
  return text;
}

std::string bounds_of(const SearchPlan& plan, const WorldPlan& world) {
  return fmt::format("{} client{}, {}{}; {}", world.clients, world.clients == 1 ? "" : "s",
                     world.program.sentence, limits_of(plan, world), faults_of(plan));
}

// The numbers of faults that were not searched, since a smaller one broke a property.
std::string describe_left_out(const SearchResult& result, const SearchPlan& plan) {
  const int first = static_cast<int>(result.levels.size());
  if (result.found.empty() || plan.faults == 0 || first > plan.at_most) return {};
  const auto which = first == plan.at_most ? count_of_faults(first)
                                           : fmt::format("{} to {} faults", first, plan.at_most);
  return fmt::format("  {:<9}  not searched: fewer faults break a property\n", which);
}

std::string describe_level(const Level& level) {
  auto text = fmt::format("  {:<9}  {:>7} {}", count_of_faults(level.faults), level.orders,
                          level.states > 0 ? "ends" : "orders");
  if (level.violated > 0) text += fmt::format(", {} of them break a property", level.violated);
  if (level.states > 0) {
    text += fmt::format("; {} states, {} edges", level.states, level.edges);
    if (!level.exhausted) text += fmt::format(" ({} of them open)", level.open_edges);
  }
  if (level.is_memory_full) text += "; the memory for states is full";
  return text + (level.exhausted ? "\n" : ", and there are more\n");
}

// Orders are run again that use fewer faults than they may, and those that are compared.
std::string describe_runs(const SearchResult& result, const SearchPlan& plan) {
  const bool repeats = !plan.merges && result.runs > result.orders();
  return fmt::format("  {} runs{} with {} steps in {:.1f} s: {:.0f} runs a second\n", result.runs,
                     repeats ? ", some orders more than once," : "", result.steps,
                     result.time.count(), static_cast<double>(result.runs) / result.time.count());
}

std::string describe_pairs(const SearchResult& result) {
  const auto& [both, one] = result.pairs;
  return fmt::format("  the longest has {} steps; of {} pairs of events {} came in both orders\n",
                     result.longest, both + one, both);
}

json pairs_of(const SearchResult& result) {
  return {{"both_orders", result.pairs.both_orders}, {"one_order", result.pairs.one_order}};
}

json levels_of(const SearchResult& result) {
  json levels = json::array();
  for (const auto& level : result.levels) {
    levels.push_back({{"faults", level.faults},
                      {"orders", level.orders},
                      {"violated", level.violated},
                      {"states", level.states},
                      {"edges", level.edges},
                      {"open_edges", level.open_edges},
                      {"exhausted", level.exhausted}});
  }
  return levels;
}

json broken_in(const SearchResult& result) {
  json broken = json::array();
  for (const auto& example : result.found) {
    broken.push_back({{"property", faults::to_string(example.finding.property)},
                      {"sentence", example.finding.sentence},
                      {"faults", example.faults},
                      {"steps", example.labels()}});
    if (!example.last_chance.empty()) broken.back()["last_chance"] = example.last_chance;
  }
  return broken;
}

}  // namespace

SearchOutcome outcome_of(const SearchResult& result) {
  if (!result.found.empty()) return SearchOutcome::violated;
  if (!result.is_exhausted()) return SearchOutcome::budget_spent;
  return result.orders() == 0 ? SearchOutcome::covered_by_others : SearchOutcome::none;
}

std::string describe(SearchOutcome outcome, const faults::Paint& paint) {
  switch (outcome) {
    case SearchOutcome::violated: return paint.red("violated");
    case SearchOutcome::none: return paint.green("none within these bounds");
    case SearchOutcome::covered_by_others: return "covered by others";
    case SearchOutcome::budget_spent: break;
  }
  return paint.yellow("budget spent");
}

std::string describe_example(const CounterExample& example, const faults::Paint& paint) {
  auto text = faults::describe_record(example.run.record, example.run.judgement, paint);
  text += "\nits schedule:\n";
  for (std::size_t i = 0; i < example.steps; ++i) {
    text += fmt::format("  {:>3}  {}\n", i + 1, example.run.labels.at(i));
  }
  if (!example.last_chance.empty()) text += example.last_chance;
  return text;
}

std::string describe_search(const SearchResult& result, const SearchPlan& plan,
                            const WorldPlan& world, const std::filesystem::path& schedule,
                            const faults::Paint& paint) {
  std::string text;
  const auto outcome = outcome_of(result);
  if (outcome == SearchOutcome::violated)
    text = describe_example(result.found.front(), paint) + "\n";
  text += fmt::format("{} · explore   {}\n{}\n", paint.bold(world.stage.name),
                      describe(outcome, paint), bounds_of(plan, world));
  for (const auto& level : result.levels) text += describe_level(level);
  text += describe_left_out(result, plan);
  text += describe_runs(result, plan);
  text += describe_pairs(result);
  for (const auto& example : result.found) {
    text += fmt::format("broken:    {} after {} steps: {}\n",
                        paint.red(std::string(faults::to_string(example.finding.property))),
                        example.steps, example.finding.sentence);
  }
  if (!schedule.empty()) text += fmt::format("again:     {}\n", again_with(schedule, world));
  return text;
}

json to_json(const SearchResult& result, const SearchPlan& plan, const WorldPlan& world,
             const std::filesystem::path& schedule) {
  json object{{"lock", world.stage.name},
              {"clients", world.clients},
              {"operations", world.program.name},
              {"faults", to_words(plan.faults)},
              {"at_most", plan.at_most},
              {"once_each", plan.once_each},
              {"during", plan.during},
              {"judged", judged_in(world)},
              {"reduced", plan.reduced},
              {"servers_are_alike", plan.servers_are_alike},
              {"switches", plan.switches ? json(*plan.switches) : json(nullptr)},
              {"fresh", world.fresh_clients},
              {"end", describe(outcome_of(result), {})},
              {"levels", levels_of(result)},
              {"orders", result.orders()},
              {"runs", result.runs},
              {"steps", result.steps},
              {"longest", result.longest},
              {"pairs", pairs_of(result)},
              {"seconds", result.time.count()},
              {"broken", broken_in(result)}};
  if (!schedule.empty()) object["schedule"] = schedule.native();
  return object;
}

std::string describe_progress(const SearchResult& result) {
  const auto& level = result.levels.back();
  auto text = fmt::format("{}: {} orders", count_of_faults(level.faults), level.orders);
  if (level.violated > 0) text += fmt::format(", {} break a property", level.violated);
  return text + fmt::format("; {:.0f} runs a second",
                            static_cast<double>(result.runs) / result.time.count());
}

}  // namespace explore
