#include "core/redis/server_lookup.h"

#include <exception>

namespace core {

std::shared_ptr<const ServerLookup> ServerLookup::of(const Address& wanted) {
  return begin_or_join<ServerLookup>(wanted);
}

void ServerLookup::run() {
  try {
    found_ = locate(wanted_, {});
    finish();
  } catch (const std::exception& error) {  // also where the system has no more threads
    finish(error.what());
  }
}

}  // namespace core
