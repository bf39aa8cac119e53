// `lab model`: hands over to the check of the model of stage 8.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "faults/kit/errors.h"
#include "tools/app/commands.h"

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

// Replaces this process; returns only by an exception.
int become_check(const std::vector<std::string>& bounds) {
  std::string program = LAB_SOURCE_DIR "/tools/model/check";
  auto given = bounds;
  std::vector<char*> pointers{program.data()};
  for (auto& bound : given) pointers.push_back(bound.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw faults::CannotRun("cannot start " + program + ": " + std::strerror(errno));
}

}  // namespace

Command model_command(CLI::App& lab) {
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
  return {.line = line, .question = {}, .run = [bounds] { return become_check(*bounds); }};
}

}  // namespace app
