#include "stage6_reentrant/lock.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"
#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/scripts.h"

namespace stage6 {

using stage5::Clock;
using stage5::Hold;
using stage5::Renewal;
using std::chrono::milliseconds;

namespace {

std::shared_ptr<const Renewal> renewal_of(const core::Server& server, const std::string& key,
                                          const Options& options) {
  if (options.lease) return nullptr;
  const auto every = options.renew_every.value_or(options.default_lease / 3);
  constexpr std::chrono::milliseconds shortest{10};
  if (every < shortest || every > options.default_lease / 2) {
    throw std::invalid_argument("the lease is too short to be renewed in time");
  }
  return std::make_shared<const Renewal>(Renewal{.server = server.address(),
                                                 .script = scripts::renew,
                                                 .key = key,
                                                 .every = every,
                                                 .max_hold = options.max_hold});
}

std::string channel_of(const std::string& key) {
  return key + ":released";
}

std::unique_ptr<Queue> queue_of(core::Server& server, const std::string& key, milliseconds lease,
                                const WayToWait& waiting) {
  const auto* queued = std::get_if<Queued>(&waiting);
  return queued == nullptr ? nullptr : std::make_unique<Queue>(server, key, lease, *queued);
}

}  // namespace

Lock::Lock(core::Server& server, std::string key, Options options)
    : server_(server),
      key_(std::move(key)),
      lease_(core::checked_lease(options.lease.value_or(options.default_lease))),
      renewal_(renewal_of(server, key_, options)),
      levels_(Levels::of("stage6 " + server.address().text(), key_)),
      waiting_(options.waiting),
      queue_(queue_of(server, key_, lease_, waiting_)) {}

core::Acquire Lock::try_acquire() {
  const auto inside = levels_->innermost();
  // Whoever is on his way out does not enter once more.
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : try_acquire();
  }
  const bool again = inside && inside->hold->remaining() > milliseconds(0);
  const auto token = again ? inside->hold->token() : core::random_token();
  const int depth = again ? inside->depth + 1 : 1;
  const auto heard = levels_->rung();
  const auto asked = Clock::now();
  try {
    const auto lease = milliseconds(enter(token, depth, again ? "join" : "begin"));
    if (again && lease == milliseconds(0)) {
      watchdog_->lose(inside->hold);
      return try_acquire();
    }
    if (lease < milliseconds(0)) {
      refusal_.set({.heard = heard, .lease_left = -lease});
      return core::Acquire::contended;
    }
    if (again) inside->hold->extend(lease, asked);
    return entered(again ? inside->hold : std::make_shared<Hold>(token, lease, asked, renewal_),
                   depth);
  } catch (const core::LostReply&) {
    take_back(token, depth - 1);
    return core::Acquire::unknown;
  }
}

