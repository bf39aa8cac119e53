// The announcements of the nodes of a quorum about one lock, and the threads that wait for them.
//
// A release is known by the token of the hold that it ended. It counts once a majority of the nodes
// has announced it: then a majority is free, or has been handed to the waiter that the release
// names. One node's word is not enough, and a node that is slow, frozen or cut off is not needed.
// An announcement that names nobody (no waiter stands in line there, or a refused acquire was
// rolled back), and every (re)subscription, tells each waiter to look for itself after a while.
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

#include "core/address.h"
#include "stage6_reentrant/subscription_thread.h"

namespace stage7 {

// A waiter as the nodes know it: "TOKEN PARTICIPANT LEASE WHO", of the hold that it is to get.
[[nodiscard]] std::string token_of(std::string_view waiter);

// The lock was handed over at one node: release.lua has put `waiter` in the place of the holder.
struct Handover {
  std::string waiter;
  std::string number;  // "1"; from stage 8 on the hold's fencing token
  std::string after;   // the waiter behind it in line, if there is one
};

class QuorumSubscription final : public stage6::Subscriber {
 public:
  using GiveBack = std::function<void(const core::Address& node, const Handover& handover)>;

  // `give_back` is called for what is handed to a waiter that waits no longer. On any thread.
  QuorumSubscription(std::size_t majority, GiveBack give_back);

  // A thread waits for the hold `token` from now on, or has it.
  void add(const std::string& token);
  // It is about to release the hold; or it has given up, and what was handed to it is given back.
  void remove(const std::string& token);
  void cancel(const std::string& token);

  // How many announcements have named nobody so far. Read it *before* asking for the lock: then
  // none between the two is missed.
  [[nodiscard]] std::uint64_t generation() const;

  // Waits until a majority has announced a release that names `token`. Otherwise for `limit`; once
  // `generation()` is greater than `generation`, for a head start: a waiter that is named comes
  // first, and those that are not do not come back together. Or until `stop` is requested.
  void wait(const std::string& token, std::uint64_t generation, std::chrono::microseconds limit,
            const std::stop_token& stop);

  // Has a majority handed the lock to `token`? The number of that hand-over. It is returned once:
  // the caller has the hold then. Otherwise the caller asks all nodes for it, and what some of them
  // have handed over already is part of that.
  [[nodiscard]] std::optional<std::string> take_over(const std::string& token);

  // The waiter that a release of this process is to name, if one is known: the one behind the last
  // waiter of this process that got the lock, unless that was long ago. Returned once.
  [[nodiscard]] std::string next_waiter();

  void receive(const core::Address& node, std::string_view message) override;

  // The lead of a waiter that is named over the others, at least.
  static constexpr std::chrono::milliseconds head_start{20};
  // Up to one head start, at random: those that wait for that long do not come back together.
  [[nodiscard]] static std::chrono::microseconds random_pause();

 private:
  using Clock = std::chrono::steady_clock;
  struct Release {
    std::string hold;
    std::set<core::Address> nodes;            // that have announced it
    std::string waiter;                       // that it names
    std::map<core::Address, Handover> given;  // at which nodes it was handed over
    bool is_over = false;                     // taken over, or asked for
  };

  // These need the mutex.
  [[nodiscard]] Release& release_of(std::string_view hold);
  [[nodiscard]] Release* release_to(const std::string& token);
  [[nodiscard]] bool is_named(const std::string& token);

  const std::size_t majority_;
  const GiveBack give_back_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::uint64_t generation_ = 0;  // these are guarded by mutex_
  std::set<std::string> tokens_;  // of waiters, and of their holds
  std::deque<Release> releases_;  // the last few
  std::string next_waiter_;
  Clock::time_point next_heard_;
};

}  // namespace stage7
