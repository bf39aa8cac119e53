// Virtual time for real processes: it advances only when the explorer says so.
//
// A library that is preloaded into servers and clients (faults/explore/preload) answers every
// question for the time from one shared page, and ends every wait by that time. In the same page
// each thread of a client writes down what it waits for, and until when: so it is known, and need
// not be guessed, when a client is at rest.
//
// Works for programs that use the C library; others are started by the shim (faults/explore/shim).
// What is started otherwise keeps real time: `VirtualProcess::must_take_part` refuses it.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "faults/explore/preload/shared_page.h"

namespace explore {

using Duration = std::chrono::nanoseconds;

class VirtualTime {
 public:
  // Keeps its page in `directory`, which is to be in memory. Throws CannotRun.
  explicit VirtualTime(const std::filesystem::path& directory);
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  // The time since it began.
  [[nodiscard]] Duration now() const;
  // Advances it to `time`. Processes notice by `VirtualProcess::notice_time`.
  // From now on the wall clocks of processes show what they showed when virtual time was 0.
  void turn_back_wall_clocks() { wall_offset_ = -now(); }
  [[nodiscard]] Duration wall_offset() const { return wall_offset_; }
  void advance_to(Duration time);

  // The variables that a process needs to have the slot of that number in the page.
  [[nodiscard]] std::map<std::string, std::string> environment(std::size_t slot) const;
  // Those of a participant, and of all that it starts: each takes a slot by itself.
  [[nodiscard]] std::map<std::string, std::string> environment() const;
  // A slot that no process has. Throws CannotRun: there is none.
  [[nodiscard]] std::size_t take_slot();
  void give_back(std::size_t slot);

  [[nodiscard]] ProcessEntry& entry(std::size_t slot) { return page_->processes.at(slot); }
  [[nodiscard]] SharedPage& page() { return *page_; }

 private:
  const std::filesystem::path file_;
  SharedPage* page_ = nullptr;
  Duration wall_offset_{0};
  std::array<bool, SharedPage::most_processes> taken_{};
};

}  // namespace explore
