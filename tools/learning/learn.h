// `lab learn`: the learner's companion. One function for each command; each returns the exit code:
// 0 done, or green; 1 red; 3 nothing was shown, since the machine did not keep up. All throw
// CannotRun for what keeps them from running.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "faults/kit/reaper.h"
#include "faults/world/tested_lock.h"
#include "tools/terminal/options.h"

namespace learning {

// The directory of the workspaces, unless another one is named.
[[nodiscard]] std::filesystem::path usual_directory();

struct Options {
  terminal::Options common;
  std::filesystem::path directory = usual_directory();  // where the workspaces are
  bool predict = true;                                  // ask what will happen, before it does
  bool all = false;  // look at the old promises also if the story is red
  std::string only;  // check runs this scenario and no other; empty: all of them
  // Once all hold, look for an order that breaks it among so many; 0: do not; nothing: among as
  // many as a lock in its language runs within a few seconds.
  std::optional<long> search = {};

  // The command as a person types it here: "./lab learn hint".
  [[nodiscard]] std::string command(std::string_view words) const;
};

// Shows where one is, what is red, which file to open.
[[nodiscard]] int status(const Options& options);
[[nodiscard]] int list(const Options& options);

// Begins an exercise; the next one that is not solved, if none is named. Goes on with it if it was
// begun before. `jump` says that those before it are to be left out.
[[nodiscard]] int start(const Options& options, const std::string& exercise);
[[nodiscard]] int jump(const Options& options, const std::string& exercise);
// The workspace as it was at the beginning; what was there is kept aside. Without a name, of the
// exercise one is at.
[[nodiscard]] int reset(const Options& options, const std::string& exercise);

// Builds the workspace and judges it: the exercise's story first, then every other promise. One
// story alone says nothing of the others: where one is then stays as it was.
[[nodiscard]] int check(const Options& options, faults::Reaper& reaper);
// The lock of the exercise one is at, built. Throws CannotRun if it does not compile.
[[nodiscard]] faults::TestedLock lock_at_hand(const Options& options, faults::Reaper& reaper);
// The same whenever a file is saved, until interrupted.
[[nodiscard]] int watch(const Options& options, faults::Reaper& reaper);

// One hint more.
[[nodiscard]] int hint(const Options& options);
// How our stage differs from the workspace: once it is solved, or when asked twice.
[[nodiscard]] int solution(const Options& options);
// Asks what will come of our lock of an exercise (the one you are at), under an order of events
// that the search found: asked on a terminal, and then replayed.
[[nodiscard]] int quiz(const Options& options, const std::string& exercise, faults::Reaper& reaper);
// Shows what was guessed before runs, and what came.
[[nodiscard]] int score(const Options& options);

}  // namespace learning
