#include "tools/bench/measure/fixture.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <utility>

#include "production/fair_queue/lock.h"
#include "stage1_setnx/lock.h"
#include "stage2_expire/lock.h"
#include "stage3_set_nx_px/lock.h"
#include "stage4_lua_release/lock.h"
#include "stage5_watchdog/lock.h"
#include "stage6_reentrant/variants/polling/polling_lock.h"
#include "stage7_redlock/lock.h"
#include "stage8_fencing/lock.h"

namespace bench {
namespace {

using std::chrono::milliseconds;

// For one node of several. Longer than usual: an answer that a busy machine is late with is no
// wrong result.
constexpr milliseconds longest_wait{1'000};

// A handle, and a function that makes a lock of it.
template <typename Handle>
class FixtureOn : public Fixture {
 public:
  using Make = std::function<MeasuredLock(Handle&, const std::string&)>;
  template <typename... Arguments>
  explicit FixtureOn(Make make, Arguments&&... arguments)
      : handle_(std::forward<Arguments>(arguments)...), make_(std::move(make)) {}

  MeasuredLock make(const std::string& key) override { return make_(handle_, key); }
  [[nodiscard]] Handle& handle() { return handle_; }

 private:
  Handle handle_;
  const Make make_;
};

template <typename Lock, typename... Arguments>
MeasuredLock measured_lock(Arguments&&... arguments) {
  auto lock = std::make_unique<Lock>(std::forward<Arguments>(arguments)...);
  auto waiting = lock->usual_waiting();
  return {.lock = std::move(lock), .waiting = waiting};
}

MeasuredLock stage6_lock(core::Server& server, const std::string& key, const FixturePlan& plan) {
  const stage6::Options options{.default_lease = plan.lease};
  if (plan.way == "own") return measured_lock<stage6::Lock>(server, key, options);
  if (plan.way == "fair_queue") {
    return measured_lock<fair_queue::Around<stage6::Lock>>(server, key, options);
  }
  if (plan.way == "polling") {
    const auto polling = core::Waiting::exponential(milliseconds(1), milliseconds(50)).jitter(0.5);
    return measured_lock<stage6::PollingLock>(server, key, polling, options);
  }
  throw std::invalid_argument(fmt::format("stage 6 has no way to wait named {}", plan.way));
}

MeasuredLock on_one_server(core::Server& server, const std::string& key, const FixturePlan& plan) {
  switch (plan.stage) {
    case 1: return measured_lock<stage1::Lock>(server, key);
    case 2: return measured_lock<stage2::Lock>(server, key, plan.lease);
    case 3: return measured_lock<stage3::Lock>(server, key, plan.lease);
    case 4: return measured_lock<stage4::Lock>(server, key, plan.lease);
    case 5:
      return measured_lock<stage5::Lock>(server, key, stage5::Options{.default_lease = plan.lease});
    case 6: return stage6_lock(server, key, plan);
    default: throw std::invalid_argument(fmt::format("there is no stage {}", plan.stage));
  }
}

MeasuredLock on_a_quorum(stage7::Quorum& quorum, const std::string& key, const FixturePlan& plan) {
  if (plan.way == "fair_queue") {
    return measured_lock<fair_queue::Around<stage7::Lock>>(
        fair_queue::Options{.patience = longest_wait}, quorum, key,
        stage7::Options{.default_lease = plan.lease});
  }
  if (plan.stage == 7) {
    return measured_lock<stage7::Lock>(quorum, key, stage7::Options{.default_lease = plan.lease});
  }
  return measured_lock<stage8::Lock>(quorum, key, stage8::Options{.default_lease = plan.lease});
}

}  // namespace

std::vector<std::string> ways_to_wait(int stage) {
  if (stage == 6) return {"own", "polling", "fair_queue"};
  if (stage == 7) return {"own", "fair_queue"};
  return {"own"};
}

std::unique_ptr<Fixture> make_fixture(const FixturePlan& plan) {
  if (plan.stage < first_on_a_quorum) {
    return std::make_unique<FixtureOn<core::Server>>(
        [plan](auto& server, const auto& key) { return on_one_server(server, key, plan); },
        plan.nodes.front());
  }
  if (plan.stage > stages) {
    throw std::invalid_argument(fmt::format("there is no stage {}", plan.stage));
  }
  auto fixture = std::make_unique<FixtureOn<stage7::Quorum>>(
      [plan](auto& quorum, const auto& key) { return on_a_quorum(quorum, key, plan); }, plan.nodes,
      stage7::QuorumOptions{.node_timeout = longest_wait});
  fixture->handle().provision();
  return fixture;
}

}  // namespace bench
