// The program of a world's clients: starts their processes.
//
// The first is started as any program is. Once it is known to take part in virtual time, the others
// come from a template, which takes a tenth of the time. A program that makes its system calls
// without the C library (Go, or one that is linked statically) has no template: the shim
// (faults/explore/shim) starts each process.
//
// Thread-safety: none; one thread.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "faults/explore/world/process_template.h"

namespace explore {

class ClientProgram {
 public:
  // Starts nothing yet. `directory` is for the template's socket and log. Throws CannotRun, with
  // the reason, if virtual time cannot follow such a program.
  ClientProgram(std::vector<std::string> command, std::filesystem::path directory,
                faults::Reaper& reaper);

  // Throws CannotRun, Stalled.
  [[nodiscard]] std::unique_ptr<faults::Process> start(
      const std::map<std::string, std::string>& environment, const std::filesystem::path& log);
  // A process of it is known to take part in virtual time.
  void takes_part() { takes_part_ = true; }
  // True if each process of it takes about a second of a CPU to start, template or not: it is a
  // Java machine.
  [[nodiscard]] bool starts_slowly() const;
  // The template's process; 0: there is none.
  [[nodiscard]] pid_t process() const { return template_ ? template_->id() : 0; }

 private:
  [[nodiscard]] faults::Command command(const std::map<std::string, std::string>& environment,
                                        const std::filesystem::path& log) const;

  const std::vector<std::string> command_;
  const bool has_shim_;
  const std::filesystem::path directory_;
  faults::Reaper& reaper_;
  bool takes_part_ = false;
  std::unique_ptr<ProcessTemplate> template_;
};

}  // namespace explore
