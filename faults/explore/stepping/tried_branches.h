// The branches that somebody has tried, each as the steps from the beginning.
//
// Thread-safety: none; one thread.
#pragma once

#include <string>
#include <vector>

namespace explore {

class TriedBranches {
 public:
  using Branch = std::vector<std::string>;

  // A branch that is the beginning of another is left out.
  void add(const Branch& branch);
  // In the order in which they were begun.
  [[nodiscard]] const std::vector<Branch>& all() const { return branches_; }

 private:
  std::vector<Branch> branches_;
};

}  // namespace explore
