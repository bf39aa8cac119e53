// New processes of a participant's. The child of a fork is counted as running before it exists. One
// that the C library begins with another program takes its place while that is being loaded; until
// then the keeper, which is told to ask the kernel, finds it among the children of those that wait.
#include "faults/explore/preload/places.h"

#include <dlfcn.h>
#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "faults/explore/preload/raw_syscall.h"
#include "faults/explore/preload/this_process.h"

namespace explore {
namespace {

// Has the place of a process that is being forked, and has no number yet.
constexpr std::int32_t not_known_yet = -1;

ProcessEntry* find(Page& page, std::int32_t id) {
  for (auto& process : page.processes) {
    if (process.id.load() == id) return &process;
  }
  return nullptr;
}

void make_empty(ProcessEntry& place) {
  for (auto& thread : place.threads) thread.state.store(absent);
  for (auto& timer : place.timers) {
    timer.until.store(no_limit);  // of one that is free, too
    timer.descriptor.store(0);
  }
  place.lock.store(0);
  place.running.store(1);
  place.generation.store(0);
  place.other_processes.store(0);
  place.refused = {};
  place.asleep.store(0);
  place.has_entered.store(0);
  place.role = Role::participant;
}

ProcessEntry* take_free_place(Page& page, std::int32_t id) {
  for (auto& place : page.processes) {
    std::int32_t nobody = 0;
    if (!place.id.compare_exchange_strong(nobody, not_known_yet)) continue;
    make_empty(place);
    place.wall_offset.store(page.wall_offset.load());
    place.id.store(id);
    page.places_taken.fetch_add(1);
    return &place;
  }
  page.is_full.store(1);
  return nullptr;
}

// The C library has the child become its program without our `execve`.
using Spawn = int (*)(pid_t*, const char*, const posix_spawn_file_actions_t*,
                      const posix_spawnattr_t*, char* const*, char* const*);

int spawn(const char* function, pid_t* id, const char* program,
          const posix_spawn_file_actions_t* actions, const posix_spawnattr_t* attributes,
          char* const* arguments, char* const* environment) {
  note_unsettled();
  const auto behind = reinterpret_cast<Spawn>(dlsym(RTLD_NEXT, function));
  const int failed = behind(id, program, actions, attributes, arguments, environment);
  note_activity();
  return failed;
}

}  // namespace

ProcessEntry* place_of(Page& page, std::int32_t id) {
  auto* place = find(page, id);
  return place != nullptr ? place : take_free_place(page, id);
}

}  // namespace explore

extern "C" {

// By a program that becomes another; or by a child that the C library has begun, and that has its
// parent's memory: that takes a place for itself.
int execve(const char* program, char* const* arguments, char* const* environment) noexcept {
  auto* page = explore::kept_page();
  auto* place = page == nullptr ? nullptr : explore::place_of(*page, getpid());
  if (place != nullptr) place->has_entered.store(0);
  explore::note_activity();
  const auto failed =
      explore::raw_syscall(SYS_execve, explore::address_of(program), explore::address_of(arguments),
                           explore::address_of(environment));
  if (place != nullptr && place == &explore::this_process()) place->has_entered.store(1);
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
  static const auto function = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"));
  auto* page = explore::kept_page();
  if (page == nullptr) return function();
  auto* place = explore::take_free_place(*page, explore::not_known_yet);
  if (place == nullptr) return explore::returned(-EAGAIN);
  const auto child = function();
  if (child == 0) explore::become_child(*place);
  // The child may have said it, and may even have ended: then its place is somebody else's.
  auto unknown = explore::not_known_yet;
  if (child != 0) place->id.compare_exchange_strong(unknown, std::max(child, 0));
  explore::note_activity();
  return child;
}

// It may share nothing with its parent (POSIX), and then has a place before it begins its program.
pid_t vfork() noexcept {
  return fork();
}

FILE* popen(const char* command, const char* type) {
  using Function = FILE* (*)(const char*, const char*);
  static const auto function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "popen"));
  explore::note_unsettled();
  return function(command, type);
}

}  // extern "C"
