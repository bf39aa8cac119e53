// The processes whose time a keeper keeps: which there are, and whether they wait.
//
// A thread that the preloaded library puts to rest says so in the page. The kernel knows the rest:
// a thread that sleeps in a call without a limit (a lock, a child's end, a read of the C library's)
// waits too; a process that has been sent a signal, and has not got it yet, does not. Asking the
// kernel takes longer than reading the page. So it is asked only when there is a reason.
//
// Thread-safety: none; one thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "faults/explore/preload/shared_page.h"
#include "faults/explore/virtual_time/proc.h"
#include "faults/kit/descriptor.h"
#include "faults/kit/reaper.h"

namespace explore {

class Participants {
 public:
  // `program` is the first of them, a child of this process. If this process is killed, `reaper`
  // ends them.
  Participants(SharedPage& page, pid_t program, faults::Reaper& reaper)
      : page_(page), program_(program), reaper_(reaper) {}
  // Kills the program, if it has not ended.
  ~Participants();
  Participants(const Participants&) = delete;
  Participants& operator=(const Participants&) = delete;

  enum class Ask : bool { if_need_be, always };

  // True if all threads of all of them wait. Asks the kernel about those that have not said so, if
  // they were asleep when it was asked last, or if it is to be asked always.
  [[nodiscard]] bool are_at_rest(Ask ask);

  // True if it exists and is not stopped. To be called while they are at rest.
  [[nodiscard]] bool takes_part(const ProcessEntry& process) const;

  // Clears the slots of the dead. Waits for a death, at most so long.
  void remove_dead(std::chrono::milliseconds limit);
  // How the program has ended (waitpid(2)); nothing until `remove_dead` has removed it.
  [[nodiscard]] std::optional<int> ending() const { return ending_; }

  // Throws CannotRun if there have been too many.
  void must_fit() const;
  // Throws CannotRun if one of them keeps real time, or there have been too many.
  void must_take_part() const;
  // A sentence on a thread that waits for some time of the kernel's while no thread runs; nothing:
  // there is none.
  [[nodiscard]] std::optional<std::string> unknown_wait() const;
  // The name of one that does not wait.
  [[nodiscard]] std::string busy() const;

 private:
  // The kernel's view: threads that sleep, those that have said that they wait and those that have
  // not; and processes that are stopped.
  struct View {
    std::vector<Thread> waiting;
    std::vector<Thread> silent;
    std::set<const ProcessEntry*> stopped;

    bool operator==(const View&) const = default;
  };
  struct Handle {
    pid_t id = 0;
    faults::Descriptor death;  // a pidfd
  };

  // False if one has taken its slot whose number is not known yet.
  bool follow_new_slots();
  [[nodiscard]] bool may_be_at_rest() const;
  // Asks about those that have not said that they wait, or about all. Nothing if one does not wait.
  // Throws CannotRun if one has begun a program that keeps real time.
  [[nodiscard]] std::optional<View> ask_kernel(bool about_all) const;
  // False if it does not wait.
  [[nodiscard]] bool add(ProcessEntry& process, View& view) const;
  [[nodiscard]] bool begins_another(pid_t process) const;
  void clear(ProcessEntry& process);

  SharedPage& page_;
  const pid_t program_;
  faults::Reaper& reaper_;
  std::optional<int> ending_;
  std::map<ProcessEntry*, Handle> handles_;
  std::uint32_t slots_seen_ = 0;
  std::uint32_t settled_ = 0;  // of what the page counts as unsettled
  View seen_;
};

}  // namespace explore
