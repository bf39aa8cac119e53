// One hold of a lock, from being acquired to being given back or lost, as its holder sees it.
//
// The holder's own deadline is counted from *before* the command that set or renewed the lease was
// sent, less a margin for clocks that run at different speeds: so it falls before the server's.
//
// Thread-safety: safe to share.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/redis/address.h"
#include "core/redis/script.h"
#include "stage5_watchdog/renewal.h"

namespace stage5 {

using Clock = std::chrono::steady_clock;

class Hold;

// The outcome of a renewal.
enum class Renewed {
  renewed,  // the lease counts from when it was asked for
  lost,     // the server says that this hold is over
  unknown,  // no answer, or an error: try again
};

// Called with an outcome on the watchdog's thread: must be quick.
using OnOutcome = std::function<void(Renewed)>;

// A script to run at a server, about a hold.
struct Question {
  std::shared_ptr<const Hold> hold;
  core::Script script;
  std::vector<std::string> keys;
  std::vector<std::string> arguments;
  OnOutcome answered = [](Renewed) {};
};
using Ask = std::function<void(const core::Address& server, Question question)>;

class Hold : public std::enable_shared_from_this<Hold> {
 public:
  // `asked`: just before the acquiring command was sent. Without a `renewal` the hold ends with its
  // lease.
  Hold(std::string token, std::chrono::milliseconds lease, Clock::time_point asked,
       std::shared_ptr<const Renewal> renewal);
  virtual ~Hold() = default;
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  [[nodiscard]] const std::string& token() const { return token_; }

  // The rest of the lease by the holder's own clock; 0 once the hold is lost.
  [[nodiscard]] std::chrono::milliseconds remaining() const;

  // The lock was asked for again at `asked`, and granted for `lease`. A longer lease that was
  // granted before counts on, and renewals ask for the longest.
  void extend(std::chrono::milliseconds lease, Clock::time_point asked);

  // Stop is requested when the hold is lost: a renewal's reply said so, or the lease has run out.
  [[nodiscard]] std::stop_token lost() const { return lost_.get_token(); }

  // How it is renewed; null: not at all. For how long it is not asked for any more.
  [[nodiscard]] const Renewal* renewal() const { return renewal_.get(); }
  [[nodiscard]] bool renewal_stopped() const { return renewal_stopped_.load(); }

 protected:
  // Asks for a renewal, and calls `settle` with its outcome, once. On the watchdog's thread.
  virtual void renew(const Ask& ask, const OnOutcome& settle);

  [[nodiscard]] std::chrono::milliseconds lease() const { return lease_.load(); }

 private:
  friend class Watchdog;

  [[nodiscard]] bool may_be_renewed() const {
    return renewal_ && !renewal_pending_ && !renewal_stopped_;
  }
  // Is it due, or so soon that it may go along with others that are due now? The one after it comes
  // no sooner for that.
  [[nodiscard]] bool is_due(Clock::time_point now) const {
    return may_be_renewed() && next_renewal_ <= now + renewal_->every / 64;
  }
  // The next renewal is due at `time`, unless the hold has lasted too long by then.
  void renew_at(Clock::time_point time);
  // It is held for `lease` from `asked` on, or longer.
  void count_from(Clock::time_point asked, std::chrono::milliseconds lease);
  [[nodiscard]] Clock::time_point ends() const { return ends_.load(); }

  const std::string token_;
  std::atomic<std::chrono::milliseconds> lease_;
  const std::shared_ptr<const Renewal> renewal_;
  const Clock::time_point acquired_;
  std::atomic<Clock::time_point> ends_;
  std::stop_source lost_;
  std::atomic<bool> renewal_stopped_{false};
  // The watchdog's notes, guarded by its mutex.
  Clock::time_point next_renewal_;
  Clock::time_point scheduled_;
  bool watched_ = false;
  bool renewal_pending_ = false;  // a renewal was sent and is not answered yet
};

}  // namespace stage5
