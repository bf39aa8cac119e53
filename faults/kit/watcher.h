// Writes down what a server announces about its keys.
//
// Thread-safety: the public functions may be called from any thread but the loop's.
#pragma once

#include <memory>
#include <string>

#include "core/redis/address.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"

namespace faults {

class WatcherState;

class Watcher {
 public:
  // Subscribes to the announcements of the server at `address` (a unix socket). Throws CannotRun.
  Watcher(Loop& loop, History& history, std::string server_name, const core::Address& address);
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  // Returns once everything announced before this call is in the history: a PING on the same
  // connection, whose answer cannot overtake an announcement. Throws CannotRun if that is an error,
  // as it is while a script runs without end; Stalled if none comes within `standstill`.
  void catch_up();

 private:
  std::shared_ptr<WatcherState> state_;
  std::string address_;
};

}  // namespace faults
