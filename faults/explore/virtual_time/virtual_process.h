// A process that lives in virtual time, seen from outside: is it at rest, and until when?
//
// Thread-safety: none; one thread.
#pragma once

#include <memory>
#include <optional>

#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"

namespace explore {

class VirtualProcess {
 public:
  // Takes a place for a process that is about to be started.
  VirtualProcess(VirtualTime& time, Role role);
  ~VirtualProcess();
  VirtualProcess(const VirtualProcess&) = delete;
  VirtualProcess& operator=(const VirtualProcess&) = delete;

  // The variables that `command` needs beside its own.
  [[nodiscard]] std::map<std::string, std::string> environment() const {
    return time_.environment(place_);
  }

  // Throws CannotRun, with a sentence, unless the process that was started has its place in the
  // page, is alone, and does nothing that virtual time does not know.
  void must_take_part(const std::string& name) const;

  // Waits until every thread of it waits, or the process has ended: true if it rests. Throws
  // ClientFailed if it does not come to rest.
  bool await_rest(faults::Process& process, const std::string& name) const;

  // The same of a server that has answered something: waits until it has sent all that the same
  // round of its event loop brought. Throws Stalled.
  void await_end_of_round(const std::string& name) const;

  // The first moment, later than now, until which one of its threads waits.
  [[nodiscard]] std::optional<Duration> next_deadline() const;

  // To be called after something came for that descriptor of its.
  void notice(int descriptor) const;
  // After time went on: threads whose wait is over go on. A client must be at rest.
  void look_at_time() const;
  // Its wall clock is ahead of virtual time by that, from now on.
  void set_clock_ahead(Duration by) const;
  // The same for a client with several threads: the one that is due first goes on, alone. False:
  // none is due. In which order two would go on at once nobody knows.
  [[nodiscard]] bool wake_next_due() const;
  // It was stopped meanwhile: everything may have come.
  void look_around() const;

 private:
  [[nodiscard]] ProcessEntry& entry() const { return time_.entry(place_); }

  VirtualTime& time_;
  const std::size_t place_;
};

}  // namespace explore
