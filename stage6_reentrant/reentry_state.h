// Which hold of a lock each thread of this process is inside, and how deep.
//
// All lock objects on the same key of the same server share one state: a function that makes a lock
// object of its own enters the hold that its caller has.
//
// Thread-safety: safe to share; each thread sees its own levels.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/per_thread.h"
#include "stage5_watchdog/hold.h"
#include "stage5_watchdog/watchdog.h"

namespace stage6 {

// One level: the thread has entered `hold` for the `depth`-th time. A hold that was lost can lie
// below another one.
struct Level {
  std::shared_ptr<stage5::Hold> hold;
  int depth = 1;
  bool releasing = false;  // its release was sent, and is not answered yet
};

class ReentryState {
 public:
  // The state of the lock `key` at `server` (the stage, and an address or several). Ends with the
  // last lock object that shares it.
  [[nodiscard]] static std::shared_ptr<ReentryState> of(const std::string& server,
                                                        const std::string& key);

  // Holds that are left are no longer renewed: they come free with their lease.
  ~ReentryState();

  // The calling thread's innermost level; nothing if it is not inside.
  [[nodiscard]] std::optional<Level> current() const;
  // The calling thread enters one level deeper.
  void enter(Level level);
  // The release of the innermost level is sent; it is left.
  void begin_release();
  void leave();

 private:
  core::PerThread<std::vector<Level>> levels_;
  const std::shared_ptr<stage5::Watchdog> watchdog_ = stage5::Watchdog::of_this_process();
};

}  // namespace stage6
