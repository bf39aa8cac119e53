// The error of a measurement whose lock did not do what it should.
#pragma once

#include <stdexcept>

namespace bench {

// A lock was not acquired, or two clients had it: the figures of such a run mean nothing.
class WrongResult : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace bench
