// The sets of select(2): what is asked, and a copy for each look.
//
// Thread-safety: none; one thread.
#pragma once

#include <sys/select.h>

#include <array>

#include "faults/explore/preload/raw_syscall.h"

namespace explore {

struct SelectSets {
  std::array<fd_set*, 3> asked;
  std::array<fd_set, 3> found;

  // Looks for at most so long (null: without a limit), with these signals blocked (null: as they
  // are). Returns what the kernel does.
  [[nodiscard]] long look(int count, const timespec* limit, const sigset_t* mask) {
    constexpr long size_of_mask = 8;
    std::array<long, 3> copies{};
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] == nullptr) continue;
      found[i] = *asked[i];
      copies[i] = address_of(&found[i]);
    }
    auto left = limit == nullptr ? timespec{} : *limit;  // the kernel changes it
    const std::array<long, 2> blocked{address_of(mask), size_of_mask};
    return raw_syscall(SYS_pselect6, count, copies[0], copies[1], copies[2],
                       limit == nullptr ? 0 : address_of(&left),
                       mask == nullptr ? 0 : address_of(blocked.data()));
  }
  // Tells who asked what the last look has found.
  void tell() const {
    for (std::size_t i = 0; i < asked.size(); ++i) {
      if (asked[i] != nullptr) *asked[i] = found[i];
    }
  }
};

}  // namespace explore
