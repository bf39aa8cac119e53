#include "faults/explore/preload/this_process.h"

#include <pthread.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <cstring>

#include "faults/explore/preload/activity.h"
#include "faults/explore/preload/alarms.h"
#include "faults/explore/preload/map_file.h"
#include "faults/explore/preload/participant_slots.h"
#include "faults/explore/preload/process_entry.h"
#include "faults/explore/preload/thread_entries.h"
#include "faults/explore/preload/turns.h"
#include "faults/explore/preload/virtual_clock.h"

namespace explore {
namespace {

SharedPage* page = nullptr;
ProcessEntry* own_entry = nullptr;

bool has_role(ProcessRole role) {
  return own_entry != nullptr && own_entry->role == role;
}

// The slot of that number, if it is this process's to take.
ProcessEntry* given_slot(std::size_t number) {
  auto& mine = page->processes[number];
  const auto id = static_cast<std::int32_t>(getpid());
  std::int32_t none = 0;
  if (mine.id.compare_exchange_strong(none, id) || none == id) return &mine;
  mine.other_processes.fetch_add(1);  // a program that was started by the slot's owner
  return nullptr;
}

// This process's slot; null: it does not live in virtual time.
ProcessEntry* find_slot() {
  const char* path = std::getenv(page_variable);
  if (path == nullptr) return nullptr;
  const char* slot = std::getenv(slot_variable);
  const auto number = slot == nullptr ? 0 : static_cast<std::size_t>(std::atoi(slot));
  page = number < SharedPage::most_processes ? map_file<SharedPage>(path) : nullptr;
  if (slot != nullptr) return page == nullptr ? nullptr : given_slot(number);
  if (page == nullptr) _exit(127);  // its keeper is gone
  auto* mine = slot_of(*page, getpid());
  if (mine == nullptr) _exit(127);  // the keeper refuses the run
  return mine;
}

void enter(ProcessEntry& mine) {
  own_entry = &mine;
  begin_program(mine);  // there may have been one before, as a shell
  if (mine.role == ProcessRole::client) turns.begin(mine);
  enter_first_thread();
}

// A child has the same memory and no slot in the page: it would be taken for its parent.
void after_fork_in_child() {
  if (own_entry != nullptr) own_entry->other_processes.fetch_add(1);
  own_entry = nullptr;
  forget_thread();
}

void ignore_signal(int /*number*/) {}

// Outside of its waits a server's thread does not get the signal.
void block_time_signal() {
  struct sigaction action {};
  action.sa_handler = ignore_signal;
  sigaction(time_signal, &action, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, time_signal);
  pthread_sigmask(SIG_BLOCK, &only, nullptr);
}

[[gnu::constructor]] void enter_virtual_time() {
  serve_as_template();
  auto* mine = find_slot();
  if (mine == nullptr) return;
  pthread_atfork(nullptr, nullptr, after_fork_in_child);
  enter(*mine);
  if (const char* clock = std::getenv("LAB_CLOCK")) follow_clock(clock);
  if (mine->role == ProcessRole::server) block_time_signal();
  if (mine->role != ProcessRole::participant) return;
  mine->has_entered.store(1);
  continue_alarm();
  note_activity();  // its parent may wait for the end of a pipe that it has closed
}

}  // namespace

bool lives_in_virtual_time() {
  return own_entry != nullptr;
}

bool counts_waits() {
  return own_entry != nullptr && this_thread() != nullptr && own_entry->role != ProcessRole::server;
}

bool is_client() {
  return has_role(ProcessRole::client) && this_thread() != nullptr;
}

bool is_participant() {
  return has_role(ProcessRole::participant);
}

bool is_server() {
  return has_role(ProcessRole::server);
}

ProcessEntry& this_process() {
  return *own_entry;
}

SharedPage* shared_page() {
  return page;
}

SharedPage* kept_page() {
  return is_participant() ? page : nullptr;
}

void become_child(ProcessEntry& slot) {
  slot.id.store(static_cast<std::int32_t>(getpid()));
  slot.has_entered.store(1);
  enter(slot);
}

void refuse(const char* what) {
  auto& said = own_entry->refused;
  if (said[0] == '\0') std::strncpy(said.data(), what, said.size() - 1);
}

}  // namespace explore
