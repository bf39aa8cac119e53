#include "faults/explore/coverage/event_pairs.h"

#include <algorithm>

namespace explore {

std::size_t EventPairs::number_of(const std::string& label, int repetition) {
  const auto [known, is_new] = numbers_.try_emplace({label, repetition}, participants_.size());
  if (is_new) {
    participants_.push_back(label.substr(0, label.find(':')));
    before_.emplace_back();
  }
  return known->second;
}

void EventPairs::add(const std::vector<std::string>& labels) {
  std::map<std::string, int> repetitions;
  std::vector<std::size_t> numbers;
  for (const auto& label : labels) numbers.push_back(number_of(label, ++repetitions[label]));
  for (auto first = numbers.begin(); first != numbers.end(); ++first) {
    auto& after = before_[*first];
    after.resize(std::max(after.size(), participants_.size()));
    for (auto second = first + 1; second != numbers.end(); ++second) after[*second] = true;
  }
}

EventPairs::Counts EventPairs::counts() const {
  const auto is_before = [this](std::size_t a, std::size_t b) {
    return b < before_[a].size() && before_[a][b];
  };
  Counts counts;
  for (std::size_t a = 0; a < participants_.size(); ++a) {
    for (std::size_t b = a + 1; b < participants_.size(); ++b) {
      if (participants_[a] == participants_[b]) continue;
      const bool forth = is_before(a, b);
      const bool back = is_before(b, a);
      if (forth && back) ++counts.both_orders;
      if (forth != back) ++counts.one_order;
    }
  }
  return counts;
}

}  // namespace explore
