#include "stage5_watchdog/lock.h"

#include <utility>

#include "core/error.h"
#include "core/token.h"
#include "stage5_watchdog/scripts.h"

namespace stage5 {

using std::chrono::milliseconds;

Lock::Lock(core::Server& server, std::string key, Options options)
    : server_(server),
      key_(std::move(key)),
      lease_(lease_for(options)),
      renewal_(renewal_for(server.address(), scripts::renew, key_, options)) {}

Lock::~Lock() = default;  // what the watchdog still watches here must be forgotten

core::Acquire Lock::try_acquire() {
  const auto token = core::random_token();
  const auto asked = Clock::now();
  try {
    // Sets key and lease in one step, only if the key is absent; answers nil if it was there:
    // https://redis.io/docs/latest/commands/set/
    const auto set =
        server_.command({"SET", key_, token, "NX", "PX", std::to_string(lease_.count())});
    if (!set.is_ok()) return core::Acquire::contended;
    // To be written: `renewal_` says how this hold is to be renewed, and nobody does it yet. The
    // watchdog (stage5_watchdog/watchdog.h) renews what it watches, and tells of a loss.
    hold_.set(std::make_shared<Hold>(token, lease_, asked, nullptr));
    return core::Acquire::acquired;
  } catch (const core::LostReply&) {
    roll_back(token);
    return core::Acquire::unknown;
  }
}

core::Release Lock::release() {
  const auto hold = hold_.get();
  if (!hold) return core::Release::not_held;
  try {
    const auto outcome = leave((*hold)->token());
    hold_.clear();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

std::optional<milliseconds> Lock::remaining() const {
  return std::nullopt;  // to be written: a hold knows it
}

std::stop_token Lock::lost() const {
  return {};  // to be written: a hold knows it
}

core::Release Lock::leave(const std::string& token) {
  // A script runs as one step, nothing comes between its comparison and its DEL:
  // https://redis.io/docs/latest/develop/programmability/eval-intro/
  const auto removed = server_.run(scripts::release, {key_}, {token});
  if (removed.integer() == 0) return core::Release::expired;
  return removed.integer() == 1 ? core::Release::released : core::Release::stolen;
}

void Lock::roll_back(const std::string& token) noexcept {
  try {
    (void)leave(token);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage5
