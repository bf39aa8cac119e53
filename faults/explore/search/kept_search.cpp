#include "faults/explore/search/kept_search.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>

#include "faults/explore/search/words.h"
#include "faults/kit/errors.h"
#include "faults/kit/replace_file.h"
#include "faults/kit/shell_word.h"
#include "faults/running/result_text.h"
#include "faults/running/run_scenario.h"

namespace explore {
namespace {

using nlohmann::json;

void write_file(const std::filesystem::path& file, const std::string& text) {
  if (faults::replace_file(file, text)) return;
  throw faults::CannotWrite(fmt::format("cannot write {}: is the disk full?", file.native()));
}

std::string as_lines(const faults::Record& record) {
  std::string text;
  for (const auto& event : record) text += faults::to_json(event).dump() + "\n";
  return text;
}

std::string count_of_faults(int faults) {
  if (faults == 0) return "no fault";
  return faults == 1 ? "1 fault" : fmt::format("{} faults", faults);
}

std::vector<std::string_view> judged_in(const WorldPlan& world) {
  std::vector<std::string_view> names;
  for (const auto property : world.judged) names.push_back(faults::to_string(property));
  return names;
}

std::string bounds_of(const SearchPlan& plan, const WorldPlan& world) {
  auto text = fmt::format("{} client{}, {}", world.clients, world.clients == 1 ? "" : "s",
                          world.program.sentence);
  if (plan.switches)
    text += fmt::format("; at most {} switch{}", *plan.switches, *plan.switches == 1 ? "" : "es");
  if (plan.in_order && !plan.switches)
    text += "; each client's commands in the order of its servers";
  if (!plan.reduced) text += "; without the reduction";
  if (world.fresh_clients) text += "; new processes for each run";
  if (world.judged != properties_from("")) {
    text += fmt::format("; judged: {}", fmt::join(judged_in(world), ", "));
  }
  if (plan.faults == 0 || plan.at_most == 0) return text + "; no faults";
  text += fmt::format("; at most {} of: {}", count_of_faults(plan.at_most), to_words(plan.faults));
  if (plan.once_each) text += ", each kind once";
  if (!plan.during.empty()) text += fmt::format(", during {}", fmt::join(plan.during, ", "));
  return text;
}

// Says which numbers of faults were left out, since a smaller one broke a property.
std::string describe_left_out(const SearchResult& result, const SearchPlan& plan) {
  const int first = static_cast<int>(result.levels.size());
  if (result.found.empty() || plan.faults == 0 || first > plan.at_most) return {};
  const auto which = first == plan.at_most ? count_of_faults(first)
                                           : fmt::format("{} to {} faults", first, plan.at_most);
  return fmt::format("  {:<9}  not searched: it stops behind what breaks a property\n", which);
}

std::string describe_level(const Level& level) {
  auto text = fmt::format("  {:<9}  {:>7} orders", count_of_faults(level.faults), level.orders);
  if (level.violated > 0) text += fmt::format(", {} of them break a property", level.violated);
  return text + (level.exhausted ? "\n" : ", and there are more\n");
}

}  // namespace

Ending ending_of(const SearchResult& result) {
  if (!result.found.empty()) return Ending::violated;
  if (!result.is_exhausted()) return Ending::budget_spent;
  return result.orders() == 0 ? Ending::covered_by_others : Ending::none;
}

std::string describe(Ending ending, const faults::Paint& paint) {
  switch (ending) {
    case Ending::violated: return paint.red("violated");
    case Ending::none: return paint.green("none within these bounds");
    case Ending::covered_by_others: return "covered by others";
    case Ending::budget_spent: break;
  }
  return paint.yellow("budget spent");
}

std::string again_with(const std::filesystem::path& schedule, const WorldPlan& world) {
  auto command = fmt::format("./lab replay {}", faults::shell_word(schedule.native()));
  if (!world.stage.directory.empty()) return command;
  std::vector<std::string> words;
  for (const auto& word : world.stage.command) words.push_back(faults::shell_word(word));
  const auto client = fmt::format("{}", fmt::join(words, " "));
  return command + fmt::format(" --client {}", faults::shell_word(client));
}

Schedule schedule_of(const CounterExample& example, const WorldPlan& world) {
  auto labels = example.run.labels;
  labels.resize(example.steps);
  return {.lock = world.stage.name,
          .clients = world.clients,
          .nodes = world.stage.nodes > 1 ? world.stage.nodes : 0,
          .lease = world.lease,
          .operations = world.program.name,
          .steps = steps_from(labels)};
}

std::string describe_example(const CounterExample& example, const faults::Paint& paint) {
  auto text = faults::describe_record(example.run.record, example.run.judgement, paint);
  text += "\nits schedule:\n";
  for (std::size_t i = 0; i < example.steps; ++i) {
    text += fmt::format("  {:>3}  {}\n", i + 1, example.run.labels.at(i));
  }
  return text;
}

std::filesystem::path keep(const SearchResult& result, const WorldPlan& world,
                           const std::filesystem::path& runs) {
  const auto& example = result.found.front();
  const auto directory = faults::make_run_directory(runs, world.stage.name + "-explore");
  const auto file = directory / "schedule";
  write_file(file, to_text(schedule_of(example, world),
                           fmt::format("{}: {}", faults::to_string(example.finding.property),
                                       example.finding.sentence)));
  std::filesystem::create_directory(directory / "1");
  write_file(directory / "1" / "history.jsonl", as_lines(example.run.record));
  const json chosen{{"stage", world.stage.name},
                    {"scenario", "explore"},
                    {"again", again_with(file, world)},
                    {"client", world.stage.command},
                    {"redis", world.redis.program.native()},
                    {"lease_ms", world.lease.count()}};
  write_file(directory / "run.json", chosen.dump(2) + "\n");
  return file;
}

std::string describe_search(const SearchResult& result, const SearchPlan& plan,
                            const WorldPlan& world, const std::filesystem::path& schedule,
                            const faults::Paint& paint) {
  std::string text;
  const auto ending = ending_of(result);
  if (ending == Ending::violated) text = describe_example(result.found.front(), paint) + "\n";
  text += fmt::format("{} · explore   {}\n{}\n", paint.bold(world.stage.name),
                      describe(ending, paint), bounds_of(plan, world));
  for (const auto& level : result.levels) text += describe_level(level);
  text += describe_left_out(result, plan);
  text += fmt::format("  {} runs with {} steps in {:.1f} s: {:.0f} runs a second\n", result.runs,
                      result.steps, result.time.count(),
                      static_cast<double>(result.runs) / result.time.count());
  for (const auto& example : result.found) {
    text += fmt::format("broken:    {} behind {} steps: {}\n",
                        paint.red(std::string(faults::to_string(example.finding.property))),
                        example.steps, example.finding.sentence);
  }
  if (!schedule.empty()) text += fmt::format("again:     {}\n", again_with(schedule, world));
  return text;
}

json to_json(const SearchResult& result, const SearchPlan& plan, const WorldPlan& world,
             const std::filesystem::path& schedule) {
  json levels = json::array();
  for (const auto& level : result.levels) {
    levels.push_back({{"faults", level.faults},
                      {"orders", level.orders},
                      {"violated", level.violated},
                      {"exhausted", level.exhausted}});
  }
  json broken = json::array();
  for (const auto& example : result.found) {
    auto labels = example.run.labels;
    labels.resize(example.steps);
    broken.push_back({{"property", faults::to_string(example.finding.property)},
                      {"sentence", example.finding.sentence},
                      {"faults", example.faults},
                      {"steps", labels}});
  }
  json object{{"lock", world.stage.name},
              {"clients", world.clients},
              {"operations", world.program.name},
              {"faults", to_words(plan.faults)},
              {"at_most", plan.at_most},
              {"once_each", plan.once_each},
              {"during", plan.during},
              {"judged", judged_in(world)},
              {"reduced", plan.reduced},
              {"switches", plan.switches ? json(*plan.switches) : json(nullptr)},
              {"fresh", world.fresh_clients},
              {"end", describe(ending_of(result), {})},
              {"levels", levels},
              {"orders", result.orders()},
              {"runs", result.runs},
              {"steps", result.steps},
              {"seconds", result.time.count()},
              {"broken", broken}};
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
