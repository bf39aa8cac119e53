// Ends another thread's poll(2).
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

  void wake();

  [[nodiscard]] pollfd to_poll() const { return {.fd = event_, .events = POLLIN, .revents = 0}; }
  // What woke it counts no more.
  void clear();

 private:
  int event_;  // an eventfd(2)
};

}  // namespace core
