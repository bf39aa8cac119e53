#include "faults/world/clustered.h"

#include "core/redis/key_slot.h"
#include "faults/kit/errors.h"

namespace faults {

void Clustered::start(Cluster::Replicas replicas) {
  slot_ = core::slot_of(setup_.lock.key_on_server());
  master_ = Cluster::first_master_of(slot_);
  // To people the lock's servers are what they are without a Cluster.
  auto names = Cluster::usual_names();
  names.at(master_) = "redis";
  names.at(Cluster::replica_of(master_)) = "replica";
  cluster_ = std::make_unique<Cluster>(setup_.redis, setup_.loop, setup_.history, setup_.reaper,
                                       setup_.directory, replicas, names);
  for (std::size_t i = 0; i < cluster_->size(); ++i) servers_.get_ready(cluster_->node(i));
  servers_.replace_first(cluster_->node(master_));
  tell_clients();
}

void Clustered::tell_clients() {
  ServerSearch search{.scheme = "redis-cluster", .asked = {}, .others = {}, .path = {}};
  for (std::size_t i = 0; i < cluster_->size(); ++i) {
    if (i == master_) continue;
    search.others.push_back({.name = cluster_->node(i).name(),
                             .address = cluster_->node(i).address(),
                             .announced = cluster_->front(i).address().port});
  }
  clients_.set_search(std::move(search), cluster_->front(master_).address().port);
}

void Clustered::stop_replication() {
  cluster_->front(master_).cut_off(Direction::reply, Link::Whose::replicas);
}

void Clustered::must_be_well() {
  if (cluster_->is_well()) return;
  throw Stalled("the machine stood still, and the Cluster took a node for dead");
}

void Clustered::kill_master_and_await_replica() {
  must_be_well();
  cluster_->node(master_).kill();
  cluster_->front(master_).shut();
  clients_.shut_links_to(0);
  const auto heir = Cluster::replica_of(master_);
  cluster_->await_master(slot_, heir);
  setup_.history.add(cluster_->node(heir).name(), Kind::fault,
                     {{"what", fault::promoted}, {"by", "the Cluster"}});
  servers_.replace_first(cluster_->node(heir));
}

void Clustered::move_key() {
  cluster_->begin_move(slot_, master_, next_master());
  setup_.history.add(cluster_->node(next_master()).name(), Kind::fault,
                     {{"what", fault::moved}, {"from", cluster_->node(master_).name()}});
  cluster_->move_keys(slot_, master_, next_master());
  cluster_->node(master_).catch_up();
  cluster_->node(next_master()).catch_up();
}

void Clustered::move_slot() {
  cluster_->end_move(slot_, next_master());
  servers_.replace_first(cluster_->node(next_master()));
}

}  // namespace faults
