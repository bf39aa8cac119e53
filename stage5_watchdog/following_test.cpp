// The watchdog's renewals go where the lock is now.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "core/redis/discovery.h"
#include "core/redis/key_slot.h"
#include "core/testing/eventually.h"
#include "faults/kit/cluster.h"
#include "faults/kit/temp_dir.h"
#include "stage5_watchdog/lock.h"

namespace {

using core::Address;
using core::Discovery;
using core::eventually;
using faults::Cluster;
using std::chrono::seconds;

class RenewalInACluster : public testing::Test {
 protected:
  // The rest of the lease on node `i`, ms; below 0: it does not have the lock.
  [[nodiscard]] long long left_at(std::size_t i) {
    return cluster_.node(i).direct().command({"PTTL", "orders"}).integer();
  }
  void await_renewal_at(std::size_t i) {
    auto least = left_at(i);
    eventually("the lease is renewed", [&] {
      const auto left = left_at(i);
      const bool renewed = left > least;
      least = left;
      return renewed;
    });
  }

  faults::Reaper reaper_;
  faults::TempDir directory_{reaper_};
  faults::History history_{directory_.path() / "history.jsonl"};
  faults::Loop loop_;
  Cluster cluster_{faults::find_redis(),   loop_, history_, reaper_, directory_.path(),
                   Cluster::Replicas::none};
  core::Server server_{
      {.host = {},
       .discovery = std::make_shared<const Discovery>(
           Discovery{.kind = Discovery::Kind::cluster, .asked = {cluster_.front(0).address()}})}};
};

TEST_F(RenewalInACluster, FollowsItsSlot) {
  const int slot = core::slot_of("orders");
  const auto first = Cluster::first_master_of(slot);
  const auto next = (first + 1) % Cluster::masters;
  stage5::Lock lock(server_, "orders", {.default_lease = seconds(3)});
  ASSERT_EQ(lock.try_acquire(), core::Acquire::acquired);
  await_renewal_at(first);
  cluster_.begin_move(slot, first, next);
  cluster_.move_keys(slot, first, next);
  cluster_.end_move(slot, next);
  await_renewal_at(next);
  EXPECT_FALSE(lock.lost().stop_requested());
  EXPECT_EQ(lock.release(), core::Release::released);
}

}  // namespace
