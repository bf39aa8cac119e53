// What happens to a world's master and its replica.
#include <fmt/format.h>

#include "faults/errors.h"
#include "faults/world.h"

namespace faults {

using std::chrono::steady_clock;

void World::start_replica() {
  auto& master = *nodes_.front();
  replication_ = std::make_unique<Link>(loop_, history_, "replica", master.name(), master.address(),
                                        Link::Notes::none);
  replica_ = std::make_unique<RedisServer>(redis_binary_, loop_, history_, reaper_, "replica",
                                           directory_ / "replica.log");
  watch(*replica_);
  to_replica_ = std::make_unique<Link>(loop_, history_, "sentinels", replica_->name(),
                                       replica_->address(), Link::Notes::none);
  const auto own = to_replica_->address();  // where a Sentinel is to look for it
  (void)replica_->direct().command({"CONFIG", "SET", "replica-announce-ip", own.host});
  (void)replica_->direct().command(
      {"CONFIG", "SET", "replica-announce-port", std::to_string(own.port)});
  const auto address = replication_->address();
  (void)replica_->direct().command({"REPLICAOF", address.host, std::to_string(address.port)});
  const auto deadline = steady_clock::now() + standstill;
  // A replica that says "online" may not have begun to listen to changes; one that acknowledges a
  // write has. But not the first one: a master without replicas counts no offset, and of a write
  // before they came WAIT says that whoever is there now has it, also who still waits for the data.
  for (int acknowledged = 0; acknowledged < 2;) {
    if (steady_clock::now() > deadline) throw Stalled("the replica does not follow its master");
    (void)master.direct().command({"SET", "probe", "1"});
    if (master.direct().command({"WAIT", "1", "100"}).integer() > 0) ++acknowledged;
  }
}

void World::hold_back_replication() {
  replication_->cut_off(Direction::reply, Link::Whose::replicas);
}

void World::fail_over() {
  nodes_.front()->kill();
  (void)replica_->direct().command({"REPLICAOF", "NO", "ONE"});
  follow_fail_over({{"what", fault::promoted}});
}

void World::start_sentinels() {
  sentinels_ = std::make_unique<Sentinels>(redis_binary_, loop_, history_, reaper_, directory_,
                                           replication_->address());
  sentinels_->await_each_other();
}

void World::must_still_lead() {
  if (sentinels_->all_name(replication_->address())) return;
  throw Stalled("the machine stood still, and Sentinel took the master for dead before it died");
}

void World::fail_over_by_sentinels() {
  must_still_lead();
  nodes_.front()->kill();
  sentinels_->await_master(to_replica_->address());
  replica_->watch();
  follow_fail_over({{"what", fault::promoted}, {"by", "Sentinel"}});
}

void World::follow_fail_over(nlohmann::json promotion) {
  history_.add(replica_->name(), Kind::fault, std::move(promotion));
  first_ = replica_.get();
  for (auto& [name, client] : clients_) client->lock_link().lead_to(first_->address());
}

}  // namespace faults
