#include "faults/kit/history.h"

#include <fstream>
#include <thread>

#include "faults/judging/judge.h"
#include "faults/judging/testing/history_builder.h"
#include "faults/testing/kit_test.h"

namespace faults {
namespace {

using testing::HasSubstr;
using testing::SizeIs;
using testing::StartsWith;

class HistoryTest : public KitTest {
 protected:
  [[nodiscard]] std::string complaint_about(const std::string& text) const {
    std::ofstream(file) << text;
    return said_by<CannotRun>([this] { (void)read_record(file); });
  }

  const std::filesystem::path file = directory.path() / "another.jsonl";
  const std::string good = to_json(Event{.process = "A", .kind = Kind::call, .data = {}}).dump();
};

TEST_F(HistoryTest, IsReadBackAsItWasWritten) {
  {
    History written(file);
    written.add("", Kind::setting, {{"stage", "s"}});
    written.add("A", Kind::call, {{"op", "acquire"}, {"id", 1}});
    written.check_written();
    const auto read = read_record(file);
    const auto kept = written.record();
    ASSERT_EQ(read.size(), kept.size());
    for (std::size_t i = 0; i < read.size(); ++i) EXPECT_EQ(to_json(read[i]), to_json(kept[i]));
  }
}

TEST_F(HistoryTest, IsJudgedTheSameWhenItIsReadBack) {
  HistoryBuilder built;
  built.acquires("A").reads("A", 0).acquires("B").works("B", 0).writes("A", 1);
  std::ofstream output(file);
  for (const auto& event : built.record) output << to_json(event).dump() << '\n';
  output.close();
  const auto before = judge(built.record);
  const auto after = judge(read_record(file));
  EXPECT_EQ(after.verdict, before.verdict);
  ASSERT_EQ(after.findings.size(), before.findings.size());
  for (std::size_t i = 0; i < after.findings.size(); ++i) {
    EXPECT_EQ(after.findings[i].sentence, before.findings[i].sentence);
    EXPECT_EQ(after.findings[i].evidence, before.findings[i].evidence);
  }
}

TEST_F(HistoryTest, IsInTheFileAtOnce) {
  const History empty(file);
  EXPECT_THAT(read_record(file), SizeIs(0));
  history.add("A", Kind::call, {{"id", 1}});
  EXPECT_THAT(read_record(directory.path() / "history.jsonl"), SizeIs(1));
}

TEST_F(HistoryTest, EveryKindHasAWordOfItsOwn) {
  for (const auto kind :
       {Kind::setting, Kind::ready, Kind::call, Kind::answer, Kind::command, Kind::reply,
        Kind::fault, Kind::server, Kind::storage, Kind::not_exercised, Kind::stalled}) {
    EXPECT_EQ(nlohmann::json(kind).get<Kind>(), kind);
  }
}

TEST_F(HistoryTest, SurvivesBytesThatAreNoText) {
  history.add("A", Kind::command, {{"text", "\xff\xfe"}});
  EXPECT_THAT(read_record(directory.path() / "history.jsonl"), SizeIs(1));
}

TEST_F(HistoryTest, KeepsOneOrderForManyWriters) {
  {
    const auto add = [this] {
      for (int i = 0; i < 500; ++i) history.add("A", Kind::call, {{"id", i}});
    };
    const std::jthread one(add);
    const std::jthread two(add);
  }
  const auto record = history.record();
  ASSERT_THAT(record, SizeIs(1'000));
  for (std::size_t i = 0; i < record.size(); ++i) ASSERT_EQ(record[i].number, i);
  for (std::size_t i = 1; i < record.size(); ++i) ASSERT_GE(record[i].at, record[i - 1].at);
}

TEST_F(HistoryTest, AFileThatIsNotThereIsNamed) {
  EXPECT_EQ(said_by<CannotRun>([] { (void)read_record("/no/such/history.jsonl"); }),
            "cannot read /no/such/history.jsonl");
}

TEST_F(HistoryTest, ALineThatIsCutOffIsNamed) {
  EXPECT_THAT(complaint_about(good + "\n" + good.substr(0, good.size() / 2)),
              StartsWith(file.native() + ", line 2, is not an event"));
}

TEST_F(HistoryTest, ALineThatIsNoEventIsNamed) {
  for (const auto* line :
       {"", "garbage", "7", "[]", "{}", R"({"at_us":"soon","lane":"A","kind":"call","data":{}})",
        R"({"at_us":1,"lane":7,"kind":"call","data":{}})",
        R"({"at_us":1,"lane":"A","kind":"call","data":7})"}) {
    EXPECT_THAT(complaint_about(good + "\n" + good + "\n" + line + "\n"), HasSubstr("line 3"))
        << line;
  }
}

TEST_F(HistoryTest, AKindThatNobodyKnowsIsNamed) {
  EXPECT_THAT(complaint_about(R"({"at_us":1,"lane":"A","kind":"dance","data":{}})"),
              HasSubstr("line 1"));
}

TEST_F(HistoryTest, APlaceThatCannotBeWrittenCannotRun) {
  EXPECT_THAT(said_by<CannotRun>([] { const History nowhere("/no/such/directory/h.jsonl"); }),
              HasSubstr("cannot write /no/such/directory/h.jsonl"));
}

TEST_F(HistoryTest, AFullDiskIsTold) {
  History full("/dev/full");
  full.add("A", Kind::call, {{"id", 1}});
  EXPECT_THAT(said_by<CannotRun>([&] { full.check_written(); }), HasSubstr("disk may be full"));
}

}  // namespace
}  // namespace faults
