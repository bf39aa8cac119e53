#include "stage5_watchdog/lock.h"

#include <utility>

#include "core/error.h"
#include "core/token.h"

namespace stage5 {

using std::chrono::milliseconds;

Lock::Lock(core::Server& server, std::string key, Options options)
    : server_(server),
      key_(std::move(key)),
      lease_(lease_for(options)),
      renewal_(renewal_for(server.address(), /*script=*/{}, key_, options)) {}

Lock::~Lock() {
  for (const auto& [thread, hold] : hold_.take_all()) watchdog_->forget(hold);
}

core::Acquire Lock::try_acquire() {
  const auto token = core::random_token();
  const auto asked = Clock::now();
  try {
    // Sets key and lease in one step, only if the key is absent; answers nil if it was there:
    // https://redis.io/docs/latest/commands/set/
    const auto set =
        server_.command({"SET", key_, token, "NX", "PX", std::to_string(lease_.count())});
    if (!set.is_ok()) return core::Acquire::contended;
    const auto hold = std::make_shared<Hold>(token, lease_, asked, renewal_);
    if (hold->remaining() == milliseconds(0)) {
      roll_back(token);
      return core::Acquire::unknown;
    }
    if (const auto outlived = hold_.get()) watchdog_->forget(*outlived);
    watchdog_->watch(hold);
    hold_.set(hold);
    return core::Acquire::acquired;
  } catch (const core::LostReply&) {
    roll_back(token);
    return core::Acquire::unknown;
  }
}

core::Release Lock::release() {
  const auto hold = hold_.get();
  if (!hold) return core::Release::not_held;
  watchdog_->stop_renewing(*hold);
  try {
    const auto outcome = leave((*hold)->token());
    watchdog_->forget(*hold);
    hold_.clear();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

std::optional<milliseconds> Lock::remaining() const {
  return hold_.look([](const auto& hold) { return std::optional(hold->remaining()); });
}

std::stop_token Lock::lost() const {
  return hold_.look([](const auto& hold) { return hold->lost(); });
}

core::Release Lock::leave(const std::string& token) {
  // Removes the key if its value is the token, as one step. Its 0 means that the hold is over, and
  // not whether another client has the lock now: https://redis.io/docs/latest/commands/delex/
  const auto removed = server_.command({"DELEX", key_, "IFEQ", token});
  if (removed.integer() == 1) return core::Release::released;
  const auto holder = server_.command({"GET", key_});
  return holder.is_nil() ? core::Release::expired : core::Release::stolen;
}

void Lock::roll_back(const std::string& token) noexcept {
  try {
    (void)leave(token);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage5
