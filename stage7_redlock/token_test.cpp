#include "core/testing/token_contract.h"
#include "stage7_redlock/scripts.h"

namespace {

using core::TokenComparison;
using core::TokenContract;
namespace scripts = stage7::scripts;

const TokenComparison begin_compares{
    .script = "begin",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::acquire, {"orders"},
                            {token, "thread", "1", "90000", "begin", "host"});
        },
    .refused = [](const auto& reply) { return reply.integer(0) < 0; }};

const TokenComparison join_compares{.script = "join",
                                    .store = core::store_as_hash,
                                    .run =
                                        [](auto& server, auto& token) {
                                          return server.run(
                                              scripts::acquire, {"orders"},
                                              {token, "thread", "1", "90000", "join", "host"});
                                        },
                                    .refused = core::replies(0)};

const TokenComparison release_compares{
    .script = "release",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::release, {"orders"}, {token, "thread", "0", "released"});
        },
    .refused = core::replies(-1)};

const TokenComparison renew_compares{
    .script = "renew",
    .store = core::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::renew, {"orders"}, {token, "90000", "thread"});
        },
    .refused = core::replies(0)};

INSTANTIATE_TEST_SUITE_P(Stage7, TokenContract,
                         testing::Values(begin_compares, join_compares, release_compares,
                                         renew_compares),
                         core::by_script_name);

}  // namespace
