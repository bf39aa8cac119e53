// The thing a lock protects, and the witness: accounts that clients read and write.
//
// A critical section is READ, think, check that the lock still holds, BEGIN, WRITE. The storage
// takes what it is given, as a file or a database table does, and keeps the order of what it saw:
// a write that rests on an outdated read is how a broken lock does its harm.
//
// It speaks RESP (any Redis client can talk to it):
//   READ account client [token]          → the value, an integer, 0 at first
//   BEGIN account client [token]         → OK; changes nothing, a boundary after the client's check
//   WRITE account client value [token]   → OK
//
// A client that brings a fencing token is fenced: a token lower than the highest that a READ or a
// WRITE of the account has brought is refused with an error that begins with FENCED
// (https://martin.kleppmann.com/2016/02/08/how-to-do-distributed-locking.html). A read counts too:
// what is written between a successor's read and its write would be lost just the same. A storage
// that fences writes only shows that.
//
// Thread-safety: the public functions may be called from any thread but the loop's.
#pragma once

#include <memory>

#include "core/redis/address.h"
#include "faults/kit/fence.h"
#include "faults/kit/history.h"
#include "faults/kit/loop.h"

namespace faults {

class StorageState;

class Storage {
 public:
  // Listens on 127.0.0.1, a port of the kernel's choice. `loop` and `history` must outlive it.
  // Throws CannotRun.
  Storage(Loop& loop, History& history, Fence fence = Fence::reads_and_writes);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  [[nodiscard]] core::Address address() const;

 private:
  std::shared_ptr<StorageState> state_;
};

}  // namespace faults
