// New processes of a participant's: each is counted as running before it exists, or time could go
// on while its program is being loaded.
#include "explore/preload/places.h"

#include <dlfcn.h>
#include <unistd.h>

#include "explore/preload/raw_syscall.h"
#include "explore/preload/this_process.h"

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
  place.fate.store(Fate::lives);
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
  return nullptr;
}

}  // namespace

ProcessEntry* place_of(Page& page, std::int32_t id) {
  auto* place = find(page, id);
  return place != nullptr ? place : take_free_place(page, id);
}

}  // namespace explore

extern "C" {

// Called by a child between vfork(2) and its new program, or by a program that becomes another.
int execve(const char* program, char* const* arguments, char* const* environment) noexcept {
  auto* page = explore::kept_page();
  auto* place = page == nullptr ? nullptr : explore::place_of(*page, getpid());
  const bool is_new = place != nullptr && place->has_entered.exchange(0) == 0;
  explore::note_activity();
  const auto failed =
      explore::raw_syscall(SYS_execve, explore::address_of(program), explore::address_of(arguments),
                           explore::address_of(environment));
  if (is_new) place->fate.store(explore::Fate::dying);  // there is nothing else for it to do
  if (place != nullptr && !is_new) place->has_entered.store(1);
  return explore::returned(failed);
}

int execv(const char* program, char* const* arguments) noexcept {
  return execve(program, arguments, environ);
}

pid_t fork() noexcept {
  static const auto function = reinterpret_cast<pid_t (*)()>(dlsym(RTLD_NEXT, "fork"));
  auto* page = explore::kept_page();
  if (page == nullptr) return function();
  auto* place = explore::take_free_place(*page, explore::not_known_yet);
  const auto child = function();
  if (place == nullptr) return child;
  if (child == 0) explore::become_child(*place);
  if (child > 0) place->id.store(child);
  if (child < 0) place->id.store(0);
  explore::note_activity();
  return child;
}

}  // extern "C"
