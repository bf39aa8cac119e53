#include "core/testing/token_contract.h"
#include "stage8_fencing/scripts.h"

namespace {

using core::TokenComparison;
using core::TokenContract;
namespace scripts = stage8::scripts;

const TokenComparison begin_compares{
    .script = "begin",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::acquire, {"orders", "counter"},
                            {token, "thread", "1", "90000", "begin", "host", "0"});
        },
    .refused = [](const auto& reply) { return reply.integer(0) < 0; }};

const TokenComparison join_compares{
    .script = "join",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::acquire, {"orders", "counter"},
                            {token, "thread", "1", "90000", "join", "host", "0"});
        },
    .refused = [](const auto& reply) { return reply.integer(0) == 0; }};

const TokenComparison release_compares{.script = "release",
                                       .store = core::store_as_hash,
                                       .run =
                                           [](auto& server, auto& token) {
                                             return server.run(
                                                 scripts::release, {"orders", "counter"},
                                                 {token, "thread", "0", "released", "1"});
                                           },
                                       .refused = core::replies(-1)};

const TokenComparison renew_compares{
    .script = "renew",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::renew, {"orders", "counter"}, {token, "90000", "thread"});
        },
    .refused = core::replies(0)};

const TokenComparison raise_compares{
    .script = "raise",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::raise, {"orders", "counter"}, {token, "1"});
        },
    .refused = core::replies(0)};

INSTANTIATE_TEST_SUITE_P(Stage8, TokenContract,
                         testing::Values(begin_compares, join_compares, release_compares,
                                         renew_compares, raise_compares),
                         core::by_script_name);

}  // namespace
