// Wakes another thread out of poll(2).
//
// Thread-safety: `wake` may be called from any thread; the rest is for the thread that polls.
#pragma once

#include <poll.h>

namespace core {

class WakeUp {
 public:
  // Throws std::system_error if the system has no descriptor to give.
  WakeUp();
  ~WakeUp();
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  // The poll(2) under way, or the next one, returns at once.
  void wake();

  [[nodiscard]] pollfd to_poll() const { return {.fd = event_, .events = POLLIN, .revents = 0}; }
  // Forgets earlier calls of `wake()`.
  void clear();

 private:
  int event_;  // an eventfd(2)
};

}  // namespace core
