// A schedule: the events of a run, one a line, in a file that a person can read and edit.
//
//   # stage3_set_nx_px: owner-only release
//   lock: stage3_set_nx_px
//   clients: 2
//   nodes: 3                 only of a lock on several servers
//   facts: {"key": "%s"}     only of a --client: what its --facts file said
//   lease: 300 ms
//   operations: once
//   steps:
//   A: begin
//   A: send SET
//   …
//   time: to the end of the lease
//
// A line that begins with # is a comment. After the last step every client continues by itself.
//
// Thread-safety: values.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace explore {

struct Schedule {
  struct Step {
    std::string label;
    int line = 0;  // of the file
  };

  std::string lock;
  int clients = 2;
  int nodes = 0;      // how many servers; 0: the lock's default
  std::string facts;  // a line of JSON; empty: none
  std::chrono::milliseconds lease{300};
  std::string operations = "once";  // the clients' program (world/program.h)
  std::vector<Step> steps;
};

// The text of the file, with `comment` in front.
[[nodiscard]] std::string to_text(const Schedule& schedule, const std::string& comment);

// Throws CannotRun, naming the file and the line.
[[nodiscard]] Schedule read_schedule(const std::filesystem::path& file);

[[nodiscard]] std::vector<Schedule::Step> steps_from(const std::vector<std::string>& labels);

}  // namespace explore
