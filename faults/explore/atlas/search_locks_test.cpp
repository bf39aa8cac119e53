// Some locks of the atlas searched: what is recorded, and what the stages are that they are like.
#include "faults/explore/atlas/search_locks.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "faults/explore/atlas/locks.h"
#include "faults/explore/atlas/smallest.h"
#include "faults/explore/atlas/table_text.h"
#include "faults/explore/search/option_names.h"
#include "faults/kit/redis_binary.h"
#include "faults/testing/kit_test.h"

namespace atlas {
namespace {

const std::filesystem::path room = std::filesystem::path(LAB_SOURCE_DIR) / "faults" / "explore";

const auto& stages = stages_in_atlas();

class AtlasSearch : public testing::Test {
 protected:
  Cell search(const Parts& parts, const std::string& fault) {
    const auto& kinds = kinds_of_fault();
    const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                   [&](const auto& one) { return one.name == fault; });
    return search_under(*kind, tested_lock_of(parts), faults::find_redis(), {}, reaper);
  }

  faults::Reaper reaper;
};

TEST_F(AtlasSearch, FindsALockWithoutALeaseStuckAfterADeath) {
  EXPECT_EQ(search(stages[0].second, "kill").broken, (std::set<char>{'L'}));
  EXPECT_EQ(search(stages[3].second, "kill").broken, (std::set<char>{}));
}

TEST_F(AtlasSearch, FindsAComparisonInTheClientTooLate) {
  EXPECT_TRUE(search(stages[2].second, "freeze in release").broken.contains('R'));
  EXPECT_FALSE(search(stages[3].second, "freeze in release").broken.contains('R'));
}

TEST_F(AtlasSearch, FindsAFencedWriteRefused) {
  auto fenced = stages[3].second;
  EXPECT_TRUE(search(fenced, "freeze in work").broken.contains('X'));
  fenced.fencing = true;
  EXPECT_FALSE(search(fenced, "freeze in work").broken.contains('X'));
}

TEST_F(AtlasSearch, FindsWhatIsRecorded) {
  const auto recorded = read_findings(recorded_atlas());
  for (const auto& [stage, parts] : stages) {
    const auto* finding = find(parts, recorded);
    ASSERT_NE(finding, nullptr) << stage;
    EXPECT_EQ(search(parts, "kill").broken, finding->cell("kill")->broken) << stage;
  }
}

// The letters of the promises that this row of explore's table is about.
std::set<char> letters_of(const std::string& row) {
  const auto& rows = explore::survival_rows();
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.name == row; });
  std::set<char> letters;
  for (const auto property : explore::properties_from(found->judged)) {
    for (const auto& promise : promises()) {
      if (promise.name == faults::to_string(property)) letters.insert(promise.letter);
    }
  }
  return letters;
}

// The lock of the same parts breaks what the stage breaks, in every search that both ended.
TEST(AtlasRecord, AgreesWithTheStages) {
  const auto recorded = read_findings(recorded_atlas());
  const auto declared = explore::read_survival(room / "survival.json");
  int compared = 0;
  for (const auto& [stage, parts] : stages) {
    const auto* finding = find(parts, recorded);
    ASSERT_NE(finding, nullptr) << stage;
    for (const auto& kind : kinds_of_fault()) {
      const auto* of_stage = explore::find_cell(declared, kind.name, stage);
      const auto* of_atlas = finding->cell(kind.name);
      ASSERT_NE(of_atlas, nullptr) << stage << " " << kind.name;
      if (of_stage->ending == "budget spent" || !of_atlas->is_exhausted) continue;
      std::set<char> broken;
      const auto letters = letters_of(kind.name);
      std::set_intersection(letters.begin(), letters.end(), of_atlas->broken.begin(),
                            of_atlas->broken.end(), std::inserter(broken, broken.end()));
      EXPECT_EQ(!broken.empty(), of_stage->ending == "violated") << stage << " " << kind.name;
      const auto names_it = [&](const auto& promise) {
        return promise.name == of_stage->property && broken.contains(promise.letter);
      };
      EXPECT_TRUE(broken.empty() || std::any_of(promises().begin(), promises().end(), names_it))
          << stage << " " << kind.name << " breaks " << of_stage->property;
      ++compared;
    }
  }
  EXPECT_GE(compared, 45);
}

TEST(AtlasRecord, IsWhatTheDocumentsShow) {
  const auto recorded = read_findings(recorded_atlas());
  std::ifstream file(std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "atlas.md");
  const std::string chapter(std::istreambuf_iterator<char>(file), {});
  for (const auto& [marker, text] : blocks_of_chapter(recorded)) {
    const auto block = fmt::format("<!-- {} -->\n{}<!-- end -->\n", marker, text);
    EXPECT_THAT(chapter, testing::HasSubstr(block)) << "run ./lab record --keep";
  }
}

}  // namespace
}  // namespace atlas
