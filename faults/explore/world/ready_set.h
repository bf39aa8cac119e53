// Tells which of many descriptors can be read, by one system call for all of them.
//
// A descriptor that is closed leaves the set by itself, once no process has a copy of it
// (epoll(7)).
//
// Thread-safety: none; one thread.
#pragma once

#include <vector>

#include "faults/kit/descriptor.h"

namespace explore {

class ReadySet {
 public:
  // Throws CannotRun.
  ReadySet();

  // `ready` returns `tag` for it.
  void add(const faults::Descriptor& descriptor, void* tag);
  // To be called before it is closed: a process that another thread begins has a copy for a moment,
  // and the set would return the tag of a descriptor that no longer exists.
  void remove(const faults::Descriptor& descriptor);
  // The tags of those that can be read now, or that have ended; does not wait.
  [[nodiscard]] std::vector<void*> ready() const;

 private:
  faults::Descriptor epoll_;
};

}  // namespace explore
