#include "tools/bench/measure/quorum_baseline.h"

#include <poll.h>

#include <algorithm>

namespace bench {

QuorumBaseline::QuorumBaseline(const std::vector<core::Address>& nodes,
                               const std::vector<Command>& commands)
    : commands_(commands.size()), outstanding_(nodes.size(), 0) {
  for (const auto& node : nodes) baselines_.push_back(std::make_unique<Baseline>(node, commands));
}

void QuorumBaseline::one_after_another() {
  for (std::size_t i = 0; i < commands_; ++i) {
    for (auto& baseline : baselines_) {
      baseline->send(i);
      baseline->receive();
    }
  }
}

void QuorumBaseline::wait_for_all() {
  for (std::size_t i = 0; i < commands_; ++i) {
    for (auto& baseline : baselines_) baseline->send(i);
    for (auto& baseline : baselines_) baseline->receive();
  }
}

void QuorumBaseline::wait_for_first_majority() {
  for (std::size_t i = 0; i < commands_; ++i) {
    for (std::size_t node = 0; node < baselines_.size(); ++node) {
      baselines_[node]->send(i);
      ++outstanding_[node];
    }
    while (2 * answered() <= baselines_.size()) receive_late_replies();
  }
}

std::size_t QuorumBaseline::answered() const {
  return static_cast<std::size_t>(std::count(outstanding_.begin(), outstanding_.end(), 0U));
}

void QuorumBaseline::receive_late_replies() {
  std::vector<pollfd> sources;
  for (std::size_t node = 0; node < baselines_.size(); ++node) {
    const int descriptor = outstanding_[node] > 0 ? baselines_[node]->descriptor() : -1;
    sources.push_back({.fd = descriptor, .events = POLLIN, .revents = 0});
  }
  poll(sources.data(), sources.size(), -1);
  for (std::size_t node = 0; node < baselines_.size(); ++node) {
    if (sources[node].revents != 0) outstanding_[node] -= baselines_[node]->receive_available();
  }
}

}  // namespace bench
