#include "faults/testing/lock_contract.h"
#include "stage5_watchdog/lock.h"

namespace {

using faults::LeaseContract;
using faults::LockContract;
using faults::LockUnderTest;
using faults::OwnerContract;

LockUnderTest stage5_lock(std::string name, bool renewed) {
  return {.name = std::move(name),
          .make =
              [renewed](auto& server, auto key, auto lease) {
                const auto options = renewed ? stage5::Options{.default_lease = lease}
                                             : stage5::Options{.lease = lease};
                return std::make_unique<stage5::Lock>(server, std::move(key), options);
              },
          .acquiring = {"SET"},
          .contended = {"SET"},
          .releasing = {"EVALSHA"},
          .not_releasing = {"EVALSHA"}};
}

INSTANTIATE_TEST_SUITE_P(Stage5, LockContract,
                         testing::Values(stage5_lock("leased", false),
                                         stage5_lock("renewed", true)));
INSTANTIATE_TEST_SUITE_P(Stage5, LeaseContract, testing::Values(stage5_lock("leased", false)));
INSTANTIATE_TEST_SUITE_P(Stage5, OwnerContract, testing::Values(stage5_lock("leased", false)));

}  // namespace
