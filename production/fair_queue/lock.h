// A fair lock: first come, first served, around any lock on Redis.
//
//   stage6::Lock lock(server, "orders");
//   fair_queue::Lock fair(lock, server, "orders");
//   const std::lock_guard guard(fair);
//
// Gained: a waiter is not overtaken by a later one, and only the waiter whose turn it is asks the
// lock, so that a release costs the same with ten waiters and with ten thousand. The price: two
// commands more for an acquisition than the lock sends, and the line's server says in which order.
// The lock itself says who holds it, as without the line. All clients that share a key must use
// this lock: a client that bypasses it overtakes, and announces no release.
//
// Thread-safety: safe to share, like every lock.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/server.h"
#include "core/wrappers/forwarding_lock.h"
#include "production/fair_queue/line.h"

namespace fair_queue {

struct Options {
  Position position = Position::last;  // where its threads join the line
  // If one of several servers keeps the line, the longest wait for one of them: far less than a
  // lease.
  std::chrono::milliseconds patience{50};
};

class Lock : public core::ForwardingLock {
 public:
  // `lock`, whose key is `key`, is acquired and released through this alone. `server` keeps the
  // line: use the lock's own handle. Both must outlive this. In a Cluster `key` must have a hash
  // tag, so that KEY:line is in the same place:
  // https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#hash-tags
  Lock(core::Lock& lock, core::Server& server, const std::string& key, Options options = {});

  // The same of a lock on several servers: the first of `servers` that answers keeps the line. All
  // clients name them in the same order.
  Lock(core::Lock& lock, const std::vector<core::Address>& servers, const std::string& key,
       Options options = {});

  // Asks the lock once, and not the line: it may overtake.
  [[nodiscard]] core::Acquire try_acquire() override;
  [[nodiscard]] core::Acquire join(const std::string& hold_token) override;
  [[nodiscard]] core::Release release() override;

  // One long pause: a waiter is notified of its turn.
  [[nodiscard]] core::Waiting usual_waiting() const override {
    return core::Waiting::fixed(std::chrono::hours(1));
  }

 private:
  [[nodiscard]] core::Acquire try_or_enqueue() override;
  [[nodiscard]] bool pause(core::Waiting::Duration time, const std::stop_token& stop) override;
  void cancel_wait() noexcept override;

  [[nodiscard]] bool is_inside() const;
  // Another level, if the thread was inside before.
  [[nodiscard]] core::Acquire entered(core::Acquire outcome, bool was_inside);

  const Position position_;
  Line line_;
};

static_assert(core::TimedLockable<Lock>);

// A lock and its line in one object: Around<stage6::Lock> lock(server, key, options of the lock).
template <typename Inner>
struct Owned {
  template <typename... Arguments>
  explicit Owned(Arguments&&... arguments) : inner(std::forward<Arguments>(arguments)...) {}
  Inner inner;
};

template <typename Inner>
class Around : private Owned<Inner>, public Lock {
 public:
  // `handle`: to a server, or to a quorum.
  template <typename Handle, typename... Arguments>
  Around(Handle& handle, const std::string& key, Arguments&&... arguments)
      : Around(Options{}, handle, key, std::forward<Arguments>(arguments)...) {}
  template <typename Handle, typename... Arguments>
  Around(Options options, Handle& handle, const std::string& key, Arguments&&... arguments)
      : Owned<Inner>(handle, key, std::forward<Arguments>(arguments)...),
        Lock(this->inner, line_servers(handle), key, options) {}

 private:
  template <typename Handle>
  static auto& line_servers(Handle& handle) {
    if constexpr (requires { handle.nodes(); }) {
      return handle.nodes().addresses();
    } else {
      return handle;
    }
  }
};

}  // namespace fair_queue
