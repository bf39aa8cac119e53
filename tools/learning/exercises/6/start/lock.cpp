#include "stage6_reentrant/lock.h"

#include <utility>

#include "core/token.h"
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
  // To be written: a thread that is inside already (`entry.hold`) enters the hold that it has, one
  // level deeper: `entry` says it all. As it is, it asks for a new hold, and waits for itself.
  const auto token = core::random_token();
  const auto reply = run_twice(
      server_, scripts::acquire, {key_},
      {token, participant(), "1", std::to_string(lease_.count()), "begin", host_and_process()});
  const milliseconds lease(reply.integer());
  if (lease == milliseconds(0)) return is_over(entry);
  if (lease < milliseconds(0)) return refused(-lease);
  const auto hold = std::make_shared<Hold>(token, lease, asked, renewal_);
  return entered({.token = token}, hold, lease, asked);
}

core::Release Lock::leave(const Entry& entry) {
  // To be written: only the outermost level (`entry.depth`) ends the hold.
  // A script runs as one step, nothing comes between its comparison and its DEL:
  // https://redis.io/docs/latest/develop/programmability/eval-intro/
  const auto removed =
      server_.run(scripts::release, {key_}, {entry.token, participant(), "0", channel()});
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
