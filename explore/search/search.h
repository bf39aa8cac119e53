// The search: every order of events within bounds, one run after the other on real processes.
//
// It goes through the orders without a fault first, then those with one, and so on; and it stops
// behind the first number of faults that breaks a property. Of the runs that break it the shortest
// is kept: so what it shows is the simplest that there is.
//
// A run is a list of choices, and the next run begins with the same choices but for the last ones.
// If another set of events is found where the same choices had led before, the world is not under
// control: that is an error (Diverged), and never a result.
//
// Thread-safety: none; one thread.
#pragma once

#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "explore/search/run.h"
#include "explore/world/controller.h"

namespace explore {

// The same choices did not lead to the same place.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct SearchPlan {
  unsigned faults = 0;              // the kinds that may happen
  std::vector<std::string> during;  // to a client in one of these operations; empty: in any
  int at_most = 1;                  // faults in one run
  std::chrono::milliseconds budget{60'000};
  bool reduced = true;
  int sampled = 100;  // one run in so many is done twice, and compared; 0: none
};

// All runs with the same number of faults.
struct Level {
  int faults = 0;
  long orders = 0;
  long violated = 0;
  bool exhausted = false;
};

struct CounterExample {
  faults::Finding finding;
  int faults = 0;
  std::size_t steps = 0;  // until the finding can be seen
  Run run;
};

struct SearchResult {
  std::vector<Level> levels;
  std::vector<CounterExample> found;  // one for each property that was broken, the shortest first
  long runs = 0;                      // with those that were done twice, and those on the way
  long steps = 0;
  std::chrono::duration<double> time{0};

  [[nodiscard]] long orders() const;
  [[nodiscard]] bool is_exhausted() const;
};

class Search {
 public:
  // Hears how far the search has come, behind each run.
  using Progress = std::function<void(const SearchResult&)>;

  Search(Controller& controller, SearchPlan plan, Progress progress = {});

  // Throws Diverged, CannotRun; ClientFailed with the steps that led there.
  [[nodiscard]] SearchResult run();

 private:
  struct Node {
    std::vector<std::string> labels;
    std::vector<bool> faults;
    std::size_t chosen = 0;
  };

  void search_level(int faults);
  // The next run, with the choices in `path_`; adds those that it comes to.
  [[nodiscard]] Run run_once(int faults, int& used);
  void must_agree(const Node& before, const Node& now, std::size_t step) const;
  void do_again(const Run& run, int faults);
  void take(Run run, int faults);
  // Turns `path_` to the next run. False: there is none.
  [[nodiscard]] bool turn();
  [[nodiscard]] bool is_over() const;
  void confirm();

  Controller& controller_;
  const SearchPlan plan_;
  const Progress progress_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Node> path_;
  SearchResult result_;
};

}  // namespace explore
