#include "core/testing/token_contract.h"
#include "stage5_watchdog/scripts.h"

namespace {

using core::TokenContract;
namespace scripts = stage5::scripts;

const core::TokenComparison release_compares{
    .script = "release",
    .store = core::store_as_string,
    .run = [](auto& server,
              auto& token) { return server.run(scripts::release, {"orders"}, {token}); },
    .refused = core::replies(-1)};

const core::TokenComparison renew_compares{
    .script = "renew",
    .store = core::store_as_string,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::renew, {"orders"}, {token, "90000"});
        },
    .refused = core::replies(0)};

INSTANTIATE_TEST_SUITE_P(Stage5, TokenContract, testing::Values(release_compares, renew_compares),
                         core::by_script_name);

}  // namespace
