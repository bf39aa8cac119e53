#include "tools/field/lock_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/field/locks.h"

namespace field {
namespace {

using testing::HasSubstr;

// A lock.json with this, and the sentence about it.
class WrongLockJson : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(WrongLockJson, IsSaidWithASuggestion) {
  const auto& [text, sentence] = GetParam();
  EXPECT_EQ(wrong_with_lock_json(nlohmann::json::parse(text)), sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Each, WrongLockJson,
    testing::Values(
        std::pair{R"({"wating": {}})", R"(there is no field "wating"; did you mean waiting?)"},
        std::pair{R"({"unanswered": {"after": 1}})",
                  R"("unanswered" has no field "after"; did you mean after_ms?)"},
        std::pair{R"({"variants": {"one": {"waiting": {"hows": "polls"}}}})",
                  R"("waiting" has no field "hows"; did you mean how?)"},
        std::pair{R"({"variants": {"one": {"installed": []}}})",
                  R"("variants" has no field "installed";)"},
        std::pair{R"({"capabilities": ["leese"]})",
                  R"("capabilities" has no word "leese"; did you mean lease?)"},
        std::pair{R"({"release_says": ["relased"]})",
                  R"("release_says" has no word "relased"; did you mean released?)"},
        std::pair{R"({"acquire_says": ["released"]})", R"("acquire_says" has no word "released";)"},
        std::pair{
            R"({"because": [{"scenarios": ["amnesa"], "says": "", "where": ""}]})",
            R"("because" is about a scenario that is not there: "amnesa"; did you mean amnesia?)"},
        std::pair{R"({"variants": {"one": {"not_judged": {"half_opened": ""}}}})",
                  R"("not_judged" is about a scenario that is not there: "half_opened"; )"
                  "did you mean half_open?"},
        std::pair{
            R"({"capabilities": ["renewal"], "renewal": {"by": "user", "after": 0.5}})",
            R"("capabilities" says that it renews its lease, and "renewal" that its user does)"}));

TEST(LockJson, OfEachLockIsRight) {
  for (const auto& name : lock_names()) {
    EXPECT_NO_THROW(must_be_lock_json(locks_directory() / name / "lock.json")) << name;
  }
}

TEST(LockJson, OfEachTemplateIsRight) {
  for (const auto& entry : std::filesystem::directory_iterator(locks_directory() / "templates")) {
    EXPECT_NO_THROW(must_be_lock_json(entry.path() / "lock.json"));
  }
}

}  // namespace
}  // namespace field
