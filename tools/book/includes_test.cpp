// The includes point one way, as CONTRIBUTING.md says: .ci/check_includes holds it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "faults/testing/called_program.h"

namespace book {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Include = std::pair<std::string, std::string>;  // a file, and what it includes

// What the check says of a tree with these includes.
std::string verdict_on(const std::vector<Include>& includes) {
  faults::Playground tree;
  for (const auto& [file, target] : includes) {
    fs::create_directories(tree.path(file).parent_path());
    std::ofstream(tree.path(file), std::ios::app) << "#include \"" << target << "\"\n";
  }
  const auto ended = tree.call(LAB_SOURCE_DIR "/.ci/check_includes", {tree.path("").native()});
  EXPECT_EQ(ended.code, ended.errors.empty() ? 0 : 1);
  return ended.errors;
}

TEST(Includes, PointOneWay) {
  const auto ended = faults::Playground().call(LAB_SOURCE_DIR "/.ci/check_includes", {});
  EXPECT_EQ(ended.code, 0) << ended.errors;
}

TEST(Includes, AreNamedIfTheyPointTheWrongWay) {
  const std::vector<Include> wrong{{"stage3_x/lock.cpp", "stage4_y/lock.h"},
                                   {"stage3_x/lock.cpp", "faults/client/program.h"},
                                   {"stage3_x/wrong_turns/y/client.cpp", "faults/kit/link.h"},
                                   {"core/lock.cpp", "core/redis/server.h"},
                                   {"core/redis/server.cpp", "core/wrappers/forwarding_lock.h"},
                                   {"core/redis/server.cpp", "core/testing/eventually.h"},
                                   {"faults/kit/link.cpp", "faults/judging/judge.h"},
                                   {"faults/world/world.cpp", "stage3_x/lock.h"},
                                   {"faults/explore/search/search_test.cpp", "tools/table/grid.h"},
                                   {"faults/client/program.cpp", "faults/kit/link.h"},
                                   {"production/exporter/worker.cpp", "faults/kit/link.h"},
                                   {"tools/report/report.cpp", "tools/app/commands.h"}};
  const auto verdict = verdict_on(wrong);
  for (const auto& [file, target] : wrong) {
    EXPECT_THAT(verdict, HasSubstr(file + " must not include " + target));
  }
}

TEST(Includes, MayPointBackOrFromTestsToAnyOfTheKit) {
  const std::vector<Include> right{
      {"stage4_y/lock.cpp", "stage3_x/lock.h"},
      {"stage3_x/wrong_turns/y/client.cpp", "faults/client/program.h"},
      {"stage3_x/quorum_client.h", "faults/client/program.h"},
      {"stage3_x/test.cpp", "faults/testing/redis_test.h"},
      {"core/redis/server_test.cpp", "faults/kit/link.h"},
      {"core/wrappers/heartbeats.cpp", "core/redis/server.h"},
      {"faults/explore/search/search.cpp", "faults/running/run_scenario.h"},
      {"field/x/adapter.cpp", "faults/client/program.h"},
      {"production/fair_queue/client.cpp", "faults/client/program.h"},
      {"production/fair_queue/lock.cpp", "stage4_y/lock.h"},
      {"tools/app/run.cpp", "tools/app/commands.h"}};
  EXPECT_EQ(verdict_on(right), "");
}

}  // namespace
}  // namespace book
