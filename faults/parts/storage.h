// The thing a lock protects, and the witness: accounts that clients read and write.
//
// A critical section is READ, think, check that the lock still holds, BEGIN, WRITE. The storage
// takes what it is given, as a file or a database table does, and keeps the order of what it saw:
// a write that rests on an outdated read is how a broken lock does its harm.
//
// It speaks RESP (any Redis client can talk to it):
//   READ account client          → the value, an integer, 0 at first
//   BEGIN account client         → OK; changes nothing, it is a boundary after the client's check
//   WRITE account client value   → OK
//
// Thread-safety: the public functions may be called from any thread but the loop's.
#pragma once

#include <memory>

#include "core/address.h"
#include "faults/judging/history.h"
#include "faults/parts/loop.h"

namespace faults {

class StorageState;

class Storage {
 public:
  // Listens on 127.0.0.1, a port of the kernel's choice. `loop` and `history` must outlive it.
  // Throws CannotRun.
  Storage(Loop& loop, History& history);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] core::Address address() const;

 private:
  std::shared_ptr<StorageState> state_;
};

}  // namespace faults
