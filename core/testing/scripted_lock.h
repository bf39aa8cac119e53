// Locks without a server, for tests of the code that is written on top of every lock.
//
// Thread-safety: none; one thread at a time.
#pragma once

#include <chrono>
#include <deque>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/lock.h"

namespace core {

// A lock with prepared outcomes; the last one is repeated.
class ScriptedLock : public Lock {
 public:
  explicit ScriptedLock(std::deque<Acquire> outcomes) : outcomes_(std::move(outcomes)) {}

  Acquire try_acquire() override {
    tried.push_back(std::chrono::steady_clock::now());
    const auto outcome = outcomes_.front();
    if (outcomes_.size() > 1) outcomes_.pop_front();
    return outcome;
  }

  Release release() override {
    ++released;
    return Release::released;
  }

  std::vector<std::chrono::steady_clock::time_point> tried;
  int released = 0;

 private:
  std::deque<Acquire> outcomes_;
};

// A lock whose server cannot be reached.
class UnreachableLock : public Lock {
 public:
  Acquire try_acquire() override { throw Unreachable("cannot connect"); }
  Release release() override { throw Unreachable("cannot connect"); }
};

}  // namespace core
