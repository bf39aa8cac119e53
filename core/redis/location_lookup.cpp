#include "core/redis/location_lookup.h"

#include <exception>

namespace core {

std::shared_ptr<const LocationLookup> LocationLookup::of(const Address& wanted) {
  return begin_or_join<LocationLookup>(wanted);
}

void LocationLookup::run() {
  try {
    found_ = locate(wanted_, {});
    finish();
  } catch (const std::exception& error) {  // also where the system has no more threads
    finish(error.what());
  }
}

}  // namespace core
