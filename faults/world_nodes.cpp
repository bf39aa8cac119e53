// What happens to the servers of a world, each of which stands by itself.
#include <fmt/format.h>

#include "faults/errors.h"
#include "faults/world.h"

namespace faults {

using std::chrono::milliseconds;

void World::kill_node(std::size_t i) {
  node(i).kill();
  for (auto& [name, client] : clients_) client->lock_link(i).shut();
}

void World::bring_back_node(std::size_t i) {
  node(i).start();
  set_marker(node(i));
  watch(node(i));
  for (auto& [name, client] : clients_) client->lock_link(i).open();
}

void World::restart_node_empty(std::size_t i) {
  node(i).kill();
  node(i).start_empty();
  watch(node(i));
}

void World::kill_nodes(std::size_t count) {
  for (auto i = nodes() - count; i < nodes(); ++i) kill_node(i);
}

void World::bring_back_nodes(std::size_t count) {
  for (auto i = nodes() - count; i < nodes(); ++i) bring_back_node(i);
}

void World::freeze_nodes(std::size_t count) {
  for (auto i = nodes() - count; i < nodes(); ++i) {
    node(i).freeze();
    if (!node(i).process().frozen()) {
      throw NotExercised(node(i).name() + " was to be frozen, and still runs");
    }
    history_.add(node(i).name(), Kind::fault, {{"what", fault::frozen}});
  }
}

void World::thaw_nodes(std::size_t count) {
  for (auto i = nodes() - count; i < nodes(); ++i) {
    if (!node(i).process().frozen()) {
      throw NotExercised(node(i).name() + " was to be frozen, and went on");
    }
    history_.add(node(i).name(), Kind::fault, {{"what", fault::thawed}});
    node(i).thaw();
  }
}

void World::demote_nodes() {
  for (std::size_t i = 0; i < nodes(); ++i) {
    // A replica keeps what it has until it has found its master, and there nobody listens.
    (void)node(i).direct().command({"REPLICAOF", "127.0.0.1", "1"});
    history_.add(node(i).name(), Kind::fault, {{"what", fault::demoted}});
  }
}

void World::reinstate_nodes() {
  for (std::size_t i = 0; i < nodes(); ++i) {
    (void)node(i).direct().command({"REPLICAOF", "NO", "ONE"});
    history_.add(node(i).name(), Kind::fault, {{"what", fault::reinstated}});
  }
}

void World::step_clocks(std::size_t count, milliseconds by) {
  for (std::size_t i = 0; i < count; ++i) {
    node(i).step_clock(by);
    // A server may notice the end of a lease only when somebody asks for the key.
    (void)node(i).direct().command({"EXISTS", lock_key});
  }
  catch_up();
}

void World::remove_lock() {
  std::size_t had_it = 0;
  for (std::size_t i = 0; i < nodes(); ++i) {
    if (delete_lock_on(i)) ++had_it;
  }
  if (had_it < majority()) throw Stalled("the lease ran out before the lock was deleted");
}

void World::remove_lock_on(std::size_t i) {
  if (delete_lock_on(i)) return;
  throw Stalled(node(i).name() + " never had the lock, or its lease ran out before it was deleted");
}

bool World::delete_lock_on(std::size_t i) {
  history_.add(node(i).name(), Kind::fault, {{"what", fault::removed}});
  return node(i).direct().command({"DEL", lock_key}).integer() == 1;
}

void World::flush_scripts() {
  for (std::size_t i = 0; i < nodes(); ++i) {
    (void)node(i).direct().command({"SCRIPT", "FLUSH"});
    const auto memory = node(i).direct().command({"INFO", "memory"});
    if (memory.text().find("number_of_cached_scripts:0") == std::string_view::npos) {
      throw NotExercised("the server still knows scripts after it was told to forget them");
    }
    history_.add(node(i).name(), Kind::fault, {{"what", fault::flushed}});
  }
}

}  // namespace faults
