// `lab bench`: hands over to the benchmark program.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/commands.h"
#include "faults/kit/errors.h"
#include "table/options.h"

namespace app {

int bench(const table::Options& options, const std::vector<std::string>& arguments) {
  std::string program = LAB_BINARY_DIR "/bench/lab_bench";
  std::string name = "lab bench";
  std::string runs = "--runs=" + options.runs.native();
  auto given = arguments;
  std::vector<char*> pointers{name.data(), runs.data()};
  for (auto& argument : given) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(program.c_str(), pointers.data());
  throw faults::CannotRun(
      "cannot start " + program + ": " + std::strerror(errno) +
      "; it is built only where all eight stages are there, and without a sanitizer");
}

}  // namespace app
