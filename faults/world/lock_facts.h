// The facts of a foreign lock (another person's) that the kit cannot see: they come from its
// lock.json (lock_file.h), or from the command line. field/README.md has the fields.
//
// The kit's leases and limits follow from them, by the same rules for every lock (timing.h).
//
// Thread-safety: values and pure functions.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "faults/world/unanswered.h"

namespace faults {

// A passage of the documentation about something that a scenario shows, and its place.
struct Passage {
  std::string says;
  std::string where;  // file or page, and place
};

struct LockFacts {
  // A waiter that asks less often would outwait the longest lease of a scenario.
  static constexpr std::chrono::milliseconds longest_retry{20'000};
  // The lab waits for no try that takes longer, and for the end of no longer lease.
  static constexpr std::chrono::milliseconds longest_try{10'000};
  static constexpr std::chrono::milliseconds longest_lease{30'000};

  std::string version;                    // that they are about; empty: not known
  std::vector<std::string> capabilities;  // words of docs/client-protocol.md: what it promises
  std::optional<std::string> key;         // on the server, for the lock "%s"; none: not known
  std::string type = "string";            // of that key, for people
  // Leases are rounded up to the first; a lease that the caller names is no shorter than the
  // second.
  std::chrono::milliseconds granularity{1};
  std::chrono::milliseconds shortest_lease{1};
  // The lease that it takes if its user names none; none: it has no default, or that is not known.
  std::optional<std::chrono::milliseconds> default_lease;
  // The longest that a user of this variant takes; none: any.
  std::optional<std::chrono::milliseconds> users_longest_lease;
  // It renews after this part of the lease, or so long before its end.
  struct Renewal {
    std::optional<double> after;
    std::chrono::milliseconds before_end{0};
    std::chrono::milliseconds shortest_lease{1};  // of a lease that is renewed
    bool by_user = false;                         // its user has to, it does not by itself
  };
  std::optional<Renewal> renewal;  // none: it does not, or that is not known
  std::string waiting = "polls";   // "polls", "notified" or "none"
  // A waiter asks again by itself after at most that time; 0: not known, or at once.
  std::chrono::milliseconds retry{0};
  // Its waiting ends by the "time" that it is given; by a number of "tries", which its adapter
  // derives from that time, one for each `wait_step` and one more; or "never".
  std::string waiting_ends = "time";
  std::chrono::milliseconds wait_step{0};
  std::string loss = "never";  // how it says that a hold is lost: "told", "asked" or "never"
  // The longest time from the answer that shows the loss until the holder is notified.
  std::chrono::milliseconds told_late{0};
  std::optional<Unanswered> unanswered;  // none: not known
  std::string server = "redis";          // the kind of server that it stands on
  // By scenario: the library's documentation, in its words; its source, in ours.
  std::map<std::string, Passage> documented;
  std::map<std::string, Passage> because;
  // By scenario: why its verdict would say nothing about the lock.
  std::map<std::string, std::string> not_judged;
  std::vector<std::string> acquire_says;  // the outcomes that it can have; empty: not known
  std::vector<std::string> release_says;
  std::vector<std::string> settings;  // that its adapter chooses, for people

  [[nodiscard]] bool promises(std::string_view word) const;
  // The key on the server of the lock `name`; empty: not known.
  [[nodiscard]] std::string key_of(std::string_view name) const;
  // The shortest lease that fits it and is at least `wanted`.
  [[nodiscard]] std::chrono::milliseconds fitting_lease(std::chrono::milliseconds wanted) const;
  // How long after a renewal the next one comes, of a lease of that length; 0: it does not renew.
  [[nodiscard]] std::chrono::milliseconds renewal_period(std::chrono::milliseconds lease) const;

  // Its client gives up on a reply after that time; 0: never, or later than the lab waits for, or
  // that is not known.
  [[nodiscard]] std::chrono::milliseconds gives_up_after() const;
  // The shortest lease that it renews in time although one reply is lost, and within which an
  // acquire whose reply is lost ends. 0: any, or no lease is long enough, or that is not known.
  [[nodiscard]] std::chrono::milliseconds lease_that_outlasts_a_loss() const;
  // The shortest lease whose holder is notified before its end that it is removed or that no server
  // answers; no longer than its default, with which a user would see the same. 0 as above.
  [[nodiscard]] std::chrono::milliseconds lease_told_of_removal() const;
  [[nodiscard]] std::chrono::milliseconds lease_told_of_silence() const;
  // True if a try to acquire, of a lease of that length, where `servers` are gone, ends in a time
  // that the lab waits for, or that is not known.
  [[nodiscard]] bool tries_end(std::chrono::milliseconds lease, std::size_t servers) const;

 private:
  [[nodiscard]] std::chrono::milliseconds lease_told_after(std::chrono::milliseconds delay) const;
};

}  // namespace faults
