#include "stage7_redlock/quorum_hold.h"

#include <utility>

#include "stage6_reentrant/identity.h"

namespace stage7 {

using stage5::Clock;
using stage5::Question;
using stage5::Renewed;

QuorumHold::QuorumHold(std::string token, std::chrono::milliseconds lease, Clock::time_point asked,
                       std::shared_ptr<const stage5::Renewal> renewal,
                       std::shared_ptr<const Nodes> nodes, std::vector<std::string> keys,
                       std::shared_ptr<Wires> wires)
    : Hold(std::move(token), lease, asked, std::move(renewal)),
      participant_(stage6::participant()),
      nodes_(std::move(nodes)),
      keys_(std::move(keys)),
      wires_(std::move(wires)) {}

void QuorumHold::repair_with(core::Script script, std::vector<std::string> arguments) {
  const std::lock_guard guard(mutex_);
  repair_ = script;
  repair_arguments_ = std::move(arguments);
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
  auto arguments = repair_arguments_;
  if (arguments.size() > 3) arguments[3] = std::to_string(lease().count());  // not a level's
  std::vector<Question> questions;
  for (const auto& node : std::exchange(round_.without_it, {})) {
    questions.push_back({.server = node, .script = repair_, .keys = keys_, .arguments = arguments});
  }
  return questions;
}

}  // namespace stage7
