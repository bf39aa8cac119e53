// The eight stages' locks, behind one interface.
//
// Thread-safety: a Fixture may be shared by threads, as the stages' own handles may.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/lock.h"
#include "core/redis/address.h"
#include "core/waiting.h"

namespace bench {

inline constexpr int stages = 8;
inline constexpr int first_on_a_quorum = 7;     // the stages before it live on one server
inline constexpr std::size_t quorum_nodes = 5;  // of the others: measured on so many servers

// One lock, and how a client waits for it.
struct MeasuredLock {
  std::unique_ptr<core::Lock> lock;
  core::Waiting waiting;
};

// A stage's handle to its servers, and a maker of its locks.
class Fixture {
 public:
  virtual ~Fixture() = default;
  // The lock must not outlive the fixture.
  [[nodiscard]] virtual MeasuredLock make(const std::string& key) = 0;
};

// How a stage's waiters wait. Every stage has "own"; stage 6 also has "polling". Stages 6 and 7 are
// also measured with a line around them: "fair_queue".
[[nodiscard]] std::vector<std::string> ways_to_wait(int stage);

struct FixturePlan {
  int stage = 1;
  std::vector<core::Address> nodes;         // stages 1 to 6: the first one
  std::string way = "own";                  // one of ways_to_wait(stage)
  std::chrono::milliseconds lease{30'000};  // from stage 5 on it is renewed
};
// On a quorum it makes the nodes members first. Throws std::invalid_argument for an unknown stage
// or way.
[[nodiscard]] std::unique_ptr<Fixture> make_fixture(const FixturePlan& plan);

}  // namespace bench
