#include "stage7_redlock/quorum_hold.h"

#include <utility>

namespace stage7 {

using stage5::Question;
using stage5::Renewed;

QuorumHold::QuorumHold(std::string token, std::chrono::milliseconds lease, Clock::time_point asked,
                       std::shared_ptr<const stage5::Renewal> renewal,
                       std::shared_ptr<const Nodes> nodes, const Words& keys,
                       std::shared_ptr<QuorumConnections> connections)
    : Hold(std::move(token), lease, asked, std::move(renewal)),
      participant_(participant()),
      nodes_(std::move(nodes)),
      keys_(keys.begin(), keys.end()),
      connections_(std::move(connections)) {}

void QuorumHold::repair_with(core::Script script, int depth) {
  const std::lock_guard guard(mutex_);
  repair_ = script;
  depth_ = depth;
}

std::vector<Question> QuorumHold::questions(Clock::time_point asked) {
  round_ = {.asked = asked};
  std::vector<Question> questions;
  for (const auto& node : nodes_->addresses()) {
    questions.push_back({.server = node,
                         .script = renewal()->script,
                         .keys = keys_,
                         .arguments = {token(), std::to_string(lease().count()), participant_}});
  }
  return questions;
}

std::optional<Renewed> QuorumHold::learn(const core::Address& server, Renewed outcome,
                                         Clock::time_point asked) {
  if (asked != round_.asked) return std::nullopt;  // too late: another round is under way
  switch (outcome) {
    case Renewed::renewed: ++round_.renewed; break;
    case Renewed::unknown:
    case Renewed::script_unknown: ++round_.unknown; break;
    case Renewed::lost:
      ++round_.lost;
      round_.without_it.push_back(server);
      break;
  }
  if (round_.outcome) return std::nullopt;  // only to be repaired
  if (round_.renewed >= nodes_->majority()) {
    round_.outcome = Renewed::renewed;
  } else if (nodes_->prevent_majority(round_.lost)) {
    round_.outcome = Renewed::lost;
  } else if (nodes_->prevent_majority(round_.lost + round_.unknown)) {
    round_.outcome = Renewed::unknown;
  }
  return round_.outcome;
}

std::vector<Question> QuorumHold::repairs() {
  if (round_.outcome != Renewed::renewed) return {};
  const std::lock_guard guard(mutex_);
  std::vector<Question> questions;
  for (const auto& node : std::exchange(round_.without_it, {})) {
    questions.push_back(
        {.server = node, .script = repair_, .keys = keys_, .arguments = entering(depth_)});
  }
  return questions;
}

std::vector<std::string> QuorumHold::entering(int depth) const {
  return {token(), participant_,      std::to_string(depth), std::to_string(lease().count()),
          "begin", host_and_process()};
}

}  // namespace stage7
