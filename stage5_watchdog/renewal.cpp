#include "stage5_watchdog/renewal.h"

#include <stdexcept>

#include "core/lease.h"

namespace stage5 {

std::chrono::milliseconds lease_for(const Options& options) {
  return core::checked_lease(options.lease.value_or(options.default_lease));
}

std::shared_ptr<const Renewal> renewal_for(const core::Address& server, const core::Script& script,
                                           const std::string& key, const Options& options) {
  if (options.lease) return nullptr;
  const auto every = options.renew_every.value_or(options.default_lease / 3);
  constexpr std::chrono::milliseconds shortest{10};
  if (every < shortest || every > options.default_lease / 2) {
    throw std::invalid_argument("the lease is too short to be renewed in time");
  }
  return std::make_shared<const Renewal>(Renewal{.server = server.for_key(key),
                                                 .script = script,
                                                 .key = key,
                                                 .every = every,
                                                 .max_hold = options.max_hold,
                                                 .observer = options.observer});
}

}  // namespace stage5
