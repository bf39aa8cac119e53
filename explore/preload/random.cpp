// std::random_device in virtual time: it gives the same number always, or a waiter's pauses would
// differ from run to run. Tokens come from getrandom(2) and stay random: no order depends on them.

// The name that libstdc++ gives to the function behind std::random_device::operator().
extern "C" unsigned int number_of_random_device(void* device) noexcept
    __asm__("_ZNSt13random_device9_M_getvalEv");

unsigned int number_of_random_device(void* /*device*/) noexcept {
  return 1;
}
