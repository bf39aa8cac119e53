#include "faults/explore/preload/participant_slots.h"

#include "faults/explore/preload/process_entry.h"

namespace explore {
namespace {

ProcessEntry* find(SharedPage& page, std::int32_t id) {
  for (auto& process : page.processes) {
    if (process.id.load() == id) return &process;
  }
  return nullptr;
}

void make_empty(ProcessEntry& slot) {
  begin_program(slot);
  for (auto& timer : slot.timers) {
    timer.until.store(no_limit);  // of one that is free, too
    timer.descriptor.store(0);
  }
  slot.alarm.store(no_limit);
  slot.lock.store(0);
  slot.generation.store(0);
  slot.other_processes.store(0);
  slot.refused = {};
  slot.asleep.store(0);
  slot.has_entered.store(0);
  slot.role = ProcessRole::participant;
}

}  // namespace

ProcessEntry* take_free_slot(SharedPage& page, std::int32_t id) {
  for (auto& slot : page.processes) {
    std::int32_t none = 0;
    if (!slot.id.compare_exchange_strong(none, not_known_yet)) continue;
    make_empty(slot);
    slot.wall_offset.store(page.wall_offset.load());
    slot.id.store(id);
    page.slots_taken.fetch_add(1);
    return &slot;
  }
  page.is_full.store(1);
  return nullptr;
}

ProcessEntry* slot_of(SharedPage& page, std::int32_t id) {
  auto* slot = find(page, id);
  return slot != nullptr ? slot : take_free_slot(page, id);
}

}  // namespace explore
