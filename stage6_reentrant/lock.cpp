#include "stage6_reentrant/lock.h"

#include <utility>

#include "stage6_reentrant/identity.h"
#include "stage6_reentrant/run_twice.h"
#include "stage6_reentrant/scripts.h"
#include "stage6_reentrant/waiting/release_subscription.h"

namespace stage6 {

using std::chrono::milliseconds;

Lock::Lock(core::Server& server, std::string key, Options options)
    : NotifiedLock("stage6 " + server.address().text(), key,
                   ReleaseSubscription::of(server.address(), key)),
      server_(server),
      key_(std::move(key)),
      lease_(lease_for(options)),
      renewal_(renewal_for(server.address(), scripts::renew, key_, options)) {}

core::Acquire Lock::enter(const Entry& entry) {
  const auto asked = Clock::now();
  // Sets the depth and does not count it up, so that it can be sent twice.
  const auto reply = run_twice(server_, scripts::acquire, {key_},
                               {entry.token, participant(), std::to_string(entry.depth),
                                std::to_string(lease_.count()), entry.how(), host_and_process()});
  const milliseconds lease(reply.integer());
  if (lease == milliseconds(0)) return is_over(entry);
  if (lease < milliseconds(0)) return refused(-lease);
  const auto hold =
      entry.hold ? entry.hold : std::make_shared<Hold>(entry.token, lease, asked, renewal_);
  return entered(entry, hold, lease, asked);
}

core::Release Lock::leave(const Entry& entry) {
  // A script runs as one step, nothing comes between its comparison and its DEL:
  // https://redis.io/docs/latest/develop/programmability/eval-intro/
  const auto removed =
      server_.run(scripts::release, {key_},
                  {entry.token, participant(), std::to_string(entry.depth - 1), channel()});
  if (removed.integer() == 0) return core::Release::expired;
  if (removed.integer() == 2) return core::Release::still_held;
  return removed.integer() == 1 ? core::Release::released : core::Release::stolen;
}

std::optional<Holder> Lock::holder() {
  return holder_from(server_.run(scripts::holder, {key_}, {}));
}

bool Lock::force_release() {
  return server_.run(scripts::remove, {key_}, {channel()}).integer() == 1;
}

}  // namespace stage6
