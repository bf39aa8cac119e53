// Ctrl-C, SIGTERM and SIGHUP end a run tidily: everything it started is gone before it is. One that
// was ignored when the program began, such as SIGHUP under nohup(1), still is.
//
// Make one at the top of `main`, before any other thread starts (threads inherit which signals are
// blocked). Processes that the kit starts get an empty signal mask again.
#pragma once

#include <string>
#include <thread>

#include "faults/kit/descriptor.h"
#include "faults/kit/reaper.h"

namespace faults {

class Interrupt {
 public:
  // What it says for people when it ends a run.
  static constexpr const char* says = "interrupted: everything this run started is being ended";

  // `reaper` must outlive this object. `said` takes the place of `says`, in another language.
  explicit Interrupt(Reaper& reaper, const std::string& said = says);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

 private:
  Descriptor signals_;
  Descriptor end_;
  std::thread watcher_;
};

}  // namespace faults
