// A program that has been loaded once, and begins processes of itself: each takes a tenth of the
// time that it takes to start the program (faults/explore/preload/template.cpp says how).
//
// Only for a program that is known to take part in virtual time: another one never answers.
//
// Thread-safety: none; one thread.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "faults/kit/descriptor.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"

namespace explore {

class ProcessTemplate {
 public:
  // Loads the program of `command`, whose environment names the file of the page; talks to it
  // through a socket in `directory`. Throws CannotRun, Stalled.
  ProcessTemplate(faults::Command command, const std::filesystem::path& directory,
                  faults::Reaper& reaper);

  // Begins a process with these variables beside those of the template, and with this log; nullptr
  // if the kernel cannot do that. Throws CannotRun, Stalled.
  [[nodiscard]] std::unique_ptr<faults::Process> begin(
      const std::map<std::string, std::string>& environment, const std::filesystem::path& log);

  [[nodiscard]] pid_t id() const { return process_->id(); }

 private:
  void send(const std::string& variables, const std::array<int, 4>& descriptors);
  [[nodiscard]] pid_t answer();

  faults::Reaper& reaper_;
  std::unique_ptr<faults::Process> process_;
  faults::Descriptor socket_;
};

}  // namespace explore
