#include "stage7_redlock/quorum_hold.h"

#include <utility>

namespace stage7 {

QuorumHold::QuorumHold(std::string token, std::chrono::milliseconds lease, Clock::time_point asked,
                       std::shared_ptr<const Renewal> renewal, std::shared_ptr<const Nodes> nodes,
                       const Words& keys, core::Script repair,
                       std::shared_ptr<QuorumConnections> connections)
    : Hold(std::move(token), lease, asked, std::move(renewal)),
      participant_(participant()),
      nodes_(std::move(nodes)),
      keys_(keys.begin(), keys.end()),
      repair_(repair),
      connections_(std::move(connections)) {}

void QuorumHold::renew(const Ask& ask, const OnOutcome& settle) {
  round_ = std::make_shared<Round>();
  for (const auto& node : nodes_->addresses()) {
    ask(node, {.hold = shared_from_this(),
               .script = renewal()->script,
               .keys = keys_,
               .arguments = {token(), std::to_string(lease().count()), participant_},
               .answered = [=, this, round = round_](Renewed answer) {
                 if (round != round_) return;  // too late: another round is under way
                 const bool was_open = !round->outcome;
                 hear(node, answer);
                 if (was_open && round->outcome) settle(*round->outcome);
                 if (round->outcome == Renewed::renewed && !renewal_stopped()) repair(ask);
               }});
  }
}

void QuorumHold::hear(const core::Address& node, Renewed answer) {
  if (answer == Renewed::renewed) ++round_->renewed;
  if (answer == Renewed::unknown) ++round_->unknown;
  if (answer == Renewed::lost) {
    ++round_->lost;
    round_->without_it.push_back(node);
  }
  if (!round_->outcome) round_->outcome = outcome();
}

std::optional<Renewed> QuorumHold::outcome() const {
  if (round_->renewed >= nodes_->majority()) return Renewed::renewed;
  if (nodes_->prevent_majority(round_->lost)) return Renewed::lost;
  if (nodes_->prevent_majority(round_->lost + round_->unknown)) return Renewed::unknown;
  return std::nullopt;
}

void QuorumHold::repair(const Ask& ask) {
  for (const auto& node : std::exchange(round_->without_it, {})) {
    ask(node, {.hold = shared_from_this(),
               .script = repair_,
               .keys = keys_,
               .arguments = entering(depth_)});
  }
}

std::vector<std::string> QuorumHold::entering(int depth) const {
  return {token(), participant_,      std::to_string(depth), std::to_string(lease().count()),
          "begin", host_and_process()};
}

}  // namespace stage7
