#include "faults/world/fail_over.h"

#include <fmt/format.h>

#include "faults/kit/errors.h"

namespace faults {

using std::chrono::steady_clock;

void FailOver::start_replica() {
  if (servers_.elect_a_leader()) return;
  auto& master = servers_.at(0);
  master.retire();
  replication_ = std::make_unique<Link>(setup_.loop, setup_.history, "replica", master.name(),
                                        master.address(), Link::Notes::none);
  replica_ = std::make_unique<RedisServer>(setup_.redis, setup_.loop, setup_.history, setup_.reaper,
                                           "replica", setup_.directory / "replica.log");
  setup_.stalls.watch(replica_->process().id());
  to_replica_ = std::make_unique<Link>(setup_.loop, setup_.history, "sentinels", replica_->name(),
                                       replica_->address(), Link::Notes::none);
  const auto own = to_replica_->address();  // where a Sentinel is to look for it
  (void)replica_->direct().command({"CONFIG", "SET", "replica-announce-ip", own.host});
  (void)replica_->direct().command(
      {"CONFIG", "SET", "replica-announce-port", std::to_string(own.port)});
  const auto address = replication_->address();
  (void)replica_->direct().command({"REPLICAOF", address.host, std::to_string(address.port)});
  const auto deadline = steady_clock::now() + standstill;
  // A replica that says "online" may not have begun to listen to changes; one that acknowledges a
  // write has. But the first acknowledgement does not count: a master without replicas counts no
  // offset, so WAIT takes a replica that still waits for the data for one that has the write.
  for (int acknowledged = 0; acknowledged < 2;) {
    if (steady_clock::now() > deadline) throw Stalled("the replica does not follow its master");
    (void)master.direct().command({"SET", "probe", "1"});
    if (master.direct().command({"WAIT", "1", "100"}).integer() > 0) ++acknowledged;
  }
}

void FailOver::stop_replication() {
  if (replication_) replication_->cut_off(Direction::reply, Link::Whose::replicas);
}

void FailOver::kill_leader_and_await_next() {
  servers_.kill(servers_.await_leader());
  const auto next = servers_.await_leader();
  setup_.history.add(servers_.server(next).name(), Kind::fault,
                     {{"what", fault::promoted}, {"by", "an election"}});
}

void FailOver::kill_master_and_promote() {
  if (servers_.elect_a_leader()) {
    kill_leader_and_await_next();
    return;
  }
  servers_.at(0).kill();
  (void)replica_->direct().command({"REPLICAOF", "NO", "ONE"});
  put_replica_first({{"what", fault::promoted}});
}

void FailOver::start_sentinels() {
  sentinels_ = std::make_unique<Sentinels>(setup_.redis, setup_.loop, setup_.history, setup_.reaper,
                                           setup_.directory, replication_->address());
  sentinels_->await_each_other();
  if (!setup_.lock.finds_servers()) return;
  clients_.set_search({.scheme = "redis-sentinel",
                       .asked = sentinels_->addresses(),
                       .others = {{.name = replica_->name(),
                                   .address = replica_->address(),
                                   .announced = to_replica_->address().port}},
                       .path = "/lock"},
                      replication_->address().port);
}

void FailOver::sentinels_must_see_master() {
  if (sentinels_->all_name(replication_->address())) return;
  throw Stalled("the machine stood still, and Sentinel took the master for dead before it died");
}

void FailOver::kill_master_and_await_sentinels() {
  sentinels_must_see_master();
  servers_.at(0).kill();
  if (setup_.lock.finds_servers()) clients_.shut_links_to(0);
  sentinels_->await_master(to_replica_->address());
  replica_->watch();
  put_replica_first({{"what", fault::promoted}, {"by", "Sentinel"}});
}

void FailOver::put_replica_first(nlohmann::json promotion) {
  setup_.history.add(replica_->name(), Kind::fault, std::move(promotion));
  servers_.replace_first(*replica_);
  if (sentinels_ && setup_.lock.finds_servers()) return;
  clients_.redirect_links_to(0, replica_->address());
}

}  // namespace faults
