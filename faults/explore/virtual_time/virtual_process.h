// A process that lives in virtual time, seen from outside: whether it is at rest, and until when.
//
// Thread-safety: none; one thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"

namespace explore {

class VirtualProcess {
 public:
  // Takes a slot for a process that is about to be started.
  VirtualProcess(VirtualTime& time, ProcessRole role);
  ~VirtualProcess();
  VirtualProcess(const VirtualProcess&) = delete;
  VirtualProcess& operator=(const VirtualProcess&) = delete;

  // The variables that `command` needs beside its own.
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return time_.environment(slot_);
  }

  // Throws CannotRun, with a sentence, unless the process that was started has its slot in the
  // page, is alone, and does nothing that virtual time does not know.
  void must_take_part(const std::string& name) const;

  // True if it waited in a way that virtual time does not know: `must_take_part` throws.
  [[nodiscard]] bool is_refused() const { return entry().refused[0] != '\0'; }

  // Waits until every thread of it waits (true) or the process has ended (false). Throws
  // ClientFailed if it does not come to rest, and CannotRun in a moment if it never will, since it
  // keeps real time.
  bool await_rest(faults::Process& process, const std::string& name) const;

  // The same for a server that has answered a command: waits until it has sent all that the same
  // round of its event loop brought. Throws Stalled.
  void await_end_of_round(const std::string& name) const;

  // The first moment, later than now, until which one of its threads waits.
  [[nodiscard]] std::optional<Duration> next_deadline() const;
  // Until when its threads wait, by their numbers; without those that wait for something else only.
  [[nodiscard]] std::map<std::size_t, Duration> deadlines_by_thread() const;

  // To be called after something arrived at that descriptor of the process.
  void notice(int descriptor) const;
  // Time has advanced: threads whose wait has ended continue. A client must be at rest.
  void notice_time() const;
  // Its clocks show now what they would show when virtual time is 0, to a machine that has been up
  // for that time longer. Programs seed random numbers from their clocks: so each that starts
  // has the same seed.
  void start_clocks(Duration uptime) const;
  // From now on its wall clock is ahead of virtual time by that.
  void set_clock_ahead(Duration by) const;
  // The same for a client with several threads: only the one that is due first continues. (Of two
  // that continued at the same time the order would be unknown.) False: none is due.
  [[nodiscard]] bool wake_next_due() const;
  // The process was stopped: something may have arrived at any of its descriptors.
  void notice_all_descriptors() const;

 private:
  // It has had time to load the library. Throws CannotRun if it has not, waits for a process that
  // it has started, or has become another program.
  void must_have_loaded(pid_t process, const std::string& name) const;
  [[nodiscard]] ProcessEntry& entry() const { return time_.entry(slot_); }

  VirtualTime& time_;
  const std::size_t slot_;
};

}  // namespace explore
