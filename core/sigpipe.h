// Keeps a server that hangs up from ending this process.
#pragma once

#include <csignal>
#include <mutex>

namespace core {

// hiredis writes with write(2), which raises SIGPIPE on a connection that the other side has
// closed. Ignores the signal for this process, unless it has a handler for it. Safe to call from
// any thread.
inline void keep_sigpipe_from_killing_us() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction now {};
    sigaction(SIGPIPE, nullptr, &now);
    if (now.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
  });
}

}  // namespace core
