// How far a learner has come: one file, learn/progress.json, for people to read and to delete.
//
// A learner watches in one terminal and asks for hints in another: several programs may change it
// at a time. Thread-safety: any thread may call the functions.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace learning {

// A check of a lock that does not compile stops there.
inline constexpr const char* the_build = "the build";

// The attempt at one exercise, so far.
struct Attempt {
  std::string state = "begun";  // begun, red, green, skipped
  int checks = 0;
  int hints = 0;               // how many were shown
  int asked_for_solution = 0;  // while it was not solved
  std::string scenario;        // the last check stopped at that, or at `the_build`; empty: green
  std::string sentence;        // and what it said
  std::size_t part = 0;        // the part one is at, from 0
  bool solved = false;         // it was green once
  long long begun_at = 0;      // of this run through it: seconds since 1970; 0: not noted
  std::vector<int> minutes;    // what each run through it took, from the beginning to green

  // It is green: notes how long this run took.
  void solve();
  // The middle one of your own runs; 0: none has come to its end.
  [[nodiscard]] int median_minutes() const;
};

// A guess before a run, and its outcome.
struct Guess {
  std::string lock;      // what ran, such as "exercise3" or "stage4_lua_release"
  std::string scenario;  // under which scenario
  std::string guessed;   // words of `Outcome`
  std::string happened;
  std::string guessed_at = {};                // where it breaks; empty: not asked, or no idea
  std::vector<std::string> happened_at = {};  // where it did; empty outside a sweep

  // A guess that names one of several places is right.
  [[nodiscard]] bool was_right() const;
  // For people: "two inside: A and B, between two commands".
  [[nodiscard]] std::string said() const;
  [[nodiscard]] std::string came() const;
};

struct Progress {
  std::string at;                           // the exercise one is at; empty: none was begun
  std::map<std::string, Attempt> attempts;  // by exercise
  std::vector<Guess> guesses;
};

// Nothing, if there is no such file yet. Throws CannotRun if it cannot be read.
[[nodiscard]] Progress read_progress(const std::filesystem::path& directory);
// Reads it, lets `change` change it, and writes it; whoever else wants to change it waits. Nobody
// who reads meanwhile sees half of it. Throws CannotRun.
void change_progress(const std::filesystem::path& directory,
                     const std::function<void(Progress&)>& change);

}  // namespace learning
