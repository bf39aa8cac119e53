// How long a lock is held, and how its holds are renewed. Every lock from this stage on asks here.
//
// Thread-safety: values.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/observer.h"
#include "core/redis/address.h"
#include "core/redis/script.h"

namespace stage5 {

// The choices of a lock's user. If a thread enters several times (stage 6), the outermost level
// decides whether the hold is renewed.
struct Options {
  // Set: the lock is held for at most this long, and not renewed.
  std::optional<std::chrono::milliseconds> lease = {};
  // Otherwise it has this lease, renewed every third of it,
  std::chrono::milliseconds default_lease{30'000};
  // or this often,
  std::optional<std::chrono::milliseconds> renew_every = {};
  // and no more once it has been held for this long: for work that may hang. It ends at most one
  // lease later.
  std::optional<std::chrono::milliseconds> max_hold = {};
  // Gets the events of renewals (core/wrappers/observed_lock.h reports all else); null: no
  // observer.
  std::shared_ptr<core::Observer> observer = {};
};

// How the holds of a lock are renewed: which script, on which server, how often.
struct Renewal {
  core::Address server;
  core::Script script;  // answers 1 renewed, 0 lost
  std::string key;
  std::chrono::milliseconds every{0};
  std::optional<std::chrono::milliseconds> max_hold;  // from when it was acquired; none: for ever
  std::shared_ptr<core::Observer> observer = {};      // of its answers; may be null
};

// The lease that a lock with these options asks for. Throws std::invalid_argument unless it is
// longer than 0 ms and at most 100 years.
[[nodiscard]] std::chrono::milliseconds lease_for(const Options& options);

// The renewal that a lock with these options needs; null if its lease is not renewed. Throws
// std::invalid_argument if the lease is too short to be renewed in time: less than twice the
// period, or a period of less than 10 ms.
[[nodiscard]] std::shared_ptr<const Renewal> renewal_for(const core::Address& server,
                                                         const core::Script& script,
                                                         const std::string& key,
                                                         const Options& options);

}  // namespace stage5
