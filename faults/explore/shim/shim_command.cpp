#include "faults/explore/shim/shim_command.h"

#include <fmt/format.h>

#include <optional>

#include "faults/explore/shim/program_file.h"
#include "faults/kit/errors.h"
#include "faults/kit/program_path.h"

namespace explore {
namespace {

// The program that `command` names, if virtual time has to trap its system calls.
std::optional<std::filesystem::path> program_for_shim(const std::vector<std::string>& command) {
  const auto path = faults::program_on_path(command.at(0));
  const auto program = path ? read_program(*path) : std::nullopt;
  return program && makes_own_calls(*program) ? path : std::nullopt;
}

}  // namespace

std::vector<std::string> through_shim(std::vector<std::string> command) {
  const auto path = program_for_shim(command);
  if (!path) return command;
#ifdef LAB_SHIM
  command.insert(command.begin(), {LAB_SHIM, path->native()});
  return command;
#else
  throw faults::CannotRun(fmt::format(
      "{} makes its system calls without the C library, as Go does: virtual time follows "
      "such a program on x86-64 alone; the scenarios of ./lab run do with real time",
      path->native()));
#endif
}

bool names_shim([[maybe_unused]] const std::filesystem::path& program) {
#ifdef LAB_SHIM
  return program.filename() == std::filesystem::path(LAB_SHIM).filename();
#else
  return false;
#endif
}

}  // namespace explore
