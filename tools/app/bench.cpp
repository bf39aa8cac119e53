// `lab bench`: hands over to the benchmark program.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "faults/kit/errors.h"
#include "tools/app/commands.h"
#include "tools/terminal/options.h"

namespace app {
namespace {

// Replaces this process; returns only by an exception.
int become_lab_bench(const Shared& shared, const std::vector<std::string>& arguments) {
  std::string program = LAB_BINARY_DIR "/tools/bench/lab_bench";
  std::string name = "lab bench";
  std::string runs = "--runs=" + shared.options.runs.native();
  auto given = arguments;
  if (!shared.language.empty()) given.insert(given.begin(), "--lang=" + shared.language);
  std::vector<char*> pointers{name.data(), runs.data()};
  for (auto& argument : given) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw faults::CannotRun(
      "cannot start " + program + ": " + std::strerror(errno) +
      "; it is built only where all eight stages are there, and without a sanitizer");
}

}  // namespace

Command bench_command(CLI::App& lab, const Shared& shared) {
  auto* line = lab.add_subcommand("bench", "what each stage costs, beside the physical limit");
  line->prefix_command()->fallthrough(false)->set_help_flag();  // all of it is for that program
  return {.line = line, .question = {}, .run = [line, &shared] {
            return become_lab_bench(shared, line->remaining());
          }};
}

}  // namespace app
