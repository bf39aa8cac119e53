// A command line in words, and its program as a path.
#include "tools/field/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "faults/kit/errors.h"
#include "faults/kit/reaper.h"
#include "faults/kit/shell_word.h"
#include "faults/kit/temp_dir.h"

namespace field {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WordsOf, KeepsWhatIsQuotedTogether) {
  EXPECT_THAT(words_of("python3  'my lock.py' --name \"it's\""),
              ElementsAre("python3", "my lock.py", "--name", "it's"));
  EXPECT_THAT(words_of("a''b ''"), ElementsAre("ab", ""));
  EXPECT_THAT(words_of("  "), IsEmpty());
}

TEST(WordsOf, RefusesAQuoteThatIsNeverClosed) {
  EXPECT_THROW((void)words_of("python3 'mine.py"), faults::CannotRun);
}

TEST(WordsOf, ReadsWhatShellWordWrites) {
  for (const auto* word : {"plain", "two words", "a\"quote"}) {
    EXPECT_THAT(words_of(faults::shell_word(word)), ElementsAre(word));
  }
}

TEST(ProgramNamed, IsLookedForOnThePath) {
  EXPECT_THAT(program_named("sh"), testing::EndsWith("/sh"));
  EXPECT_EQ(program_named("/bin/sh"), "/bin/sh");
  EXPECT_THROW((void)program_named("no-such-program"), faults::CannotRun);
  EXPECT_THROW((void)program_named("/no/such/program"), faults::CannotRun);
}

// Writes a script, as a version manager's are.
void write_script(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << "#!/bin/sh\n" << text;
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

TEST(ProgramNamed, IsWhatAShimStarts) {
  faults::Reaper reaper;
  const faults::TempDir place(reaper);
  const auto root = place.path() / ".someenv";
  write_script(root / "shims" / "python3", "exec /bin/sh\n");
  write_script(root / "bin" / "someenv", "[ \"$*\" = 'which python3' ] && echo /bin/sh\n");
  EXPECT_EQ(program_named((root / "shims" / "python3").native()), "/bin/sh");
  write_script(root / "shims" / "node", "exec /bin/sh\n");
  EXPECT_THROW((void)program_named((root / "shims" / "node").native()), faults::CannotRun);
  // A directory of that name which nobody manages.
  write_script(root / "other" / "shims" / "node", "exec /bin/sh\n");
  EXPECT_THAT(program_named((root / "other" / "shims" / "node").native()),
              testing::EndsWith("/node"));
}

}  // namespace
}  // namespace field
