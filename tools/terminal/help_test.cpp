#include "tools/terminal/help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/terminal/text.h"

namespace terminal {
namespace {

using testing::HasSubstr;

std::string chinese_help_of(CLI::App& app) {
  translate_help(app, Language::named("zh"));
  return app.help();
}

TEST(Help, TranslatesLabelsAndDescriptions) {
  CLI::App app("what each stage costs, beside the physical limit", "./lab");
  const auto help = chinese_help_of(app);
  EXPECT_THAT(help, HasSubstr("各阶段的开销"));
  EXPECT_THAT(help, HasSubstr("\n用法：./lab [选项]\n"));
  EXPECT_THAT(help, HasSubstr("\n选项：\n"));
}

TEST(Help, AlignsMeaningsBehindChineseNames) {
  CLI::App app("", "./lab");
  int nodes = 0;
  app.add_option("--nodes", nodes, "on how many servers")->check(CLI::Range(1, 15))->required();
  bool json = false;
  app.add_flag("--json", json, "for a machine to read")->needs("--nodes");
  const auto help = chinese_help_of(app);
  EXPECT_THAT(help, HasSubstr("\n  --nodes 整数[1-15] 必填     用几台服务器\n"));
  EXPECT_THAT(help, HasSubstr("\n  --json 须配合：--nodes      供程序读取\n"));
}

TEST(Help, KeepsTheCommandsOfExamples) {
  CLI::App app("", "./lab");
  app.footer("Examples:\n  ./lab list --json      for a machine to read\n  ./lab list");
  EXPECT_THAT(chinese_help_of(app),
              HasSubstr("\n示例：\n  ./lab list --json      供程序读取\n  ./lab list\n"));
}

TEST(WrappedHelp, CountsTheColumnsOfAChineseName) {
  EXPECT_EQ(wrapped_help("  --名字  说一个词", 10, 14), "  --名字  说一\n          个词\n");
}

}  // namespace
}  // namespace terminal
