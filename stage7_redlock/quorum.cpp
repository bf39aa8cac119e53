#include "stage7_redlock/quorum.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <iostream>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/redis/server.h"
#include "core/waiting.h"

namespace stage7 {

Quorum::Quorum(std::vector<core::Address> nodes, QuorumOptions options)
    : nodes_(std::make_shared<const Nodes>(std::move(nodes))), options_(std::move(options)) {
  const auto count = nodes_->count();
  if (count == 0) throw std::invalid_argument("a quorum needs nodes");
  std::set<std::string> servers;
  for (const auto& node : nodes_->addresses()) servers.insert(node.server_text());
  if (servers.size() < count) {
    throw std::invalid_argument("a node is in the quorum twice: it would have two votes");
  }
  if (count % 2 == 0) {
    std::cerr << fmt::format(
        "a quorum of {} nodes stands the loss of {}, as one of {} does: use {} or {}\n", count,
        count - nodes_->majority(), count - 1, count - 1, count + 1);
  }
}

Words Quorum::with_marker(Words keys) const {
  if (!options_.marker.empty()) keys.push_back(options_.marker);
  return keys;
}

std::string Quorum::text() const {
  std::vector<std::string> texts;
  for (const auto& node : nodes_->addresses()) texts.push_back(node.text());
  return fmt::format("{}", fmt::join(texts, ","));
}

void Quorum::provision() {
  if (options_.marker.empty()) return;
  for (const auto& node : nodes_->addresses())
    core::Server(node).command({"SET", options_.marker, "1"});
}

bool Quorum::readmit(const core::Address& node, std::chrono::milliseconds longest_lease,
                     const std::stop_token& stop) {
  must_have_marker();
  if (!core::pause_for(longest_lease, stop)) return false;
  core::Server(node).command({"SET", options_.marker, "1"});
  return true;
}

void Quorum::must_have_marker() const {
  if (!options_.marker.empty()) return;
  throw std::logic_error("no marker is asked for, every node votes: there is nothing to readmit");
}

std::shared_ptr<QuorumConnections> Quorum::connections() {
  const std::lock_guard guard(mutex_);
  for (const auto& connections : all_) {
    if (!connections->is_busy()) return connections;
  }
  all_.push_back(std::make_shared<QuorumConnections>(nodes_->addresses(), options_.node_timeout));
  return all_.back();
}

}  // namespace stage7
