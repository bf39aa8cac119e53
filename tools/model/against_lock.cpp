#include "tools/model/against_lock.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <vector>

#include "faults/explore/search/option_names.h"
#include "faults/explore/search/saved_search.h"
#include "faults/kit/errors.h"
#include "faults/kit/replace_file.h"
#include "faults/running/run_scenario.h"
#include "tools/model/projection.h"
#include "tools/model/recorded_graph.h"
#include "tools/model/stage4_model.h"
#include "tools/model/stage8_model.h"

namespace model {
namespace {

using nlohmann::json;

std::string sentence_of(const Difference& difference) {
  return difference.is_of_program ? "the program does what the model does not allow"
                                  : "the model allows what the program never does";
}

std::vector<std::string> texts_of(const std::vector<Action>& actions) {
  std::vector<std::string> texts;
  for (const auto& action : actions) texts.push_back(action.text());
  return texts;
}

std::string lines_of(const char* who, const std::vector<Action>& actions) {
  std::string text = fmt::format("  {}\n", who);
  for (const auto& action : actions) text += fmt::format("       {}\n", action.text());
  return actions.empty() ? text + "       nothing more\n" : text;
}

std::string describe_difference(const Difference& difference) {
  auto text = fmt::format("  {}\n  after these events:\n", sentence_of(difference));
  int number = 0;
  for (const auto& label : difference.schedule) {
    text += fmt::format("  {:>3}  {}\n", ++number, label);
  }
  text += difference.is_of_program ? "  what the program did by the last one:\n"
                                   : "  what only the model allows then:\n";
  text += fmt::format("       {}\n", difference.action.text());
  return text + (difference.is_of_program
                     ? lines_of("what the model allows in its place:", difference.model)
                     : lines_of("what the program can do then:", difference.program));
}

// In the words of a search.
std::string faults_of(const explore::SearchPlan& plan) {
  if (plan.faults == 0 || plan.at_most == 0) return "no faults";
  return fmt::format(
      "at most {} fault{} of: {}{}", plan.at_most, plan.at_most == 1 ? "" : "s",
      explore::to_words(plan.faults),
      plan.during.empty() ? "" : fmt::format(", during {}", fmt::join(plan.during, ", ")));
}

std::string describe_end(const Compared& compared, const faults::Paint& paint) {
  if (compared.budget_spent) return paint.yellow("budget spent");
  return compared.comparison.difference ? paint.red("differs") : paint.green("the same");
}

}  // namespace

void must_be_modelled(const std::string& lock, const explore::SearchPlan& plan) {
  constexpr unsigned known = explore::freeze_fault | explore::kill_fault;
  if ((plan.faults & ~known) != 0) {
    throw faults::CannotRun("the models know two faults: --faults freeze, kill or both");
  }
  constexpr std::array without_a_model{"stage5", "stage6", "stage7"};
  for (const std::string_view stage : without_a_model) {
    if (!lock.starts_with(stage)) continue;
    throw faults::CannotRun("stages 4 and 8 have models: --lock 4 or --lock 8");
  }
  const bool may_freeze = plan.at_most > 0 && (plan.faults & explore::freeze_fault) != 0;
  const bool is_modelled = !may_freeze || plan.during == std::vector<std::string>{"work"};
  if (!lock.starts_with("stage8")) return;
  if (!is_modelled) {
    throw faults::CannotRun("the model of stage 8 knows a freeze in its work alone: --during work");
  }
  if (plan.at_most > 1) {
    throw faults::CannotRun("the model of stage 8 knows one fault in a run: --at-most 1");
  }
}

std::unique_ptr<LockModel> model_of(const std::string& lock) {
  if (lock.starts_with("stage8")) return std::make_unique<Stage8Model>();
  return std::make_unique<Stage4Model>();
}

Compared compare_with_lock(const LockModel& lock, const explore::WorldPlan& world,
                           const explore::SearchPlan& plan, faults::Reaper& reaper) {
  const auto program = recorded_graph(world, plan, reaper);
  if (!program) return {.budget_spent = true};
  const auto model = unfold(lock, {.clients = world.clients,
                                   .faults = plan.faults,
                                   .at_most = plan.at_most,
                                   .during = plan.during});
  return {.program_states = program->states.size(),
          .program_edges = program->events(),
          .model_states = model.size(),
          .comparison = compare(project(*program), model)};
}

std::filesystem::path save(const Difference& difference, const explore::WorldPlan& world,
                           const std::filesystem::path& runs) {
  const auto file = faults::make_run_directory(runs, world.stage.name + "-model") / "schedule";
  const auto text =
      explore::to_text(explore::schedule_of(difference.schedule, world),
                       fmt::format("{}: {}", sentence_of(difference), difference.action.text()));
  if (faults::replace_file(file, text)) return file;
  throw faults::CannotWrite(fmt::format("cannot write {}: is the disk full?", file.native()));
}

std::string describe(const Compared& compared, const explore::WorldPlan& world,
                     const explore::SearchPlan& plan, const std::filesystem::path& schedule,
                     const faults::Paint& paint) {
  auto text =
      fmt::format("{} · model   {}\n", paint.bold(world.stage.name), describe_end(compared, paint));
  text +=
      fmt::format("{} clients, {}; {}\n", world.clients, world.program.sentence, faults_of(plan));
  if (compared.budget_spent) return text + "  the program has more states: narrow the bounds\n";
  const auto& [traces, longest, difference] = compared.comparison;
  if (difference) {
    text += describe_difference(*difference);
    return text + fmt::format("again:     {}\n", explore::again_with(schedule, world));
  }
  text += fmt::format("  the program: {} states, {} edges; each trace of it is one of the model\n",
                      compared.program_states, compared.program_edges);
  return text + fmt::format(
                    "  the model: {} states, {} traces of at most {} actions; each is a path of "
                    "the program\n",
                    compared.model_states, traces, longest);
}

json to_json(const Compared& compared, const explore::WorldPlan& world,
             const explore::SearchPlan& plan, const std::filesystem::path& schedule) {
  const auto& [traces, longest, difference] = compared.comparison;
  json object{{"lock", world.stage.name},
              {"clients", world.clients},
              {"faults", explore::to_words(plan.faults)},
              {"at_most", plan.at_most},
              {"during", plan.during},
              {"end", describe_end(compared, {})},
              {"program", {{"states", compared.program_states}, {"edges", compared.program_edges}}},
              {"model", {{"states", compared.model_states}, {"traces", traces}}},
              {"longest", longest}};
  if (!difference) return object;
  object["difference"] = {
      {"sentence", sentence_of(*difference)}, {"action", difference->action.text()},
      {"steps", difference->schedule},        {"program", texts_of(difference->program)},
      {"model", texts_of(difference->model)}, {"schedule", schedule.native()}};
  return object;
}

}  // namespace model
