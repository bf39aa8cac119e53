#include "faults/explore/world/client_program.h"

#include <utility>

#include "faults/explore/shim/shim_command.h"

namespace explore {

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

bool ClientProgram::starts_slowly() const {
  return std::filesystem::path(command_.at(0)).filename() == "java";
}

faults::Command ClientProgram::command(const std::map<std::string, std::string>& environment,
                                       const std::filesystem::path& log) const {
  return {.program = command_.at(0), .arguments = command_, .environment = environment, .log = log};
}

}  // namespace explore
