// Finds the server for an address with a discovery, without blocking the thread that asks.
//
// Thread-safety: safe to share.
#pragma once

#include <memory>

#include "core/redis/address.h"
#include "core/redis/discovery.h"
#include "core/redis/lookup.h"

namespace core {

class ServerLookup : public Lookup {
 public:
  // Begins to look for the server for `wanted` now, or joins a lookup that is under way.
  [[nodiscard]] static std::shared_ptr<const ServerLookup> of(const Address& wanted);

  // Once it is done, and `failure()` is empty.
  [[nodiscard]] const Located& found() const { return found_; }

  explicit ServerLookup(Address wanted) : wanted_(std::move(wanted)) {}

  // For core/redis/lookup.h.
  void run();

 private:
  const Address wanted_;
  Located found_;
};

}  // namespace core
