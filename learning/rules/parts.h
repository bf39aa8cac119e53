// What several files of rules look at. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "learning/evidence/evidence.h"

namespace learning::rules {

// Digits only, as far as it is shown; what is cut out of them (…) is not.
[[nodiscard]] bool may_be_a_time(std::string_view word);

// Does another thread of the same client have the lock all the time that `call` takes?
[[nodiscard]] bool another_thread_is_inside(const Evidence& evidence, const Call& call);

// EXPIRE and its kin: a lease, and nothing else.
[[nodiscard]] bool only_leases(const Sent& command);

// SET as it overwrites what is there.
[[nodiscard]] bool overwrites(const Sent& command);

// A command that asks whose the lock is, and does nothing to it. Null: no.
[[nodiscard]] bool looks(const Sent* command);

// The command of the same call that comes right after, or before (-1); null if there is none.
[[nodiscard]] const Sent* next_of(const Evidence& evidence, const Sent& command, int step = 1);

// Was no other client's command on its way to that server while `command` was? Else what the server
// did may be the other's doing.
[[nodiscard]] bool is_alone(const Evidence& evidence, const Sent& command);

// How deep a client is inside just before `place`, as its own calls say.
[[nodiscard]] int depth_at(const Evidence& evidence, const std::string& lane, std::size_t place,
                           std::string_view key = lock_key);

// Who had the lock all the time while `call` was under way, on one server; empty: nobody, or more
// than one.
[[nodiscard]] std::string holder_during(const Evidence& evidence, const Call& call);

// Did anybody have the lock at some time while `call` was under way?
[[nodiscard]] bool was_held_during(const Evidence& evidence, const Call& call);

// May `lane` be on its way out, after a release that was not answered? Then its next acquire asks
// for that first.
[[nodiscard]] bool may_be_leaving(const Evidence& evidence, const std::string& lane);

// Is its client told to stop before it sends that?
[[nodiscard]] bool is_stopped(const Evidence& evidence, const Sent& command);

// Was a renewal under way at the same time as a release of its client, which may have done what it
// seems to have done?
[[nodiscard]] bool is_beside_a_release(const Evidence& evidence, const Sent& renewal);

// Which of its client's threads made `call`.
[[nodiscard]] int thread_of(const Call& call);

// Does a hold of the calling client stand on a server while it asks?
[[nodiscard]] bool stands_for(const Evidence& evidence, const Call& call);

// The lease that a renewal asks for, in ms: its greatest argument. Nothing: none is a number.
[[nodiscard]] std::optional<long long> lease_asked_by(const Sent& renewal);

// A hold, and the last renewal of it before it ended, or before the end of the story.
struct Renewed {
  const faults::ServerHold* hold = nullptr;
  const Sent* last = nullptr;
  std::size_t count = 0;
  bool lengthened = true;  // did each of them set a lease?
};

// Did it take long from `decided` until `call` was answered, though nothing had to be waited for
// any more? What the machine is to blame for does not count, nor for how long its answer lay
// unread.
[[nodiscard]] bool waited_on(const Evidence& evidence, std::size_t decided, const Call& call);

// The holds that were renewed, on one server; none of several.
[[nodiscard]] std::vector<Renewed> renewed_holds(const Evidence& evidence);

// What there is to say to a lock that ended with the error of a lost reply: `how`.
[[nodiscard]] std::string lost_reply_as_an_error(const std::string& how);

}  // namespace learning::rules
