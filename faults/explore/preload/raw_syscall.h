// System calls without the C library, whose functions this library replaces, `syscall` included.
// Each returns what the kernel does: a negative error number if it failed.
//
// Thread-safety: pure functions.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace explore {

inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
#if defined(__x86_64__)
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long x8 asm("x8") = number;
  register long x0 asm("x0") = a;
  register long x1 asm("x1") = b;
  register long x2 asm("x2") = c;
  register long x3 asm("x3") = d;
  register long x4 asm("x4") = e;
  register long x5 asm("x5") = f;
  asm volatile("svc 0"
               : "+r"(x0)
               : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
               : "memory");
  return x0;
#else
#error "virtual time knows x86-64 and 64-bit ARM"
#endif
}

template <typename T>
long address_of(T* pointer) {
  return reinterpret_cast<long>(pointer);
}

// As the C library returns it: -1 and `errno` for an error.
template <typename Result = int>
Result returned(long result) {
  if (result >= 0 || result < -4095) return static_cast<Result>(result);
  errno = static_cast<int>(-result);
  return static_cast<Result>(-1);
}

inline long futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t while_it_is,
                       const timespec* limit = nullptr) {
  return raw_syscall(SYS_futex, address_of(&word), FUTEX_WAIT, while_it_is, address_of(limit));
}

inline void futex_wake(std::atomic<std::uint32_t>& word) {
  (void)raw_syscall(SYS_futex, address_of(&word), FUTEX_WAKE, 1'000);
}

}  // namespace explore
