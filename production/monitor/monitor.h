// Frees the locks of dead holders sooner than their leases would: it listens to the heartbeats of
// all holders (core/wrappers/heartbeats.h), and ends the hold of one that has been silent for too
// long, and no other hold.
//
// It is a second lease, and a shorter one, with the weakness of the first: a holder that is frozen,
// or cut off from the monitor alone, lives, and somebody else gets in beside it. A storage that
// checks fencing tokens refuses its late write (stage 8).
//
// Thread-safety: none; one thread runs it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/async_connection.h"
#include "core/redis/server.h"
#include "production/monitor/holders.h"

namespace monitor {

class Monitor {
 public:
  // Frees locks on `nodes`, all of them for a quorum, and listens at `post`. `say` gets a sentence
  // for each hold that it has ended, or could not end.
  Monitor(const std::vector<core::Address>& nodes, core::Address post, Patience patience,
          std::function<void(const std::string&)> say);

  // Until `stop` is requested, which it looks for at least once per period, unless a server keeps
  // it waiting when it frees a lock.
  void run(const std::stop_token& stop);

 private:
  void connect();
  // Asks the server for a sign of life. Without one for too long, connects anew.
  void send_ping();
  // Waits for heartbeats, no longer than until the next check.
  void listen(Clock::time_point until);
  void take_messages();
  void free_silent_holders();
  // On all nodes; on how many it was there.
  [[nodiscard]] int free_everywhere(const Hold& hold);

  std::vector<std::unique_ptr<core::Server>> nodes_;
  const core::Address post_;
  const Patience patience_;
  const std::function<void(const std::string&)> say_;
  Holders holders_;
  std::unique_ptr<core::AsyncConnection> post_connection_;
  // Says it, unless that is what was said last.
  void say_once(const std::string& sentence);

  Clock::time_point looked_;
  Clock::time_point pinged_;
  bool awaits_pong_ = false;
  // All that was announced before this has been heard: a PING that was sent then has been answered,
  // behind it.
  Clock::time_point heard_until_;
  std::string said_;
};

}  // namespace monitor
