// The branches of a run that a person has tried, each as its steps from the beginning.
//
// Thread-safety: none; one thread.
#pragma once

#include <string>
#include <vector>

namespace explore {

class TriedBranches {
 public:
  using Branch = std::vector<std::string>;

  // Leaves out a branch that is the beginning of another.
  void add(const Branch& branch);
  // In the order in which they were begun.
  [[nodiscard]] const std::vector<Branch>& all() const { return branches_; }

 private:
  std::vector<Branch> branches_;
};

}  // namespace explore
