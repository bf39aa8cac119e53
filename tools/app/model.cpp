// `lab model`: hands over to the check of the model of stage 8.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/app/commands.h"
#include "tools/terminal/options.h"
#include "tools/terminal/run_program.h"

namespace app {
namespace {

constexpr const char* model_examples =
    "Examples:\n"
    "  ./lab model                    three nodes, two holds, one lost hold: half a minute\n"
    "  ./lab model LOSSES=2           two lost holds: a minute more, and 2 GB\n"
    "\n"
    "Goes through every order of a model of stage 8's fencing tokens (tools/model/fencing.pml) "
    "with "
    "Spin,\n"
    "and has to find two wrong turns of the stage in it. ./lab installs spin.\n"
    "Exit codes: 0 holds and both found, 1 not, 2 could not run, or the bounds are too large.";

}  // namespace

Command model_command(CLI::App& lab, const Shared& shared) {
  const auto bounds = std::make_shared<std::vector<std::string>>();
  auto* line = lab.add_subcommand("model", "stage 8's tokens in every order of a model");
  line->footer(model_examples);
  line->add_option("bounds", *bounds, "such as LOSSES=2; tools/model/fencing.pml has them")
      ->check(CLI::Validator(
          [](std::string& text) {
            const bool is_bound =
                text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_=0123456789") ==
                    std::string::npos &&
                text.find('=') != std::string::npos;
            return is_bound ? std::string{} : "a bound is NAME=NUMBER, such as LOSSES=2";
          },
          "NAME=NUMBER"));
  return {.line = line, .question = {}, .run = [bounds, &shared] {
            std::vector<std::string> command{LAB_SOURCE_DIR "/tools/model/check"};
            command.insert(command.end(), bounds->begin(), bounds->end());
            return terminal::run_program(std::move(command), shared.options.language);
          }};
}

}  // namespace app
