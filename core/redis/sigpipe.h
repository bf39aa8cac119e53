// Prevents a server that hangs up from ending this process.
#pragma once

#include <csignal>
#include <mutex>

namespace core {

// Ignores SIGPIPE for this process, unless it has a handler for it. hiredis writes with write(2),
// which raises the signal on a connection that the other side has closed. Any thread may call it.
inline void ignore_sigpipe() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction now {};
    sigaction(SIGPIPE, nullptr, &now);
    if (now.sa_handler == SIG_DFL) std::signal(SIGPIPE, SIG_IGN);
  });
}

}  // namespace core
