// The Chinese of field/*/lock.json: all of it is there, and nothing else, and the page shows it.
#include "tools/field/lock_texts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>

#include "tools/field/locks.h"
#include "tools/field/page_words.h"
#include "tools/field/testing/small_report.h"
#include "tools/terminal/testing/known_text.h"

namespace field {
namespace {

using nlohmann::json;

json read_json(const std::filesystem::path& file) {
  std::ifstream input(file);
  return json::parse(input);
}

struct English {
  std::set<std::string> libraries;
  std::set<std::string> sentences;
  std::set<std::string> places;  // in a library's source or documentation

  // What a lock.json, or a variant in it, says on the page.
  void add(const json& described) {
    for (const auto& setting : described.value("settings", json::array())) {
      sentences.insert(setting.get<std::string>());
    }
    for (const auto* field : {"promises", "documented", "because"}) {
      for (const auto& passage : described.value(field, json::array())) {
        sentences.insert(passage.at("says").get<std::string>());
        places.insert(passage.at("where").get<std::string>());
      }
    }
  }
};

English all_english() {
  English english;
  for (const auto& lock : all_locks()) {
    const auto described = read_json(locks_directory() / lock.name / "lock.json");
    english.libraries.insert(described.at("library").get<std::string>());
    english.add(described);
    for (const auto& variant : described.value("variants", json::object())) {
      english.sentences.insert(variant.at("says").get<std::string>());
      english.add(variant);
    }
  }
  return english;
}

TEST(LockTexts, AreAllThereInChinese) {
  const auto texts = read_json(locks_directory() / "texts.zh.json");
  const auto english = all_english();
  ASSERT_GE(english.sentences.size(), 200U);
  for (const auto& text : english.sentences) {
    EXPECT_EQ(terminal::english_in(texts.value(text, text)), "")
        << text << "\nadd it to field/texts.zh.json";
  }
  static const std::regex prose(" (by|on|with) |'s ");
  for (const auto& text : english.libraries) {
    EXPECT_FALSE(std::regex_search(texts.value(text, text), prose)) << text;
  }
}

TEST(LockTexts, AreOfLocksThatAreThere) {
  const auto english = all_english();
  const auto texts = read_json(locks_directory() / "texts.zh.json");
  for (const auto& [text, chinese] : texts.items()) {
    EXPECT_EQ(
        english.libraries.count(text) + english.sentences.count(text) + english.places.count(text),
        1U)
        << "no lock.json says: " << text;
  }
}

TEST(LockTexts, DescribeALockInChinese) {
  auto data = small_report({"half_open"}, {{.name = "mine", .states = {"violated"}}});
  data["locks"][0].update({{"library", "kazoo, Lock, on ZooKeeper"},
                           {"version", "2.8.0"},
                           {"varies", "three servers, which elect a leader"},
                           {"servers", 3},
                           {"settings", {"timeout of the client: the default lease", "new"}}});
  data["rows"][0]["cells"][0]["because"] = "block() measures its time by the wall clock (a.php).";
  data["rows"][0]["cells"][0]["documented"] = "\"it may (rarely) end\" (README, Lock).";
  put_locks_into_chinese(data, page_words_in(terminal::Language::named("zh")));
  EXPECT_EQ(data["locks"][0]["says"],
            "kazoo（ZooKeeper），Lock 2.8.0：三台服务器，由它们选出 leader，3 台服务器。"
            "客户端的 timeout：默认租约；new。");
  EXPECT_EQ(data["rows"][0]["cells"][0]["because"], "block() 用墙上时钟计时（a.php）。");
  EXPECT_EQ(data["rows"][0]["cells"][0]["documented"], "\"it may (rarely) end\"（README, Lock）。");
}

TEST(LockTexts, LeaveWhatIsNotKnown) {
  auto data = small_report({"half_open"}, {{.name = "mine", .states = {"violated"}}});
  const auto before = data;
  put_locks_into_chinese(data, page_words_in(terminal::Language::named("zh")));
  EXPECT_EQ(data, before);
}

TEST(LockTexts, EndASentenceInEnglish) {
  EXPECT_EQ(say_settings(5, {"one", "other"}, page_words()), ", on 5 servers. one; other.");
  EXPECT_EQ(say_settings(1, {}, page_words()), ".");
}

}  // namespace
}  // namespace field
