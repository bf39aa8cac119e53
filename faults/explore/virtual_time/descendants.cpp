#include "faults/explore/virtual_time/descendants.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "faults/explore/virtual_time/proc.h"

namespace explore {

Descendants::Descendants() : others_(children_of(getpid())) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Descendants::~Descendants() {
  // The children of each that is killed are children of this process then.
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (const auto child : children()) {
      if (is_reaper(child)) continue;
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
      is_done = false;
    }
  }
  for (const auto reaper : children()) waitpid(reaper, nullptr, 0);
  prctl(PR_SET_CHILD_SUBREAPER, 0);
}

std::vector<pid_t> Descendants::children() const {
  auto all = children_of(getpid());
  std::erase_if(all, [this](pid_t child) {
    return std::find(others_.begin(), others_.end(), child) != others_.end();
  });
  return all;
}

bool is_reaper(pid_t process) {
  return name_of(process) == "lab_reaper";
}

}  // namespace explore
