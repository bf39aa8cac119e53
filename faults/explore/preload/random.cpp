// Random numbers in virtual time, or a waiter's pauses would differ from run to run.
//
// std::random_device always gives the same number; each participant has one of its own: two that
// wait for each other must not pause alike. In a search the bytes of getrandom(2), from which
// interpreters take their numbers, are those of the client's name: every new process of it draws
// the same, and no other client does, since owners of locks are made of them.
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

namespace explore {
namespace {

constinit std::atomic<std::uint64_t> numbers_drawn{0};

std::uint64_t number_of_client() {
  const char* name = std::getenv("LOCK_CLIENT");
  std::uint64_t number = 14'695'981'039'346'656'037U;  // FNV-1a
  for (const char letter : std::string_view(name == nullptr ? "" : name)) {
    number = (number ^ static_cast<unsigned char>(letter)) * 1'099'511'628'211U;
  }
  return number;
}

// SplitMix64.
std::uint64_t next_number() {
  const auto count = numbers_drawn.fetch_add(1) + 1;
  auto number = number_of_client() + count * 0x9e37'79b9'7f4a'7c15U;
  number = (number ^ (number >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  number = (number ^ (number >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return number ^ (number >> 31U);
}

void fill(char* bytes, std::size_t size) {
  while (size > 0) {
    const auto number = next_number();
    const auto count = std::min(size, sizeof number);
    std::memcpy(bytes, &number, count);
    bytes += count;
    size -= count;
  }
}

}  // namespace
}  // namespace explore

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

extern "C" {

ssize_t getrandom(void* bytes, std::size_t size, unsigned flags) {
  if (!explore::is_client()) {
    return explore::returned<ssize_t>(explore::raw_syscall(
        SYS_getrandom, explore::address_of(bytes), static_cast<long>(size), flags));
  }
  explore::fill(static_cast<char*>(bytes), size);
  return static_cast<ssize_t>(size);
}

int getentropy(void* bytes, std::size_t size) {
  constexpr std::size_t most = 256;
  if (size > most) return explore::returned(-EIO);
  const auto got = getrandom(bytes, size, 0);
  return got == static_cast<ssize_t>(size) ? 0 : -1;
}

}  // extern "C"
