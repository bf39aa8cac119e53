#include <gmock/gmock.h>

#include "core/error.h"
#include "core/testing/lock_contract.h"
#include "core/testing/token_contract.h"
#include "stage4_lua_release/lock.h"
#include "stage4_lua_release/scripts.h"

namespace {

using core::Acquire;
using core::LeaseContract;
using core::LockContract;
using core::OwnerContract;
using core::Release;
using core::TokenContract;
using stage4::scripts::release;
using testing::ElementsAre;

constexpr std::chrono::milliseconds lease{60'000};

const core::LockUnderTest stage4_lock{
    .name = "stage4",
    .make = [](auto& server, auto key,
               auto time) { return std::make_unique<stage4::Lock>(server, std::move(key), time); },
    .acquiring = {"SET"},
    .contended = {"SET"},
    .releasing = {"EVALSHA"},
    .not_releasing = {"EVALSHA"}};

INSTANTIATE_TEST_SUITE_P(Stage4, LockContract, testing::Values(stage4_lock));
INSTANTIATE_TEST_SUITE_P(Stage4, LeaseContract, testing::Values(stage4_lock));
INSTANTIATE_TEST_SUITE_P(Stage4, OwnerContract, testing::Values(stage4_lock));

const core::TokenComparison release_compares{
    .script = "release",
    .store = core::store_as_string,
    .run = [](auto& server, const auto& token) { return server.run(release, {"orders"}, {token}); },
    .refused = core::replies(-1)};

INSTANTIATE_TEST_SUITE_P(Stage4, TokenContract, testing::Values(release_compares),
                         core::by_script_name);

using Stage4Acquiring = faults::RedisTest;
using Stage4Releasing = faults::RedisTest;
using Stage4Script = faults::RedisTest;

TEST_F(Stage4Acquiring, SetsTokenAndLeaseInOneStep) {
  stage4::Lock lock(server(), "orders", lease);
  const auto sent = sent_during([&] { ASSERT_EQ(lock.try_acquire(), Acquire::acquired); });
  EXPECT_THAT(sent, ElementsAre(testing::MatchesRegex("SET orders .* NX PX 60000")));
}

TEST_F(Stage4Releasing, SendsItsScriptAsTextOnlyIfUnknown) {
  stage4::Lock lock(server(), "orders", lease);
  const auto hold_and_release = [&] {
    ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
    EXPECT_EQ(lock.release(), Release::released);
  };
  EXPECT_THAT(names_during(hold_and_release), ElementsAre("SET", "EVALSHA", "EVAL"));
  EXPECT_THAT(names_during(hold_and_release), ElementsAre("SET", "EVALSHA"));
  redis().direct().command({"SCRIPT", "FLUSH"});
  EXPECT_THAT(names_during(hold_and_release), ElementsAre("SET", "EVALSHA", "EVAL"));
}

TEST_F(Stage4Releasing, RefusesAKeyThatIsNoLock) {
  stage4::Lock lock(server(), "orders", lease);
  ASSERT_EQ(lock.try_acquire(), Acquire::acquired);
  redis().direct().command({"DEL", "orders"});
  redis().direct().command({"RPUSH", "orders", "a list"});
  EXPECT_THROW((void)lock.release(), core::ErrorReply);
  EXPECT_EQ(keys(), 1);
}

TEST_F(Stage4Script, HasTheShaThatTheServerComputes) {
  const auto loaded = redis().direct().command({"SCRIPT", "LOAD", release.text});
  EXPECT_EQ(loaded.text(), release.sha1);
  EXPECT_EQ(release.name, "release.lua");
}

TEST_F(Stage4Script, RemovesTheHoldOfItsToken) {
  redis().direct().command({"SET", "orders", "mine"});
  EXPECT_EQ(server().run(release, {"orders"}, {"mine"}).integer(), 1);
  EXPECT_EQ(keys(), 0);
}

TEST_F(Stage4Script, ReportsAMissingLock) {
  EXPECT_EQ(server().run(release, {"orders"}, {"mine"}).integer(), 0);
}

TEST_F(Stage4Script, LeavesAnotherHoldAlone) {
  redis().direct().command({"MSET", "orders", "yours", "invoices", "mine"});
  EXPECT_EQ(server().run(release, {"orders"}, {"mine"}).integer(), -1);
  EXPECT_EQ(server().run(release, {"orders"}, {"your"}).integer(), -1);
  EXPECT_EQ(server().run(release, {"orders"}, {""}).integer(), -1);
  EXPECT_EQ(value("orders"), "yours");
  EXPECT_EQ(value("invoices"), "mine");
}

}  // namespace
