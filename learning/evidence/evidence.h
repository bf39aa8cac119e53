// What a lock did on the wire, as the history of one telling shows it: for the rules that say what
// is wrong with it.
//
// Nothing here knows how the lock was written. Places are numbers of events in the record.
// Thread-safety: values.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "faults/judging/trace.h"
#include "faults/judging/verdict.h"
#include "learning/evidence/sent.h"

namespace learning {

using faults::lock_key;
using Call = faults::Operation;

struct Evidence {
  explicit Evidence(const faults::Record& record);

  faults::Trace trace;
  faults::Judgement judgement;
  // In the order in which they were sent; without those of the tidying up after a story that could
  // not be told.
  std::vector<Sent> sent;

  [[nodiscard]] const faults::Record& record() const { return trace.record; }
  [[nodiscard]] const std::vector<Call>& calls() const { return trace.every_operation; }

  [[nodiscard]] bool broke(faults::Property property) const;
  // Milliseconds since the first call of the story.
  [[nodiscard]] long long ms(std::size_t place) const {
    return place < record().size() ? trace.ms(place) : 0;
  }
  // For how much of the time between two places nobody was let run, in ms. (A standstill is noted
  // when it is over, so the first that is noted after `until` counts too.)
  [[nodiscard]] long long stood_still_between(std::size_t from, std::size_t until) const;
  [[nodiscard]] bool several_servers() const { return trace.nodes() > 1; }
  // The lease of the story, in ms; of `lane`, if none is asked for; what `call` asks for.
  [[nodiscard]] long long usual_lease() const;
  [[nodiscard]] long long default_lease(const std::string& lane) const;
  [[nodiscard]] long long lease_of(const Call& call) const;
  // The commands of one call, in order; the renewals.
  [[nodiscard]] std::vector<const Sent*> of(const Call& call) const;
  [[nodiscard]] std::vector<const Sent*> renewals() const;
  // The call that a command belongs to; null: none, it came by itself.
  [[nodiscard]] const Call* call_of(const Sent& command) const;
  // Who held `server` just before `place`, and just after; null: nobody.
  [[nodiscard]] const faults::ServerHold* held_at(const std::string& server,
                                                  std::size_t place) const;
  // The token under which `lane` last took the lock before `place`, or the lock on another key;
  // empty if that cannot be seen.
  [[nodiscard]] std::string token_of(const std::string& lane, std::size_t place,
                                     std::string_view key = lock_key) const;
  // The acquires on the lock that said yes.
  [[nodiscard]] std::vector<const Call*> acquired() const;
};

// How many faults of that kind (a word of faults::fault) fell between two places; if a lane is
// named, on that one.
[[nodiscard]] std::size_t count_faults(const Evidence& evidence, std::string_view what,
                                       std::size_t from, std::size_t to,
                                       std::string_view lane = {});

// Less than a thousand: no token by chance, but perhaps the number of a thread.
[[nodiscard]] bool is_small_number(const std::string& text);

}  // namespace learning
