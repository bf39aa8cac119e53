// The parts that a lock of the atlas is made of, and which lock is simpler than which.
//
// Each part has a few choices, from the simplest on: the one that does least, or does it in more
// steps. As words they are `acquire=set token=yes release=script`; a part that is missing has its
// first choice, but acquire and release must be named. A lock's name is "atlas:" and its words,
// with commas between them; parts with their first choice are left out.
//
// Thread-safety: values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace atlas {

enum class Acquire : std::uint8_t {
  setnx,             // SETNX: no lease
  setnx_and_expire,  // SETNX, then PEXPIRE
  set,               // SET NX PX: the lease in the same step
  script,            // the same by script, with the fencing token in the same step
};
enum class Release : std::uint8_t {
  none,     // nothing is sent: the lock comes free with its lease
  del,      // DEL, whose ever it is
  compare,  // GET, compare in the client, DEL
  script,   // compare and DEL in one step
};
enum class Renewal : std::uint8_t {
  none,
  blind,    // PEXPIRE, whose ever the lock is
  compare,  // GET, compare in the client, PEXPIRE
  script,   // compare and PEXPIRE in one step
};

struct Parts {
  Acquire acquire = Acquire::setnx;
  bool token = false;  // the lock's value is a random token, not a constant
  Release release = Release::none;
  Renewal renewal = Renewal::none;
  bool look = false;     // at its own clock: after it was acquired, and before the write
  bool fencing = false;  // a number by INCR, which the storage checks

  bool operator==(const Parts&) const = default;

  [[nodiscard]] bool has_lease() const { return acquire != Acquire::setnx; }
  // The token that was set is compared on release.
  [[nodiscard]] bool compares_on_release() const { return release >= Release::compare; }
  [[nodiscard]] bool compares_on_renewal() const { return renewal >= Renewal::compare; }
};

// The parts of words such as "acquire=set". Throws std::invalid_argument with a sentence for a word
// that is none, a part that is given twice or is missing, and parts that make no sense together.
[[nodiscard]] Parts parts_from(const std::vector<std::string>& words);
// Of "atlas:acquire=set,release=del". Throws as `parts_from`.
[[nodiscard]] Parts parts_named(std::string_view name);
[[nodiscard]] bool names_atlas_lock(std::string_view name);

[[nodiscard]] std::vector<std::string> to_words(const Parts& parts);
[[nodiscard]] std::string name_of(const Parts& parts);

// Why these parts make no sense together; empty: they do.
[[nodiscard]] std::string senseless_because(const Parts& parts);

// Every combination that makes sense, the simpler choices first.
[[nodiscard]] std::vector<Parts> all_locks();

// The names of the parts; how far each is from its simplest choice, in the same order.
[[nodiscard]] const std::vector<std::string>& part_names();
[[nodiscard]] std::vector<std::size_t> places_of(const Parts& parts);

// True if no part of `a` has a later choice than that of `b`, and one has an earlier choice.
[[nodiscard]] bool is_simpler(const Parts& a, const Parts& b);

}  // namespace atlas