core::Release Lock::release() {
  const auto inside = levels_->innermost();
  if (!inside) return core::Release::not_held;
  const bool outermost = inside->depth == 1;
  if (outermost) watchdog_->renew_no_more(inside->hold);
  levels_->begin_to_leave();
  try {
    const auto outcome = leave(inside->hold->token(), inside->depth - 1);
    if (outermost) watchdog_->forget(inside->hold);
    levels_->leave();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

std::optional<milliseconds> Lock::remaining() const {
  const auto inside = levels_->innermost();
  return inside ? std::optional(inside->hold->remaining()) : std::nullopt;
}

std::stop_token Lock::lost() const {
  const auto inside = levels_->innermost();
  return inside ? inside->hold->lost() : std::stop_token{};
}

bool Lock::held_by_this_thread() const {
  const auto inside = levels_->innermost();
  return inside && !inside->leaving && inside->hold->remaining() > milliseconds(0);
}

int Lock::hold_count() const {
  const auto inside = levels_->innermost();
  return inside ? inside->depth : 0;
}

std::optional<std::string> Lock::hold_token() const {
  const auto inside = levels_->innermost();
  return inside ? std::optional(inside->hold->token()) : std::nullopt;
}

core::Acquire Lock::join(const std::string& hold_token) {
  const auto inside = levels_->innermost();
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : join(hold_token);
  }
  const bool again = inside && inside->hold->token() == hold_token;
  const int depth = again ? inside->depth + 1 : 1;
  const auto asked = Clock::now();
  try {
    const auto lease = milliseconds(enter(hold_token, depth, "join"));
    if (lease <= milliseconds(0)) {
      if (again) watchdog_->lose(inside->hold);
      return core::Acquire::contended;
    }
    if (again) inside->hold->extend(lease, asked);
    return entered(
        again ? inside->hold : std::make_shared<Hold>(hold_token, lease, asked, renewal_), depth);
  } catch (const core::LostReply&) {
    take_back(hold_token, depth - 1);
    return core::Acquire::unknown;
  }
}

core::Waiting Lock::usual_waiting() const {
  if (const auto* polling = std::get_if<Polling>(&waiting_)) return *polling;
  // A pause ends with word of a release, or with the lease of who holds the lock.
  return core::Waiting::fixed(std::chrono::hours(1));
}

std::optional<Holder> Lock::holder() {
  const auto told = server_.run(scripts::holder, {key_}, {});
  if (told.parts() == 0) return std::nullopt;
  return Holder{.who = std::string(told.text(0)),
                .since = std::chrono::sys_seconds(std::chrono::seconds(told.integer(1))),
                .lease_left = milliseconds(std::max(told.integer(2), 0LL))};
}

bool Lock::force_release() {
  if (queue_) return queue_->remove();
  return server_.run(scripts::remove, {key_}, {channel_of(key_)}).integer() == 1;
}

core::Acquire Lock::try_in_line() {
  const auto inside = levels_->innermost();
  // Whoever is on his way out does not stand in line behind himself.
  if (inside && inside->leaving) {
    return release() == core::Release::unknown ? core::Acquire::unknown : try_in_line();
  }
  if (!queue_ || held_by_this_thread()) return try_acquire();
  auto place = place_.get().value_or(nullptr);
  if (!place) place_.set(place = queue_->take_place());
  const auto heard = place->called();
  if (const auto since = place->take_over()) {
    // Handed over a lease ago to one who was asleep, it is somebody else's by now.
    const auto hold = std::make_shared<QueuedHold>(place, lease_, *since, renewal_);
    if (hold->remaining() > milliseconds(0)) return came_in(hold);
  }
  const auto asked = Clock::now();
  try {
    const auto lease = milliseconds(enter(place->token(), 1, "wait"));
    if (lease > milliseconds(0)) {
      return came_in(std::make_shared<QueuedHold>(place, lease, asked, renewal_));
    }
    refusal_.set({.heard = heard, .lease_left = -lease});
    return core::Acquire::contended;
  } catch (const core::LostReply&) {
    leave_line();
    return core::Acquire::unknown;
  } catch (const core::ServerError&) {
    place_.clear();
    throw;
  }
}

bool Lock::pause(core::Waiting::Duration time, const std::stop_token& stop) {
  if (std::holds_alternative<Polling>(waiting_)) return core::Lock::pause(time, stop);
  const auto refused = refusal_.get().value_or(Refusal{});
  const auto limit = std::min<core::Waiting::Duration>(time, refused.lease_left);
  if (const auto place = place_.get()) {
    // Since then the lock may have been handed to one whose lease is shorter, and who died.
    queue_->wait(**place, refused.heard, std::min<core::Waiting::Duration>(limit, lease_), stop);
  } else {
    levels_->bell(server_.address(), channel_of(key_))->wait(refused.heard, limit, stop);
  }
  return !stop.stop_requested();
}

void Lock::leave_anyway() {
  if (hold_count() > 1) levels_->leave();
}

void Lock::leave_line() noexcept {
  const auto place = place_.get();
  if (!place) return;
  place_.clear();
  try {
    queue_->give_up((*place)->token());
  } catch (const core::ServerError&) {  // what is handed to nobody is passed on
  }
}

core::Acquire Lock::came_in(std::shared_ptr<Hold> hold) {
  place_.clear();
  return entered(std::move(hold), 1);
}

long long Lock::enter(const std::string& token, int depth, std::string_view how) {
  const auto ask = [&] {
    if (queue_ && how != "join") {
      return queue_->enter(token, how == "wait" ? Queue::Then::waits : Queue::Then::goes);
    }
    return server_
        .run(scripts::acquire, {key_},
             {token, participant(), std::to_string(depth), std::to_string(lease_.count()), how,
              host_and_process()})
        .integer();
  };
  try {
    return ask();
  } catch (const core::LostReply&) {
  }
  // The script sets what it sets: a second time does no harm, and brings the answer.
  try {
    return ask();
  } catch (const core::ServerError& error) {
    throw core::LostReply(error.what());
  }
}

core::Acquire Lock::entered(std::shared_ptr<Hold> hold, int depth) {
  if (hold->remaining() == milliseconds(0)) {
    take_back(hold->token(), depth - 1);
    return core::Acquire::unknown;
  }
  if (depth == 1) watchdog_->watch(hold);
  levels_->enter({.hold = std::move(hold), .depth = depth});
  return core::Acquire::acquired;
}

core::Release Lock::leave(const std::string& token, int depth) {
  // A script runs as one step, nothing comes between its comparison and its DEL:
  // https://redis.io/docs/latest/develop/programmability/eval-intro/
  const auto left = queue_ && depth == 0
                        ? queue_->leave(token)
                        : server_
                              .run(scripts::release, {key_},
                                   {token, participant(), std::to_string(depth), channel_of(key_)})
                              .integer();
  if (left == 0) return core::Release::expired;
  if (left == 2) return core::Release::still_held;
  return left == 1 ? core::Release::released : core::Release::stolen;
}

void Lock::take_back(const std::string& token, int depth) noexcept {
  try {
    (void)leave(token, depth);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage6
