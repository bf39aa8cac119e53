// A command line in words, and its program as a path.
#include "tools/field/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "faults/kit/errors.h"
#include "faults/kit/shell_word.h"

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

}  // namespace
}  // namespace field
