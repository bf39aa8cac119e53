// For tests: a program, called as a person calls it, and its result.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "faults/kit/errors.h"
#include "faults/kit/process.h"
#include "faults/kit/temp_dir.h"

namespace faults {

struct ProgramResult {
  int code = -1;       // the exit code; -1 if it did not exit by itself
  std::string output;  // what it wrote to standard output
  std::string errors;  // and to standard error
};

// A directory to play in, and programs started with it. They get a TMPDIR of their own, so that a
// test sees what they leave behind.
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
  // Starts a program and waits for its end: until every writer of its standard output is gone, and
  // then for a standstill at most.
  [[nodiscard]] ProgramResult call(const std::filesystem::path& program,
                                   std::vector<std::string> arguments,
                                   Environment environment = {});

  // The processes that were started with our TMPDIR, or work in it.
  [[nodiscard]] std::vector<pid_t> processes() const;

 private:
  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
};

// A command on a terminal of its own, by script(1), and a person at its keyboard.
class Terminal {
 public:
  static bool is_there() { return std::filesystem::exists("/usr/bin/script"); }

  // `command` is for the shell.
  Terminal(Playground& playground, const std::string& command,
           Playground::Environment environment = {});

  // Waits until `text` is shown, after any text awaited before. Throws std::runtime_error, with all
  // that was shown, at the end of the program or after `patience`.
  void await(const std::string& text);
  void press(std::string_view keys);
  // Waits for its end and returns all that was shown. Throws after `patience`.
  std::string await_end();

 private:
  // False at the end of the output.
  [[nodiscard]] bool read_some();

  using Clock = std::chrono::steady_clock;
  static constexpr auto patience = faults::standstill;

  std::unique_ptr<faults::Process> process_;
  std::string shown_;
  std::size_t awaited_ = 0;  // how much of it
  Clock::time_point deadline_;
};

}  // namespace faults
