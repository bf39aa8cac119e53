// Many descriptors of which one wants to know which can be read: one system call for all of them.
//
// A descriptor that is closed leaves by itself (epoll(7)). Thread-safety: none; one thread.
#pragma once

#include <vector>

#include "faults/kit/descriptor.h"

namespace explore {

class ReadySet {
 public:
  // Throws CannotRun.
  ReadySet();

  // `tag` is what `ready` says of it.
  void add(const faults::Descriptor& descriptor, void* tag);
  // The tags of those that can be read now, or that have ended; does not wait.
  [[nodiscard]] std::vector<void*> ready() const;

 private:
  faults::Descriptor epoll_;
};

}  // namespace explore
