// How the threads of this process wait for a lock on a quorum, without asking again and again.
//
// A waiter stands in line at one node (enqueue.lua): the first that answers, the same for all as
// long as it does. So there is one order, and no vote is split. Who comes next is told by the nodes
// at each release, and the holder, who is alone, hands the lock over: it was told of the waiter
// behind it when it got the lock, and names that one in its release, at every node the same. Where
// a majority has handed it over, the new holder asks nobody.
//
// The line is only a hint: who holds the lock is what a majority of the nodes says. If the line is
// lost, or an announcement is, or the next waiter does not come, the others look for themselves: a
// while after a release of which they hear, or when the lease of the holder is over.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/outcome.h"
#include "core/per_thread.h"
#include "core/redis/script.h"
#include "core/token.h"
#include "stage5_watchdog/hold.h"
#include "stage6_reentrant/subscription_thread.h"
#include "stage7_redlock/quorum.h"
#include "stage7_redlock/quorum_hold.h"
#include "stage7_redlock/quorum_subscription.h"

namespace stage7 {

class WaitingLine {
 public:
  // The line of this process for `key`; lock objects of one stage on the same quorum share it.
  // `release`: its script, whose keys are the lock, the waiters, and then `more_keys`.
  [[nodiscard]] static std::shared_ptr<WaitingLine> of(
      const std::string& stage, const Quorum& quorum, const std::string& key, core::Script release,
      const std::vector<std::string>& more_keys = {});

  WaitingLine(const Quorum& quorum, const std::string& key, core::Script release,
              const std::vector<std::string>& more_keys);
  ~WaitingLine();
  WaitingLine(const WaitingLine&) = delete;
  WaitingLine& operator=(const WaitingLine&) = delete;

  // The key of the waiters that stand in line, a sorted set.
  [[nodiscard]] const std::string& waiters() const { return waiters_; }
  // The channel of releases. What concerns a waiter of this line comes on CHANNEL:LISTENER.
  [[nodiscard]] const std::string& channel() const { return channel_; }

  // One try of a thread that waits: `enter` asks all nodes for the hold that it names. In a crowd a
  // newcomer only takes its place in line, at one node. `lease`: what the thread asks for.
  [[nodiscard]] core::Acquire try_or_enqueue(
      Quorum& quorum, std::chrono::milliseconds lease,
      const std::function<core::Acquire(const std::string& token)>& enter);

  // Between two tries. False once `stop` is requested.
  [[nodiscard]] bool pause(std::chrono::microseconds time, const std::stop_token& stop);
  // The calling thread was refused; a majority will be free after `busy_for`, if not before.
  void refused(std::chrono::milliseconds busy_for);
  // The calling thread waits no longer.
  void cancel_wait();

  // Was the hold `token` handed over to the calling thread by a majority? Its lease counts from
  // before any node knew that token. Nothing, too, if much of the lease is over since then: then
  // all nodes are asked for it, and it counts anew.
  struct Handed {
    stage5::Clock::time_point since;
    std::string number;  // from stage 8 on its fencing token
  };
  [[nodiscard]] std::optional<Handed> handed_over(const std::string& token,
                                                  std::chrono::milliseconds lease) const;

  // The hold `token` is about to be released. The waiter to hand it to; empty: none is known.
  [[nodiscard]] std::string begin_release(const std::string& token);
  // It was, with that outcome, which is returned.
  core::Release end_release(const std::string& token, core::Release outcome);

 private:
  // A wait of one thread.
  struct Wait {
    std::string token;                // of the hold that it is to get
    stage5::Clock::time_point since;  // before any node knew that token
    std::string earlier_entry = {};   // of an earlier try, which may still stand in line
    std::uint64_t generation = 0;     // of the announcements, before its last try
    std::chrono::microseconds limit;  // of its pause
  };

  void subscribe();
  // A wait that begins.
  [[nodiscard]] Wait start();
  // The calling thread was refused. What is rolled back may still be on its way to a node: it must
  // not meet the same token there again. The place in line stays.
  void take_new_token(std::chrono::milliseconds lease);
  // As the nodes know it.
  [[nodiscard]] std::string text_of(const Wait& wait, std::chrono::milliseconds lease) const;
  // Takes a place in line. False: the lock is free, or no node has answered.
  [[nodiscard]] bool enqueue(Quorum& quorum, const Wait& wait, std::chrono::milliseconds lease);

  const std::shared_ptr<const Nodes> nodes_;
  const std::string key_;
  const std::string waiters_;
  const std::string channel_;
  const std::string listener_ = core::random_token();
  const std::shared_ptr<QuorumSubscription> subscription_;
  std::once_flag subscribed_;
  std::shared_ptr<stage6::SubscriptionThread> thread_;
  std::atomic<bool> is_crowded_{false};  // the last one that came had to wait
  core::PerThread<Wait> wait_;           // the calling thread's
};

}  // namespace stage7
