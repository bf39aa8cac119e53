// The end of a run: whether a latecomer gets the lock, and a clean world for the next run.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>

#include "faults/explore/world/direct_requests.h"
#include "faults/explore/world/searched_world.h"

namespace explore {

class EndOfRun {
 public:
  EndOfRun(SearchedWorld& world, DirectRequests& requests) : world_(world), requests_(requests) {}

  // A latecomer must get the lock, immediately if every client has given it back, otherwise once
  // every lease has ended; the history says whether it did. Throws CannotRun, ClientFailed.
  void probe();
  // Destroys the clients' lock objects, and ends each process that the next run cannot use.
  void clean_up();

 private:
  void let_leases_end();
  void latecomer_must_get_in(std::chrono::milliseconds wait);
  void destroy_lock_of(SearchedClient& client);
  // True if its process may act in the next run by what it met in this one.
  [[nodiscard]] bool may_remember(const SearchedClient& client) const;
  // Ends its process; one that starts slowly continues instead, if it comes back as a new one does.
  void revive_or_discard(SearchedClient& client);

  SearchedWorld& world_;
  DirectRequests& requests_;
};

}  // namespace explore
