// Threads begin and end in the page too.
#include <pthread.h>

#include <cerrno>
#include <cstdlib>

#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/this_process.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/waits.h"

namespace {

struct Start {
  void* (*routine)(void*);
  void* argument;
  explore::ThreadEntry* entry;
};

void* begin(void* start) {
  const auto given = *static_cast<Start*>(start);
  std::free(start);
  explore::enter_thread(given.entry);
  return given.routine(given.argument);
}

}  // namespace

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*routine)(void*),
                   void* argument) noexcept {
  static const auto function = explore::next_function<decltype(&pthread_create)>("pthread_create");
  if (!explore::counts_waits()) return function(thread, attributes, routine, argument);
  auto* start = static_cast<Start*>(std::malloc(sizeof(Start)));
  if (start == nullptr) return EAGAIN;
  auto* entry = explore::count_thread();
  *start = {.routine = routine, .argument = argument, .entry = entry};
  const int failed = function(thread, attributes, begin, start);
  if (failed != 0) explore::uncount_thread(entry);
  return failed;
}

int pthread_join(pthread_t thread, void** result) {
  static const auto function = explore::next_function<decltype(&pthread_join)>("pthread_join");
  if (explore::counts_waits()) explore::rest_until_end_of(thread);
  return function(thread, result);
}

}  // extern "C"
