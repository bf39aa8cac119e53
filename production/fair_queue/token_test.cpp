#include "core/testing/token_contract.h"
#include "production/fair_queue/scripts.h"

namespace {

using fair_queue::scripts::queue;
using faults::TokenComparison;
using faults::TokenContract;

const TokenComparison try_compares{
    .script = "try",
    .store = faults::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(queue, {"orders", "waiters"},
                            {"try", token, "thread", "90000", "host", "channel", "last"});
        },
    .refused = [](const auto& reply) { return reply.integer() < 0; }};

const TokenComparison release_compares{
    .script = "release",
    .store = faults::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(queue, {"orders", "waiters"}, {"release", token, "thread"});
        },
    .refused = faults::replies(-1)};

INSTANTIATE_TEST_SUITE_P(FairQueue, TokenContract, testing::Values(try_compares, release_compares),
                         faults::by_script_name);

}  // namespace
