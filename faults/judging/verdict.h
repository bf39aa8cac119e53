// The verdicts that a judge can pass on a run, and the properties they are about.
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

// The promises of a lock; properties.h defines each.
enum class Property {
  mutual_exclusion,
  owner_only_release,
  liveness,
  truthful_outcomes,
  owner_only_renewal,
  holder_was_told,
  first_come,
  bounded_renewal,
  rising_tokens,
  nothing_left,
};

[[nodiscard]] std::string_view to_string(Verdict verdict);
[[nodiscard]] std::string_view to_string(Property property);
// Throws CannotRun for a word that is not a property.
[[nodiscard]] Property property_from(std::string_view text);

// One broken property, and how one can see that.
struct Finding {
  Property property = Property::mutual_exclusion;
  std::string sentence;               // names client, deed and time
  bool may_be_the_machine = false;    // so close that a machine that stood still could look like it
  std::vector<std::size_t> evidence;  // places in the record
  std::vector<std::string>
      inside;  // of mutual exclusion: the client whose write was lost, the other
};

struct Judgement {
  Verdict verdict = Verdict::holds;
  std::vector<Finding> findings;  // if violated: the broken properties, the worst first
  // If not exercised or inconclusive: one sentence. If it holds since the lock let no client in, as
  // it says it does where none may be: what that was; else empty.
  std::string why;
  // Properties that could not be judged: the lock's key on the server is not known, or its period
  // of renewal. Mutual exclusion always can: the storage sees it.
  std::vector<Property> not_judged = {};

  [[nodiscard]] bool is_refusal() const { return verdict == Verdict::holds && !why.empty(); }
  // The one sentence that says it all.
  [[nodiscard]] std::string sentence() const;
};

}  // namespace faults
