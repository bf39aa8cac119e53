#include "faults/explore/stepping/tried_branches.h"

#include <algorithm>

namespace explore {
namespace {

bool begins_with(const TriedBranches::Branch& branch, const TriedBranches::Branch& beginning) {
  return beginning.size() <= branch.size() &&
         std::equal(beginning.begin(), beginning.end(), branch.begin());
}

}  // namespace

void TriedBranches::add(const Branch& branch) {
  for (auto& known : branches_) {
    if (begins_with(known, branch)) return;
    if (begins_with(branch, known)) {
      known = branch;
      return;
    }
  }
  branches_.push_back(branch);
}

}  // namespace explore
