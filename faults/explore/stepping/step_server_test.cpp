// The page's server, asked as a browser asks it.
#include "faults/explore/stepping/step_server.h"

#include <gmock/gmock.h>
#include <httplib.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "faults/explore/search/option_names.h"
#include "faults/explore/stepping/tried_branches.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class StepServerTest : public testing::Test {
 protected:
  ~StepServerTest() override { server.stop(); }

  static explore::WorldPlan world() {
    const auto stage = std::filesystem::path(LAB_SOURCE_DIR) / "stage3_set_nx_px";
    const auto client =
        std::filesystem::path(LAB_BINARY_DIR) / "stage3_set_nx_px" / "stage3_set_nx_px_client";
    return {.stage = faults::load_tested_lock(stage, {client.native()}),
            .redis = faults::find_redis(),
            .judged = explore::properties_from("")};
  }
  httplib::Result post(const std::vector<std::string>& steps,
                       const char* type = "application/json") {
    return browser.Post("/steps", json{{"steps", steps}}.dump(), type);
  }
  json moment_behind(const std::vector<std::string>& steps) {
    const auto answer = post(steps);
    return answer ? json::parse(answer->body) : json();
  }
  static std::vector<std::string> labels_of(const json& moment) {
    std::vector<std::string> labels;
    for (const auto& event : moment.at("events")) labels.push_back(event.at("label"));
    return labels;
  }

  faults::Reaper reaper;
  explore::StepServer server{world(), {}, reaper};
  httplib::Client browser{server.address().substr(0, server.address().size() - 1)};
  std::jthread serving{[this] { server.serve(); }};
};

TEST_F(StepServerTest, ShowsTheBeginning) {
  const auto answer = browser.Get("/moment");
  ASSERT_TRUE(answer);
  const auto moment = json::parse(answer->body);
  EXPECT_THAT(labels_of(moment), testing::ElementsAre("A: begin", "B: begin"));
  EXPECT_EQ(moment["clients"][0]["state"], "has not begun");
  EXPECT_EQ(moment["broken"], json::array());
}

TEST_F(StepServerTest, GoesOnAndBackAndKeepsBothBranches) {
  (void)moment_behind({"A: begin"});
  const auto sent = moment_behind({"A: begin", "A: send SET"});
  EXPECT_EQ(sent["keys"][0]["owner"], "A");
  (void)moment_behind({"A: begin"});
  const auto other = moment_behind({"A: begin", "A: freeze"});
  EXPECT_EQ(other["clients"][0]["state"], "frozen in acquire");
  const std::vector<std::vector<std::string>> tried{{"A: begin", "A: send SET"},
                                                    {"A: begin", "A: freeze"}};
  EXPECT_EQ(other["tried"], json(tried));
}

TEST_F(StepServerTest, SaysInEnglishWhatIsNotTranslated) {
  EXPECT_EQ(browser.Get("/texts")->body, "{}");
  EXPECT_EQ(moment_behind({"A: begin"})["texts"]["A: send SET"], "A: send SET");
}

TEST_F(StepServerTest, SpeaksTheReadersLanguage) {
  const auto translate = [](const std::string& english) { return "<" + english + ">"; };
  explore::StepServer other(world(), {}, reaper,
                            {.texts = R"({"back": "zurück"})", .translate = translate});
  httplib::Client reader(other.address().substr(0, other.address().size() - 1));
  const std::jthread answering([&] { other.serve(); });
  const auto texts = reader.Get("/texts");
  const auto moment = reader.Get("/moment");
  const auto refused = reader.Post("/steps", R"({"steps": ["A: thaw"]})", "application/json");
  other.stop();
  EXPECT_EQ(json::parse(texts->body)["back"], "zurück");
  EXPECT_EQ(json::parse(moment->body)["texts"]["A: begin"], "<A: begin>");
  EXPECT_THAT(json::parse(moment->body)["timeline"].get<std::string>(), testing::StartsWith("<"));
  EXPECT_THAT(json::parse(refused->body)["error"].get<std::string>(), testing::StartsWith("<step"));
}

TEST_F(StepServerTest, StaysWhereItIsIfAStepDoesNotFit) {
  (void)moment_behind({"A: begin"});
  const auto answer = post({"A: begin", "A: send GET"});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 409);
  EXPECT_THAT(answer->body, HasSubstr("cannot happen here"));
  const auto moment = json::parse(browser.Get("/moment")->body);
  EXPECT_EQ(moment["steps"], json({"A: begin"}));
  EXPECT_FALSE(moment["over"]);
}

TEST_F(StepServerTest, AnswersNoOtherSite) {
  EXPECT_EQ(post({"A: begin"}, "text/plain")->status, 409);
  EXPECT_EQ(browser.Get("/moment", {{"Host", "evil.example"}})->status, 403);
  EXPECT_EQ(json::parse(browser.Get("/moment")->body)["steps"], json::array());
}

TEST_F(StepServerTest, ServesAPageThatNeedsNothingElse) {
  const auto page = browser.Get("/");
  ASSERT_TRUE(page);
  EXPECT_THAT(page->body, HasSubstr("What can happen next"));
  EXPECT_THAT(page->body, Not(HasSubstr("://")));
  EXPECT_THAT(page->get_header_value("Content-Security-Policy"), HasSubstr("default-src 'none'"));
}

TEST(TriedBranchesTest, LeavesOutTheBeginningOfAnother) {
  explore::TriedBranches tried;
  tried.add({});
  tried.add({"a"});
  tried.add({"a", "b"});
  tried.add({"a"});
  tried.add({"a", "c"});
  tried.add({"a"});
  EXPECT_THAT(tried.all(),
              testing::ElementsAre(testing::ElementsAre("a", "b"), testing::ElementsAre("a", "c")));
}

}  // namespace
