// A program in virtual time, for tests: started as a client is, and run alone.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "faults/explore/virtual_time/virtual_process.h"
#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/explore/world/client_program.h"
#include "faults/testing/kit_test.h"

namespace explore {

class SearchedProgram {
 public:
  explicit SearchedProgram(faults::Reaper& reaper) : reaper_(reaper), directory_(reaper) {}

  void start(const std::vector<std::string>& command) {
    process_.reset();
    inside_.reset();
    inside_ = std::make_unique<VirtualProcess>(time_, ProcessRole::client);
    inside_->start_clocks(std::chrono::hours(1));
    ClientProgram program(command, directory_.path(), reaper_);
    auto environment = inside_->environment();
    environment[sockets_variable] = (directory_.path() / "socket-").native();
    environment["LOCK_CLIENT"] = "A";
    process_ = program.start(environment, directory_.path() / "log");
  }

  // False: it has ended.
  bool rests() { return inside_->await_rest(*process_, "the program"); }

  // What it says in one line, after each moment has come that it waited for, or many have.
  std::string said_by(const std::vector<std::string>& command) {
    constexpr int many = 1'000;
    start(command);
    for (int moments = 0; moments < many && rests(); ++moments) {
      const auto deadline = inside_->next_deadline();
      if (!deadline) break;
      time_.advance_to(*deadline);
      while (inside_->wake_next_due() && rests()) {
      }
    }
    return faults::line_from(*process_);
  }

  // Where it finds that port of this machine.
  [[nodiscard]] std::filesystem::path socket(int port) const {
    return directory_.path() / ("socket-" + std::to_string(port) + ".sock");
  }
  [[nodiscard]] VirtualProcess& inside() { return *inside_; }
  [[nodiscard]] VirtualTime& time() { return time_; }

 private:
  faults::Reaper& reaper_;
  faults::TempDir directory_;
  VirtualTime time_{directory_.path()};
  std::unique_ptr<VirtualProcess> inside_;
  std::unique_ptr<faults::Process> process_;
};

}  // namespace explore
