// The C++ of the chapters, so that it is compiled: every ```cpp block stands here line for line,
// or in example_scenario.cpp, and a test compares them.
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "core/lock.h"
#include "core/redis/server.h"
#include "stage5_watchdog/lock.h"
#include "stage6_reentrant/lock.h"
#include "stage7_redlock/lock.h"

namespace book {

using namespace std::chrono_literals;

void pack(const std::string& parcel);
void count_a_late_hold(core::Release outcome);

// lock-and-unlock.md

void ship(core::Server& server, const std::string& order) {
  stage6::Lock lock(server, "lock:order:" + order);
  const std::lock_guard guard(lock);  // waits until it is ours
  pack(order);
}  // given back here, also if pack() throws

void make_locks() {
  core::Server server(core::Address::parse("127.0.0.1:6379"));
  stage6::Lock invoice(server, "lock:invoice:4711");

  stage7::Quorum quorum({core::Address::parse("10.0.0.1:6379"),
                         core::Address::parse("10.0.0.2:6379"),
                         core::Address::parse("10.0.0.3:6379")});
  stage7::Lock report(quorum, "lock:report");
}

bool ship_soon(core::Server& server, const std::string& order) {
  stage6::Lock lock(server, "lock:order:" + order);
  const std::unique_lock guard(lock, 2s);  // waits two seconds at most
  if (!guard.owns_lock()) return false;
  pack(order);
  return true;
}

bool ship_and_say(core::Lock& lock, const std::string& order) {
  const auto patience = core::Waiting::exponential(5ms, 500ms).jitter(0.5).at_most(2s);
  switch (lock.acquire(patience)) {
    case core::Acquire::acquired: break;
    case core::Acquire::contended: return false;  // another client has it: later
    case core::Acquire::unknown: return false;    // perhaps ours: do not work
  }
  std::unique_lock guard(lock, std::adopt_lock);  // if pack() throws, it is given back
  pack(order);
  guard.release();  // from here on we release
  const auto outcome = lock.release();
  const bool late = outcome == core::Release::expired || outcome == core::Release::stolen;
  if (late) count_a_late_hold(outcome);
  return true;
}

void ship_all(stage6::Lock& lock, const std::vector<std::string>& parcels) {
  const std::lock_guard guard(lock);
  const auto lost = lock.lost();
  for (const auto& parcel : parcels) {
    if (lost.stop_requested()) throw std::runtime_error("the lock was lost: stopped in time");
    pack(parcel);
  }
}

// how-long-a-lease.md

void ship_for_long(core::Server& server, const std::string& order) {
  stage5::Lock lock(server, "lock:order:" + order, {.default_lease = 6s, .max_hold = 10min});
  const std::lock_guard guard(lock);
  const std::stop_callback warn(lock.lost(), [] { /* say it, and be quick */ });
  pack(order);
}

// waiting.md

bool ship_unless_stopped(core::Lock& lock, const std::string& order, const std::stop_token& stop) {
  const auto patience = core::Waiting::exponential(5ms, 200ms).jitter(0.5).at_most(3s);
  if (lock.acquire(patience, stop) != core::Acquire::acquired) return false;
  const std::unique_lock guard(lock, std::adopt_lock);
  pack(order);
  return true;
}

}  // namespace book
