// Preloaded into a server or a client: the wall clock, plus what the file named by LAB_CLOCK says.
//
// Only the wall clock: CLOCK_MONOTONIC goes on as it does on a machine whose administrator sets the
// time. The kernel is asked directly. Looking for the functions this library stands in front of
// (dlsym) would allocate, jemalloc asks for the time while it sets itself up, and the server would
// wait for itself.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

namespace {

constexpr std::int64_t second = 1'000'000'000;  // in nanoseconds

const std::int64_t* offset = nullptr;  // in nanoseconds; written by faults/kit/clock.cpp

[[gnu::constructor]] void map_offset() {
  const char* path = std::getenv("LAB_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  void* memory = mmap(nullptr, sizeof *offset, PROT_READ, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) offset = static_cast<const std::int64_t*>(memory);
  close(file);
}

std::int64_t wall_clock() {
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  const auto step = offset == nullptr ? 0 : __atomic_load_n(offset, __ATOMIC_RELAXED);
  return now.tv_sec * second + now.tv_nsec + step;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  if (clock != CLOCK_REALTIME) return static_cast<int>(syscall(SYS_clock_gettime, clock, result));
  const auto now = wall_clock();
  *result = {.tv_sec = now / second, .tv_nsec = now % second};
  return 0;
}

int gettimeofday(timeval* result, void* /*timezone*/) noexcept {
  const auto now = wall_clock();
  *result = {.tv_sec = now / second, .tv_usec = now % second / 1'000};
  return 0;
}

time_t time(time_t* result) noexcept {
  const time_t now = wall_clock() / second;
  if (result != nullptr) *result = now;
  return now;
}

}  // extern "C"
