#include "production/fair_queue/lock.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/run_twice.h"
#include "stage6_reentrant/scripts.h"

namespace fair_queue {

using std::chrono::milliseconds;

Lock::Lock(core::Server& server, std::string key, Options options, Position position)
    : ReentrantLock("fair_queue " + server.address().text(), key),
      server_(server),
      key_(std::move(key)),
      lease_(lease_for(options)),
      renewal_(renewal_for(server.address(), stage6::scripts::renew, key_, options)),
      queue_(server, key_, lease_, position) {}

core::Acquire Lock::enter(const Entry& entry) {
  const auto asked = Clock::now();
  // A hold that is there is entered as in stage 6; only a new one has to do with the queue.
  const milliseconds lease(
      entry.begins ? queue_.enter(entry.token, Queue::IfRefused::leave)
                   : stage6::run_twice(
                         server_, stage6::scripts::acquire, {key_},
                         {entry.token, stage6::participant(), std::to_string(entry.depth),
                          std::to_string(lease_.count()), entry.how(), stage6::host_and_process()})
                         .integer());
  if (lease == milliseconds(0)) return is_over(entry);
  if (lease <= milliseconds(0)) return core::Acquire::contended;
  const auto hold =
      entry.hold ? entry.hold : std::make_shared<Hold>(entry.token, lease, asked, renewal_);
  return entered(entry, hold, lease, asked);
}

core::Release Lock::leave(const Entry& entry) {
  const auto removed =
      entry.depth == 1
          ? queue_.leave(entry.token)
          : server_
                .run(stage6::scripts::release, {key_},
                     {entry.token, stage6::participant(), std::to_string(entry.depth - 1), ""})
                .integer();
  if (removed == 0) return core::Release::expired;
  if (removed == 2) return core::Release::still_held;
  return removed == 1 ? core::Release::released : core::Release::stolen;
}

core::Acquire Lock::try_or_enqueue() {
  if (!finish_release()) return core::Acquire::unknown;
  if (held_by_this_thread()) return try_acquire();
  auto wait = wait_.get().value_or(Wait{});
  if (!wait.waiter) wait.waiter = queue_.make_waiter();
  wait.generation = wait.waiter->generation();
  wait_.set(wait);
  if (const auto since = wait.waiter->take_over()) {
    // Handed over longer than a lease ago, to a thread that was asleep, it is somebody else's by
    // now.
    const auto left = core::local_deadline(*since, lease_) - Clock::now();
    if (left >= milliseconds(1)) return record_waiter(wait.waiter, lease_, *since);
  }
  return ask_or_enqueue(std::move(wait));
}

core::Acquire Lock::ask_or_enqueue(Wait wait) {
  const auto asked = Clock::now();
  try {
    const auto& token = wait.waiter->token();
    const milliseconds lease(queue_.enter(token, Queue::IfRefused::wait));
    if (lease > milliseconds(0)) return record_waiter(wait.waiter, lease, asked);
    wait.lease_left = -lease;
    wait_.set(std::move(wait));
    return core::Acquire::contended;
  } catch (const core::LostReply&) {
    cancel_wait();
    return core::Acquire::unknown;
  } catch (const core::ServerError&) {
    wait_.clear();
    throw;
  }
}

core::Acquire Lock::record_waiter(const std::shared_ptr<Waiter>& waiter, milliseconds lease,
                                  Clock::time_point asked) {
  wait_.clear();
  return entered({.token = waiter->token(), .begins = true},
                 std::make_shared<QueuedHold>(waiter, lease, asked, renewal_), lease, asked);
}

bool Lock::pause(core::Waiting::Duration time, const std::stop_token& stop) {
  const auto wait = wait_.get();
  if (!wait) return core::Lock::pause(std::min<core::Waiting::Duration>(time, lease_), stop);
  // Since the last try the lock may have been handed to a waiter with a shorter lease, who died.
  const auto limit = std::min<core::Waiting::Duration>({time, wait->lease_left, lease_});
  queue_.wait(*wait->waiter, wait->generation, limit, stop);
  return !stop.stop_requested();
}

void Lock::cancel_wait() noexcept {
  const auto wait = wait_.get();
  if (!wait) return;
  wait_.clear();
  try {
    queue_.give_up(wait->waiter->token());
  } catch (const core::ServerError&) {  // a hold that is handed to nobody is passed on
  }
}

std::optional<Holder> Lock::holder() {
  return stage6::holder_from(server_.run(stage6::scripts::holder, {key_}, {}));
}

bool Lock::force_release() {
  return queue_.remove();
}

}  // namespace fair_queue
