#include "core/testing/token_contract.h"
#include "stage7_redlock/scripts.h"

namespace {

using faults::TokenComparison;
using faults::TokenContract;
namespace scripts = stage7::scripts;

const TokenComparison begin_compares{
    .script = "begin",
    .store = faults::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::acquire, {"orders"},
                            {token, "thread", "1", "90000", "begin", "host"});
        },
    .refused = [](const auto& reply) { return reply.integer() < 0; }};

const TokenComparison join_compares{.script = "join",
                                    .store = faults::store_as_hash,
                                    .run =
                                        [](auto& server, auto& token) {
                                          return server.run(
                                              scripts::acquire, {"orders"},
                                              {token, "thread", "1", "90000", "join", "host"});
                                        },
                                    .refused = faults::replies(0)};

const TokenComparison release_compares{.script = "release",
                                       .store = faults::store_as_hash,
                                       .run =
                                           [](auto& server, auto& token) {
                                             return server.run(
                                                 scripts::release, {"orders"},
                                                 {token, "thread", "0", "released", token});
                                           },
                                       .refused = faults::replies(-1)};

const TokenComparison renew_compares{
    .script = "renew",
    .store = faults::store_as_hash,
    .run =
        [](auto& server, auto& token) {
          return server.run(scripts::renew, {"orders"}, {token, "90000", "thread"});
        },
    .refused = faults::replies(0)};

INSTANTIATE_TEST_SUITE_P(Stage7, TokenContract,
                         testing::Values(begin_compares, join_compares, release_compares,
                                         renew_compares),
                         faults::by_script_name);

}  // namespace
