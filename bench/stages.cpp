#include "bench/stages.h"

#include <fmt/format.h>

#include <functional>
#include <stdexcept>
#include <utility>

#include "fair_queue/lock.h"
#include "stage1_setnx/lock.h"
#include "stage2_expire/lock.h"
#include "stage3_set_nx_px/lock.h"
#include "stage4_lua_release/lock.h"
#include "stage5_watchdog/lock.h"
#include "stage6_reentrant/polling_lock.h"
#include "stage7_redlock/lock.h"
#include "stage8_fencing/lock.h"

namespace bench {
namespace {

using std::chrono::milliseconds;

// A handle, and a function that makes a lock of it.
template <typename Handle>
class StandOn : public Stand {
 public:
  using Make = std::function<Subject(Handle&, const std::string&)>;
  template <typename... Arguments>
  explicit StandOn(Make make, Arguments&&... arguments)
      : handle_(std::forward<Arguments>(arguments)...), make_(std::move(make)) {}

  Subject make(const std::string& key) override { return make_(handle_, key); }
  [[nodiscard]] Handle& handle() { return handle_; }

 private:
  Handle handle_;
  const Make make_;
};

template <typename Lock, typename... Arguments>
Subject subject(Arguments&&... arguments) {
  auto lock = std::make_unique<Lock>(std::forward<Arguments>(arguments)...);
  auto waiting = lock->usual_waiting();
  return {.lock = std::move(lock), .waiting = waiting};
}

Subject stage6_subject(core::Server& server, const std::string& key, const StandPlan& plan) {
  const stage6::Options options{.default_lease = plan.lease};
  if (plan.way == "own") return subject<stage6::Lock>(server, key, options);
  if (plan.way == "queued") return subject<fair_queue::Lock>(server, key, options);
  if (plan.way == "polling") {
    const auto polling = core::Waiting::exponential(milliseconds(1), milliseconds(50)).jitter(0.5);
    return subject<stage6::PollingLock>(server, key, polling, options);
  }
  throw std::invalid_argument(fmt::format("stage 6 has no way to wait named {}", plan.way));
}

Subject on_one_server(core::Server& server, const std::string& key, const StandPlan& plan) {
  switch (plan.stage) {
    case 1: return subject<stage1::Lock>(server, key);
    case 2: return subject<stage2::Lock>(server, key, plan.lease);
    case 3: return subject<stage3::Lock>(server, key, plan.lease);
    case 4: return subject<stage4::Lock>(server, key, plan.lease);
    case 5: return subject<stage5::Lock>(server, key, stage5::Options{.default_lease = plan.lease});
    case 6: return stage6_subject(server, key, plan);
    default: throw std::invalid_argument(fmt::format("there is no stage {}", plan.stage));
  }
}

Subject on_a_quorum(stage7::Quorum& quorum, const std::string& key, const StandPlan& plan) {
  if (plan.stage == 7) {
    return subject<stage7::Lock>(quorum, key, stage7::Options{.default_lease = plan.lease});
  }
  return subject<stage8::Lock>(quorum, key, stage8::Options{.default_lease = plan.lease});
}

}  // namespace

std::vector<std::string> ways_to_wait(int stage) {
  return stage == 6 ? std::vector<std::string>{"own", "queued", "polling"}
                    : std::vector<std::string>{"own"};
}

std::unique_ptr<Stand> make_stand(const StandPlan& plan) {
  if (plan.stage < first_on_a_quorum) {
    return std::make_unique<StandOn<core::Server>>(
        [plan](auto& server, const auto& key) { return on_one_server(server, key, plan); },
        plan.nodes.front());
  }
  if (plan.stage > stages) {
    throw std::invalid_argument(fmt::format("there is no stage {}", plan.stage));
  }
  auto stand = std::make_unique<StandOn<stage7::Quorum>>(
      [plan](auto& quorum, const auto& key) { return on_a_quorum(quorum, key, plan); }, plan.nodes,
      // Longer than usual: an answer that a busy machine is late with is no wrong result.
      stage7::QuorumOptions{.node_timeout = milliseconds(1'000)});
  stand->handle().provision();
  return stand;
}

}  // namespace bench
