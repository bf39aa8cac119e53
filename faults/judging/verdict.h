// What a judge can say about a run.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace faults {

enum class Verdict {
  holds,          // the fault happened, and every property stood
  violated,       // a property was broken
  not_exercised,  // the fault did not happen, so nothing was shown
  inconclusive,   // the machine did not keep up, also when asked again
};

// What a lock promises.
enum class Property {
  mutual_exclusion,    // no write to the storage is lost to a write that rests on an older read
  owner_only_release,  // nobody removes a lock but its owner (or the end of its lease)
  liveness,            // after the fault and one lease, somebody else gets in
  truthful_outcomes,   // what the lock answers is so
  owner_only_renewal,  // nobody changes the lease of a lock but its owner
  holder_was_told,     // a holder whose lease ends hears of it before it ends
  first_come,          // who asked first, of those who wait, gets in first
  bounded_renewal,     // no more renewals than the holds and their periods call for
};

[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::string_view to_string(Property property);
// Throws CannotRun for a word that is not a property.
[[nodiscard]] Property property_from(std::string_view text);

// One broken property, and how one can see that.
struct Finding {
  Property property = Property::mutual_exclusion;
  std::string sentence;               // names who, what and when
  bool may_be_the_machine = false;    // so close that a machine that stood still could look like it
  std::vector<std::size_t> evidence;  // places in `Story::events`
  std::vector<std::string> inside;    // of mutual exclusion: whose write was lost, and to whom
};

struct Judgement {
  Verdict verdict = Verdict::holds;
  std::vector<Finding> findings;  // if violated: the broken properties, the worst first
  std::string why;                // if not exercised or inconclusive: one sentence

  // The one sentence that says it all.
  [[nodiscard]] std::string sentence() const;
};

}  // namespace faults
