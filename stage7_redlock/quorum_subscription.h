// The announcements of the nodes of a quorum about one lock, and the threads that wait for them.
//
// A release is known by the token of the hold that it ended. It counts once a majority of the nodes
// has announced it: then a majority is free, or has been handed to the waiter that the release
// names. One node's word is not enough, and a node that is slow, frozen or cut off is not needed.
// An announcement that names nobody (no waiter stands in line there, or a refused acquire was
// rolled back), and every (re)subscription, makes each waiter look for itself after a while.
//
// Thread-safety: safe to share.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/redis/address.h"
#include "stage6_reentrant/subscription_thread.h"

namespace stage7 {

// A waiter as the nodes know it: "TOKEN LISTENER PARTICIPANT LEASE WHO", of the hold that it is to
// get, and the channel of its own on which its process listens.
[[nodiscard]] std::string token_of(std::string_view waiter);
[[nodiscard]] std::string participant_of(std::string_view waiter);

// An announcement of release.lua at one node: the lock is handed to `waiter`, or free and `waiter`
// is told so.
struct Announcement {
  std::string waiter;  // empty: nobody stands in line there
  std::string number;  // "0": told; otherwise handed, from stage 8 on with this fencing token
  std::string behind;  // the waiter behind it in line, if there is one

  [[nodiscard]] bool is_handed() const { return !number.empty() && number != "0"; }
};

class QuorumSubscription final : public stage6::Subscriber {
 public:
  using GiveBack = std::function<void(const core::Address& node, const Announcement& named)>;

  // `give_back` is called where a release has named a waiter that waits no longer: somebody else
  // is to have the lock, or to be told. On any thread.
  QuorumSubscription(std::size_t majority, GiveBack give_back);

  // A thread waits for the hold `token` from now on.
  void add(const std::string& token);
  // The thread has given up: where `token` was named, the lock is given back.
  void cancel(const std::string& token);
  // The thread has asked with `token` and was refused: what was handed to it is given back.
  void refused(const std::string& token);

  // The hold `token` is about to be released. Returns the waiter that the release is to name: the
  // one behind it in line, unless that was heard long ago: then it may be gone.
  [[nodiscard]] std::string begin_release(const std::string& token);
  // It was, and the hold is over, or others are still inside. What is handed to a hold that is over
  // is given back.
  void end_release(const std::string& token, bool is_over);

  // How many announcements have named nobody so far. Read it *before* asking for the lock: then
  // none between the two is missed.
  [[nodiscard]] std::uint64_t generation() const;

  // Waits until a majority has announced a release that names `token`. Otherwise for `limit`; once
  // `generation()` is greater than `generation`, for a head start: a waiter that is named comes
  // first, and those that are not do not come back together. Or until `stop` is requested.
  void wait(const std::string& token, std::uint64_t generation, std::chrono::microseconds limit,
            const std::stop_token& stop);

  // Has a majority handed the lock to `token`? The number of that hand-over.
  [[nodiscard]] std::optional<std::string> handed_over(const std::string& token) const;

  void receive(const core::Address& node, std::string_view message) override;

  // The lead of a waiter that is named over the others, at least.
  static constexpr std::chrono::milliseconds head_start{20};
  // Up to one head start, at random: those that wait for that long do not come back together.
  [[nodiscard]] static std::chrono::microseconds random_pause();

 private:
  using Clock = std::chrono::steady_clock;
  using Announcements = std::map<core::Address, Announcement>;
  // The announcements of one release to one waiter of this process. At each node the release may
  // name another one.
  struct Named {
    Announcements at = {};
    std::set<core::Address> late = {};  // of those, while the waiter's own hold was being released
    std::string behind = {};            // the waiter behind it
    Clock::time_point heard = {};       // of that
  };
  struct Announced {
    std::string hold = {};                      // that was released
    std::set<core::Address> nodes = {};         // that have announced it
    std::map<std::string, Named> waiters = {};  // by token
  };

  // Nobody waits for `token` any more: gives back what others are to have of it. Takes the mutex.
  void give_back_of(
      const std::string& token,
      const std::function<bool(const Named&, const Announcements::value_type&)>& concerns_others);

  // These need the mutex.
  [[nodiscard]] Announced& announced(std::string_view hold);
  [[nodiscard]] bool is_named(const std::string& token) const;
  // Takes out what was announced to `token`, for which nobody waits any more.
  [[nodiscard]] std::vector<Named> forget(const std::string& token);

  const std::size_t majority_;
  const GiveBack give_back_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t generation_ = 0;  // these are guarded by mutex_
  // Of waiters, and of their holds; with: is it being released?
  std::map<std::string, bool> tokens_;
  std::deque<Announced> releases_;  // the last few
};

}  // namespace stage7
