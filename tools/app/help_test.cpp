// The help of every command, in Chinese.
#include "tools/app/help.h"

#include <gtest/gtest.h>

#include <sstream>

#include "faults/kit/text_width.h"
#include "tools/app/all_commands.h"
#include "tools/terminal/help.h"
#include "tools/terminal/testing/known_text.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

using terminal::english_in;
using terminal::expect_known;

class ChineseHelp : public testing::Test {
 protected:
  ChineseHelp() {
    lab.footer(help::examples);
    add_shared_flags(lab, shared);
    commands = add_commands(lab, shared);
  }

  Shared shared;
  CLI::App lab{help::description, "./lab"};
  std::vector<Command> commands;
};

// `app` and all commands below it.
std::vector<CLI::App*> all_of(CLI::App& app) {
  std::vector<CLI::App*> all{&app};
  for (auto* command : app.get_subcommands(std::function<bool(CLI::App*)>())) {
    for (auto* each : all_of(*command)) all.push_back(each);
  }
  return all;
}

void expect_all_known(const CLI::App& command) {
  SCOPED_TRACE(command.get_name());
  if (!command.get_description().empty()) expect_known(command.get_description());
  for (const auto* option : command.get_options()) {
    SCOPED_TRACE(option->get_name());
    expect_known(option->get_description());
    expect_known(option->get_group());
    if (!option->get_type_name().empty()) expect_known(option->get_type_name());
    EXPECT_EQ(english_in(terminal::Language::named("zh")(option->get_default_str())), "");
  }
}

TEST_F(ChineseHelp, HasEachDescription) {
  for (const auto* command : all_of(lab)) expect_all_known(*command);
}

// Without what is English in every language: the command of an example, and names of arguments.
std::string prose_of(const std::string& line) {
  if (line.starts_with("用法：") || line.find(" 不可同用：") != std::string::npos) return {};
  const auto gap = line.rfind("  ");
  if (gap == std::string::npos) return line;
  return gap == 0 && line.starts_with("  ./lab") ? std::string() : line.substr(gap + 2);
}

TEST_F(ChineseHelp, LeavesNoEnglishAndFitsTheWidth) {
  terminal::translate_help(lab, terminal::Language::named("zh"));
  for (const auto* command : all_of(lab)) {
    const auto column = command->get_formatter()->get_column_width();
    std::istringstream lines(terminal::wrapped_help(command->help(), column, 96));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_EQ(english_in(prose_of(line)), "") << line;
      EXPECT_LE(faults::width_in_columns(line), 96U) << line;
    }
  }
}

TEST_F(ChineseHelp, DoesNotChangeEnglish) {
  const auto before = lab.help();
  terminal::translate_help(lab, terminal::Language());
  EXPECT_EQ(lab.help(), before);
}

}  // namespace
}  // namespace app
