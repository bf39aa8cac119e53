#include "core/token.h"

#include <pthread.h>
#include <sys/random.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace core {
namespace {

// Random bytes of the calling thread, fetched many at a time: a system call for each hold would be
// a noticeable part of the cost of an acquire.
struct Fetched {
  std::array<unsigned char, 256> bytes;
  std::size_t used = sizeof bytes;
};
thread_local Fetched fetched;

// A child process must not return the same tokens as its parent.
void after_fork_in_child() {
  fetched.used = fetched.bytes.size();
}

void refill() {
  [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, after_fork_in_child);
  // Up to 256 bytes come whole or not at all:
  // https://man7.org/linux/man-pages/man2/getrandom.2.html
  const auto wanted = fetched.bytes.size();
  if (getrandom(fetched.bytes.data(), wanted, 0) != static_cast<ssize_t>(wanted)) {
    throw std::system_error(errno, std::generic_category(), "getrandom");
  }
  fetched.used = 0;
}

}  // namespace

std::string random_token() {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::size_t size = 16;
  static_assert(sizeof(Fetched::bytes) % size == 0);
  if (fetched.used == fetched.bytes.size()) refill();
  std::string token(2 * size, '0');
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = fetched.bytes[fetched.used++];
    token[2 * i] = digits[byte >> 4U];
    token[2 * i + 1] = digits[byte & 15U];
  }
  return token;
}

}  // namespace core
