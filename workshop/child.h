// For tests: a program as a person calls it, and what came of it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "faults/parts/process.h"
#include "faults/parts/temp_dir.h"

namespace workshop {

struct Ended {
  int code = -1;       // the exit code; -1 if it did not exit by itself
  std::string output;  // what it wrote to standard output
  std::string errors;  // and to standard error
};

// A directory to play in, and programs started with it. TMPDIR is a directory of their own, so that
// what they leave behind can be told from what others do.
class Playground {
 public:
  [[nodiscard]] std::filesystem::path path(const std::string& name) const;
  [[nodiscard]] std::filesystem::path temporary() const { return path("tmp"); }

  // Writes an executable shell script.
  void write_script(const std::string& name, const std::string& text) const;

  using Environment = std::map<std::string, std::string>;
  [[nodiscard]] std::unique_ptr<faults::Process> start(const std::filesystem::path& program,
                                                       std::vector<std::string> arguments,
                                                       Environment environment = {});
  // Starts it and waits for its end, a minute at most.
  [[nodiscard]] Ended call(const std::filesystem::path& program, std::vector<std::string> arguments,
                           Environment environment = {});

  // The processes that were started with our TMPDIR, or work in it.
  [[nodiscard]] std::vector<pid_t> processes() const;

 private:
  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
};

}  // namespace workshop
