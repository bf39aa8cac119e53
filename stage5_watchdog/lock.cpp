#include "stage5_watchdog/lock.h"

#include <stdexcept>
#include <utility>

#include "core/error.h"
#include "core/lease.h"
#include "core/token.h"
#include "stage5_watchdog/scripts.h"

namespace stage5 {

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

}  // namespace

Lock::Lock(core::Server& server, std::string key, Options options)
    : server_(server),
      key_(std::move(key)),
      lease_(core::checked_lease(options.lease.value_or(options.default_lease))),
      renewal_(renewal_of(server, key_, options)) {}

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
    if (hold->remaining() == std::chrono::milliseconds(0)) {
      take_back(token);
      return core::Acquire::unknown;
    }
    if (const auto outlived = hold_.get()) watchdog_->forget(*outlived);
    watchdog_->watch(hold);
    hold_.set(hold);
    return core::Acquire::acquired;
  } catch (const core::LostReply&) {
    take_back(token);
    return core::Acquire::unknown;
  }
}

core::Release Lock::release() {
  const auto hold = hold_.get();
  if (!hold) return core::Release::not_held;
  watchdog_->renew_no_more(*hold);
  try {
    const auto outcome = remove((*hold)->token());
    watchdog_->forget(*hold);
    hold_.clear();
    return outcome;
  } catch (const core::LostReply&) {
    return core::Release::unknown;
  }
}

std::optional<std::chrono::milliseconds> Lock::remaining() const {
  const auto hold = hold_.get();
  return hold ? std::optional((*hold)->remaining()) : std::nullopt;
}

std::stop_token Lock::lost() const {
  const auto hold = hold_.get();
  return hold ? (*hold)->lost() : std::stop_token{};
}

core::Release Lock::remove(const std::string& token) {
  // A script runs as one step, nothing comes between its comparison and its DEL:
  // https://redis.io/docs/latest/develop/programmability/eval-intro/
  const auto removed = server_.run(scripts::release, {key_}, {token});
  if (removed.integer() == 0) return core::Release::expired;
  return removed.integer() == 1 ? core::Release::released : core::Release::stolen;
}

void Lock::take_back(const std::string& token) noexcept {
  try {
    (void)remove(token);
  } catch (const core::ServerError&) {  // the lease will do it
  }
}

}  // namespace stage5
