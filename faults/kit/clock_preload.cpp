// Preloaded into a server or a client: the wall clock, plus what the file named by LAB_CLOCK says.
//
// Only the wall clock: CLOCK_MONOTONIC stays unchanged, as when an administrator sets the time. The
// kernel is asked directly. Looking for the replaced functions (dlsym) would allocate, jemalloc
// asks for the time while it sets itself up, and the server would wait for itself.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "faults/kit/clock_file.h"

namespace {

constexpr std::int64_t second = 1'000'000'000;  // in nanoseconds

faults::ClockFile* shared = nullptr;

[[gnu::constructor]] void map_file() {
  const char* path = std::getenv("LAB_CLOCK");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* memory = mmap(nullptr, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) shared = static_cast<faults::ClockFile*>(memory);
  close(file);
}

void note_reading() {
  if (shared != nullptr && !shared->is_read) shared->is_read = true;
}

std::int64_t wall_clock() {
  note_reading();
  timespec now{};
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
  const auto step = shared == nullptr ? 0 : shared->offset.load(std::memory_order_relaxed);
  return now.tv_sec * second + now.tv_nsec + step;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* result) noexcept {
  if (clock != CLOCK_REALTIME) {
    note_reading();
    return static_cast<int>(syscall(SYS_clock_gettime, clock, result));
  }
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
