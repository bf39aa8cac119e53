// The properties of a lock, defined in words, and the judge of each.
//
// A judge returns the findings where its property is broken; none: it stood.
// Thread-safety: pure functions.
#pragma once

#include <vector>

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"

namespace faults {

// Mutual exclusion: no accepted write to the storage is overwritten by a write of another client
// that rests on an older read. What the clients believe does not count, nor whether they were
// answered, or live on: a write that reached the storage counts.
[[nodiscard]] std::vector<Finding> judge_mutual_exclusion(const Trace& trace);

// Owner-only release: only its owner, or the end of its lease, removes a lock.
[[nodiscard]] std::vector<Finding> judge_owner_only_release(const Trace& trace);

// Liveness: a client that must get in, does (after the fault and one lease, say), and an operation
// that must end within some time, does.
[[nodiscard]] std::vector<Finding> judge_liveness(const Trace& trace);

// Truthful outcomes: what the lock answers to acquire, release and extend is so, by what the
// servers held. "Unknown" is never untrue.
[[nodiscard]] std::vector<Finding> judge_truthful_outcomes(const Trace& trace);

// Owner-only renewal: only its owner changes the lease of a lock.
[[nodiscard]] std::vector<Finding> judge_owner_only_renewal(const Trace& trace);

// Holder was told: a running client that believes it holds the lock is notified before its lease
// ends; if the lock's key is not known, before another client gets in. Not judged for a lock that
// promises neither.
[[nodiscard]] std::vector<Finding> judge_holder_was_told(const Trace& trace);

// First come, first served: of the clients that wait, the one that asked first gets in first.
[[nodiscard]] std::vector<Finding> judge_first_come(const Trace& trace);

// Bounded renewal: a client sends no more renewals than its hold and the periods of it call for.
[[nodiscard]] std::vector<Finding> judge_bounded_renewal(const Trace& trace);

// Rising tokens: a client that had the lock later has the greater fencing token, no two holds share
// one, and the storage refuses nothing of the client that has the lock. Judged wherever an acquire
// is answered with a token, and only where the order is sure:
// - one acquire was answered before the next was asked for; or
// - both were under way, and the servers say it: the one's lock was gone before the other's was
//   set, and no other client can have set either.
// The order of two answers that overlap proves nothing, nor does a lease that ran out unnoticed. A
// client that may be inside enters its own hold again: its token must only not fall.
[[nodiscard]] std::vector<Finding> judge_rising_tokens(const Trace& trace);
[[nodiscard]] bool hands_out_tokens(const Trace& trace);

// Nothing left behind: an acquire that ended without the lock leaves none on a server, beyond the
// time that its roll-back takes; none that is renewed, and none that a late command sets when its
// client has long given up, or given the lock back. Not judged where a fault kept the client or the
// server from taking it back.
[[nodiscard]] std::vector<Finding> judge_nothing_left(const Trace& trace);

}  // namespace faults
