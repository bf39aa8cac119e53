// Virtual time for real processes: it stands still, and goes on only when it is told to.
//
// A library that is preloaded into servers and clients (faults/explore/preload) answers every
// question for the time from one shared page, and ends every wait by that time. In the same page
// each thread of a client writes down what it waits for, and until when: so one knows, and need not
// guess, when a client is at rest.
//
// Works for dynamically linked programs. A program that is linked statically keeps real time:
// `VirtualProcess::must_take_part` refuses it.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "faults/explore/preload/page.h"

namespace explore {

using Duration = std::chrono::nanoseconds;

class VirtualTime {
 public:
  // Keeps its page in `directory`, which is to be in memory. Throws CannotRun.
  explicit VirtualTime(const std::filesystem::path& directory);
  ~VirtualTime();
  VirtualTime(const VirtualTime&) = delete;
  VirtualTime& operator=(const VirtualTime&) = delete;

  // Since it began.
  [[nodiscard]] Duration now() const;
  // Moves it on to `time`. Processes notice by `VirtualProcess::look_at_time`.
  void go_on_to(Duration time);

  // The variables that a process needs to have the place of that number in the page.
  [[nodiscard]] std::map<std::string, std::string> environment(std::size_t place) const;
  // Those of a participant, and of all that it starts: each takes a place by itself.
  [[nodiscard]] std::map<std::string, std::string> environment() const;
  // A place that no process has.
  [[nodiscard]] std::size_t take_place();
  void give_back(std::size_t place);

  [[nodiscard]] ProcessEntry& entry(std::size_t place) { return page_->processes.at(place); }
  [[nodiscard]] Page& page() { return *page_; }

 private:
  const std::filesystem::path file_;
  Page* page_ = nullptr;
  std::array<bool, Page::most_processes> taken_{};
};

}  // namespace explore
