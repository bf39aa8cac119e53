#include "faults/explore/world/client_program.h"

#include <fmt/format.h>

#include <utility>

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

}  // namespace

ClientProgram::ClientProgram(std::vector<std::string> command, std::filesystem::path directory,
                             faults::Reaper& reaper)
    : command_(through_shim(command)),
      has_shim_(command_.size() != command.size()),
      directory_(std::move(directory)),
      reaper_(reaper) {}

std::unique_ptr<faults::Process> ClientProgram::start(
    const std::map<std::string, std::string>& environment, const std::filesystem::path& log) {
  if (takes_part_ && !has_shim_) {
    if (!template_) {
      template_ = std::make_unique<ProcessTemplate>(
          command(environment, directory_ / "template.log"), directory_, reaper_);
    }
    if (auto begun = template_->begin(environment, log)) return begun;
  }
  return std::make_unique<faults::Process>(command(environment, log), reaper_);
}

faults::Command ClientProgram::command(const std::map<std::string, std::string>& environment,
                                       const std::filesystem::path& log) const {
  return {.program = command_.at(0), .arguments = command_, .environment = environment, .log = log};
}

}  // namespace explore
