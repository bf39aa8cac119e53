// A word for the shell is one word there.
#include "faults/kit/shell_word.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <memory>
#include <string>

namespace {

// The words as a shell takes them apart, one a line.
std::string taken_apart(const std::string& words) {
  const std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(("printf '%s\\n' " + words).c_str(), "r"),
                                                    pclose);
  std::string lines;
  std::array<char, 256> bytes{};
  while (fgets(bytes.data(), bytes.size(), shell.get()) != nullptr) lines += bytes.data();
  return lines;
}

TEST(ShellWord, IsOneWordOfAShell) {
  for (const std::string text : {"a b", "it's", "$HOME", "a\"b", "*", "", "~", "a;b", "Übung 1"}) {
    EXPECT_EQ(taken_apart(faults::shell_word(text) + " next"), text + "\nnext\n");
  }
}

TEST(ShellWord, LeavesAnOrdinaryPathAlone) {
  EXPECT_EQ(faults::shell_word("runs/20260102-030405-stage3_set_nx_px-explore/schedule"),
            "runs/20260102-030405-stage3_set_nx_px-explore/schedule");
}

}  // namespace
