// New processes of a participant's. The child of a fork is counted as running before it exists. A
// child that the C library begins with another program takes its slot while that is being loaded;
// until then the keeper asks the kernel, and finds it among the children of those that wait.
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/next_function.h"
#include "faults/explore/preload/participant_slots.h"
#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

namespace explore {
namespace {

// The C library's child becomes its program without our `execve`.
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, char* const*, char* const*);

int spawn(const char* function, pid_t* id, const char* program,
          const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
          char* const* arguments, char* const* environment) {
  note_unsettled();
  const auto next = next_function<Spawn>(function);
  const int failed = next(id, program, actions, attributes, arguments, environment);
  note_activity();
  return failed;
}

}  // namespace
}  // namespace explore

extern "C" {

// Called by a program that becomes another, or by a child that the C library has begun, and that
// has its parent's memory: that takes a slot for itself.
int execve(const char* program, char* const* arguments, char* const* environment) noexcept {
  auto* page = explore::kept_page();
  auto* slot = page == nullptr ? nullptr : explore::slot_of(*page, getpid());
  if (slot != nullptr) slot->has_entered.store(0);
  explore::note_activity();
  const auto failed =
      explore::raw_syscall(SYS_execve, explore::address_of(program), explore::address_of(arguments),
                           explore::address_of(environment));
  if (slot != nullptr && slot == &explore::this_process()) slot->has_entered.store(1);
  return explore::returned(failed);
}

int execv(const char* program, char* const* arguments) noexcept {
  return execve(program, arguments, environ);
}

int posix_spawn(pid_t* id, const char* program, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments,
                char* const* environment) {
  return explore::spawn("posix_spawn", id, program, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t* id, const char* program, const posix_spawn_file_actions_t* actions,
                 const posix_spawnattr_t* attributes, char* const* arguments,
                 char* const* environment) {
  return explore::spawn("posix_spawnp", id, program, actions, attributes, arguments, environment);
}

pid_t fork() noexcept {
  static const auto function = explore::next_function<decltype(&fork)>("fork");
  auto* page = explore::kept_page();
  if (page == nullptr) return function();
  auto* slot = explore::take_free_slot(*page, explore::not_known_yet);
  if (slot == nullptr) return explore::returned(-EAGAIN);
  const auto child = function();
  if (child == 0) explore::become_child(*slot);
  // The child may have written it, and may even have ended: then its slot is another process's.
  auto unknown = explore::not_known_yet;
  if (child != 0) slot->id.compare_exchange_strong(unknown, std::max(child, 0));
  explore::note_activity();
  return child;
}

// It may share nothing with its parent (POSIX), and then has a slot before it begins its program.
pid_t vfork() noexcept {
  return fork();
}

FILE* popen(const char* command, const char* type) {
  static const auto function = explore::next_function<decltype(&popen)>("popen");
  explore::note_unsettled();
  return function(command, type);
}

}  // extern "C"
