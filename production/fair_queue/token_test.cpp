#include "core/testing/token_contract.h"
#include "production/fair_queue/scripts.h"

namespace {

using core::TokenComparison;
using core::TokenContract;
using fair_queue::scripts::queue;

const TokenComparison try_compares{
    .script = "try",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(queue, {"orders", "waiters"},
                            {"try", token, "thread", "90000", "host", "channel", "last"});
        },
    .refused = [](const auto& reply) { return reply.integer() < 0; }};

const TokenComparison release_compares{
    .script = "release",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(queue, {"orders", "waiters"}, {"release", token, "thread"});
        },
    .refused = core::replies(-1)};

INSTANTIATE_TEST_SUITE_P(FairQueue, TokenContract, testing::Values(try_compares, release_compares),
                         core::by_script_name);

}  // namespace
