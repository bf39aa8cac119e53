// `lab list`: stages, their wrong turns and scenarios.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "faults/scenarios/scenario.h"
#include "tools/app/commands.h"
#include "tools/table/stages.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* list_examples =
    "Examples:\n"
    "  ./lab list\n"
    "  ./lab list --json                          for a machine to read";

nlohmann::json stages_as_json(const std::vector<faults::TestedLock>& stages, const char* what) {
  auto array = nlohmann::json::array();
  for (const auto& stage : stages) array.push_back({{"name", stage.name}, {what, stage.adds}});
  return array;
}

nlohmann::json list_as_json() {
  auto scenarios = nlohmann::json::array();
  for (const auto& scenario : faults::all_scenarios()) {
    scenarios.push_back({{"name", scenario.name}, {"sentence", scenario.sentence}});
  }
  return {{"stages", stages_as_json(table::all_stages(), "adds")},
          {"wrong_turns", stages_as_json(table::all_wrong_turns(), "wrong")},
          {"variants", stages_as_json(table::all_variants(), "adds")},
          {"scenarios", scenarios}};
}

// A name, and beside it what it is: in as many lines as a terminal needs.
std::string beside(const std::string& name, const std::string& meaning) {
  if (!terminal::terminal_size()) return fmt::format("  {:<20} {}\n", name, meaning);
  const std::string indent(25, ' ');
  return fmt::format("  {:<23}", name) + terminal::wrapped(meaning, indent).substr(indent.size());
}

// Wrong turns and variants, whose names are long: each name has a line of its own.
void print_relatives(const std::string& title, const std::vector<faults::TestedLock>& relatives,
                     const terminal::Language& language) {
  if (!relatives.empty()) std::cout << title << '\n';
  for (const auto& relative : relatives) {
    std::cout << fmt::format("  {}\n{}", relative.name, beside("", language(relative.adds)));
  }
}

void print_list(const terminal::Options& options) {
  const auto& language = options.language;
  const auto title = [&](const char* words) { return options.paint.bold(language(words)); };
  std::cout << title("stages") << '\n';
  for (const auto& stage : table::all_stages()) {
    std::cout << beside(stage.name, language(stage.adds));
  }
  print_relatives(title("wrong turns"), table::all_wrong_turns(), language);
  print_relatives(title("variants"), table::all_variants(), language);
  std::cout << title("scenarios") << '\n';
  for (const auto& scenario : faults::all_scenarios()) {
    std::cout << beside(scenario.name, language(scenario.sentence));
  }
}

int list_all(const terminal::Options& options) {
  if (options.json) {
    std::cout << list_as_json().dump(2) << '\n';
  } else {
    print_list(options);
  }
  return terminal::exit_holds;
}

}  // namespace

Command list_command(CLI::App& lab, Shared& shared) {
  auto* line = lab.add_subcommand("list", "every stage with its wrong turns, and every scenario");
  line->footer(list_examples);
  add_json_flag(*line, shared);
  return {.line = line, .question = {}, .run = [&shared] { return list_all(shared.options); }};
}

}  // namespace app
