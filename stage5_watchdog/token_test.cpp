#include "core/testing/token_contract.h"
#include "stage5_watchdog/scripts.h"

namespace {

using faults::TokenContract;
namespace scripts = stage5::scripts;

const faults::TokenComparison release_compares{
    .script = "release",
    .store = faults::store_as_string,
    .run = [](auto& server,
              auto& token) { return server.run(scripts::release, {"orders"}, {token}); },
    .refused = faults::replies(-1)};

const faults::TokenComparison renew_compares{
    .script = "renew",
    .store = faults::store_as_string,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::renew, {"orders"}, {token, "90000"});
        },
    .refused = faults::replies(0)};

INSTANTIATE_TEST_SUITE_P(Stage5, TokenContract, testing::Values(release_compares, renew_compares),
                         faults::by_script_name);

}  // namespace
