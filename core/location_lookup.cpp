#include "core/location_lookup.h"

#include "core/discovery.h"
#include "core/error.h"

namespace core {

std::shared_ptr<const LocationLookup> LocationLookup::of(const Address& wanted) {
  return begin_or_join<LocationLookup>(wanted);
}

void LocationLookup::run() {
  try {
    server_ = locate(wanted_, {});
    finish();
  } catch (const ServerError& error) {
    finish(error.what());
  }
}

}  // namespace core
