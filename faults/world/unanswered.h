// How long a foreign lock waits for a server that does not answer: the object "unanswered" of its
// lock.json (field/README.md).
//
// Thread-safety: values and pure functions.
#pragma once

#include <chrono>
#include <optional>

namespace faults {

struct Unanswered {
  static constexpr auto never = std::chrono::milliseconds::max();

  std::chrono::milliseconds after{never};  // a command counts as unanswered; never: no time-out
  // A try to acquire lasts no longer than that part of the lease; 0: that plays no part.
  double lease_part = 0;
  int tries = 1;                       // a command is sent so often
  std::chrono::milliseconds pause{0};  // between two of them, at most
  // By then a command to a server that is gone has failed; none: not known.
  std::optional<std::chrono::milliseconds> gone_after;
  bool in_turn = false;              // asks several servers one after the other, not all at once
  bool only_renewals_again = false;  // an acquire or a release is sent once, whatever `tries` says

  // An operation takes that much longer if one reply is lost and the command is sent again; `never`
  // if it waits without end.
  [[nodiscard]] std::chrono::milliseconds one_lost() const;
  // By then a renewal has given up on a server that is silent; `never` if it does not.
  [[nodiscard]] std::chrono::milliseconds silent() const;
  // How long one try to acquire lasts at most where `servers` of them are silent, or gone. `never`
  // if it does not end, or if that is not known.
  [[nodiscard]] std::chrono::milliseconds try_where_silent(std::chrono::milliseconds lease,
                                                           std::size_t servers) const;
  [[nodiscard]] std::chrono::milliseconds try_where_gone(std::chrono::milliseconds lease,
                                                         std::size_t servers) const;

 private:
  [[nodiscard]] std::chrono::milliseconds try_that_takes(std::chrono::milliseconds time,
                                                         std::chrono::milliseconds lease,
                                                         std::size_t servers) const;
};

}  // namespace faults
