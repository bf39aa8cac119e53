#include "faults/explore/preload/activity.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

namespace explore {

void note_activity() {
  if (auto* page = kept_page()) page->activity.fetch_add(1);
}

void note_unsettled() {
  if (auto* page = kept_page()) page->unsettled.fetch_add(1);
}

void note_output() {
  auto* page = kept_page();
  // The output of the first participant goes to people, who read it when they like.
  if (page == nullptr || &this_process() == page->processes.data()) return;
  for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO}) {
    int unread = 0;
    const auto failed = raw_syscall(SYS_ioctl, descriptor, FIONREAD, address_of(&unread));
    if (failed == 0 && unread > 0) note_activity();
  }
}

}  // namespace explore
