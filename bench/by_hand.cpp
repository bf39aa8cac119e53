#include "bench/by_hand.h"

#include <poll.h>

#include <algorithm>

namespace bench {

ByHand::ByHand(const std::vector<core::Address>& nodes, const std::vector<Words>& commands)
    : commands_(commands.size()), owed_(nodes.size(), 0) {
  for (const auto& node : nodes) replays_.push_back(std::make_unique<Replay>(node, commands));
}

void ByHand::one_after_another() {
  for (std::size_t i = 0; i < commands_; ++i) {
    for (auto& replay : replays_) {
      replay->send(i);
      replay->receive();
    }
  }
}

void ByHand::wait_for_all() {
  for (std::size_t i = 0; i < commands_; ++i) {
    for (auto& replay : replays_) replay->send(i);
    for (auto& replay : replays_) replay->receive();
  }
}

void ByHand::wait_for_the_first_majority() {
  for (std::size_t i = 0; i < commands_; ++i) {
    for (std::size_t node = 0; node < replays_.size(); ++node) {
      replays_[node]->send(i);
      ++owed_[node];
    }
    while (2 * answered() <= replays_.size()) receive_from_who_owes();
  }
}

std::size_t ByHand::answered() const {
  return static_cast<std::size_t>(std::count(owed_.begin(), owed_.end(), 0U));
}

void ByHand::receive_from_who_owes() {
  std::vector<pollfd> sources;
  for (std::size_t node = 0; node < replays_.size(); ++node) {
    const int descriptor = owed_[node] > 0 ? replays_[node]->descriptor() : -1;
    sources.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
  }
  poll(sources.data(), sources.size(), -1);
  for (std::size_t node = 0; node < replays_.size(); ++node) {
    if (sources[node].revents != 0) owed_[node] -= replays_[node]->receive_what_came();
  }
}

}  // namespace bench
