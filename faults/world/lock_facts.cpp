#include "faults/world/lock_facts.h"

#include <algorithm>

namespace faults {

using std::chrono::milliseconds;

namespace {

// A renewal that is sent `period` after the last one, of the lease that ends after `whole`: how
// long that lease has to be if `needed` is to fit between the two. 0: no lease is long enough.
milliseconds lease_with_room(const LockFacts::Renewal& renewal, milliseconds needed) {
  if (needed == Unanswered::never) return milliseconds(0);
  if (!renewal.after) return milliseconds(0);  // the room is the same in every lease
  constexpr double spare = 1.1;
  const auto whole = spare * needed / (1 - *renewal.after);
  return std::chrono::round<milliseconds>(whole);
}

}  // namespace

bool LockFacts::promises(std::string_view word) const {
  return std::find(capabilities.begin(), capabilities.end(), word) != capabilities.end();
}

std::string LockFacts::key_of(std::string_view name) const {
  if (!key) return {};
  const auto at = key->find("%s");
  return at == std::string::npos ? *key : std::string(*key).replace(at, 2, name);
}

milliseconds LockFacts::fitting_lease(milliseconds wanted) const {
  auto lease = std::max(wanted, shortest_lease);
  if (renewal) lease = std::max(lease, renewal->shortest_lease);
  return (lease + granularity - milliseconds(1)) / granularity * granularity;
}

milliseconds LockFacts::renewal_period(milliseconds lease) const {
  if (!renewal) return milliseconds(0);
  if (!renewal->after) return std::max(milliseconds(1), lease - renewal->before_end);
  return std::chrono::round<milliseconds>(*renewal->after * lease);
}

milliseconds LockFacts::gives_up_after() const {
  const auto after = unanswered ? unanswered->after : Unanswered::never;
  return after <= longest_try ? after : milliseconds(0);
}

milliseconds LockFacts::lease_that_outlasts_a_loss() const {
  if (!unanswered || unanswered->one_lost() == Unanswered::never) return milliseconds(0);
  const auto again = unanswered->one_lost();
  const auto room = renewal ? lease_with_room(*renewal, again) : milliseconds(0);
  return std::max(2 * again, room);
}

milliseconds LockFacts::lease_told_after(milliseconds delay) const {
  if (!renewal || delay == milliseconds(0)) return milliseconds(0);
  return std::min({lease_with_room(*renewal, delay), default_lease.value_or(Unanswered::never),
                   users_longest_lease.value_or(Unanswered::never)});
}

milliseconds LockFacts::lease_told_of_removal() const {
  return lease_told_after(told_late);
}

milliseconds LockFacts::lease_told_of_silence() const {
  if (!unanswered || unanswered->silent() == Unanswered::never) return milliseconds(0);
  return lease_told_after(unanswered->silent() + told_late);
}

bool LockFacts::tries_end(milliseconds lease, std::size_t servers) const {
  if (!unanswered || !unanswered->gone_after) return true;
  return unanswered->try_where_gone(lease, servers) <= longest_try;
}

}  // namespace faults
