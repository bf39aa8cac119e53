// std::random_device in virtual time: it always gives the same number, or a waiter's pauses would
// differ from run to run. Each participant has a number of its own: two that wait for each other
// must not pause alike. Tokens come from getrandom(2) and stay random: no order depends on them.
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

// The function that std::random_device::operator() calls, by its name in libstdc++.
extern "C" unsigned int number_of_random_device(void* device) noexcept
    __asm__("_ZNSt13random_device9_M_getvalEv");

unsigned int number_of_random_device(void* /*device*/) noexcept {
  const auto* page = explore::kept_page();
  if (page == nullptr) return 1;
  auto number = static_cast<unsigned>(1 + (&explore::this_process() - page->processes.data()));
  // The first chooses ports by chance, which other programs of this machine should not choose.
  if (number == 1) {
    (void)explore::raw_syscall(SYS_getrandom, explore::address_of(&number), sizeof number, 0);
  }
  return number;
}
