// How deep the threads of this process stand in one lock, and in which hold.
//
// All lock objects on the same key of the same server share it: a function that makes a lock object
// of its own enters the hold that its caller has.
// Thread-safety: safe to share; each thread sees its own levels.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/per_thread.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/watchdog.h"
#include "stage6_reentrant/bell.h"

namespace stage6 {

struct Level {
  std::shared_ptr<stage5::Hold> hold;
  int depth = 1;         // of this hold; a hold that was lost can lie below another one
  bool leaving = false;  // its release was asked for, and got no answer so far
};

class Levels {
 public:
  // Those of the lock `key` at `server` (which stage, and an address or several). Gone with the
  // last that has them.
  [[nodiscard]] static std::shared_ptr<Levels> of(const std::string& server,
                                                  const std::string& key);

  // What a thread still holds is no longer renewed: it comes free with its lease.
  ~Levels();

  // Where the calling thread stands, if it is inside.
  [[nodiscard]] std::optional<Level> innermost() const;
  void enter(Level level);
  // The innermost: its release is being asked for; it is left.
  void begin_to_leave();
  void leave();

  // Rings when the lock is released; made when first somebody waits. How often it has rung.
  [[nodiscard]] std::shared_ptr<Bell> bell(const core::Address& server, const std::string& channel);
  [[nodiscard]] std::uint64_t rung() const;

 private:
  core::PerThread<std::vector<Level>> levels_;  // of a thread that is inside
  mutable std::mutex mutex_;
  std::shared_ptr<Bell> bell_;  // guarded by mutex_
  const std::shared_ptr<stage5::Watchdog> watchdog_ = stage5::Watchdog::of_this_process();
};

}  // namespace stage6
