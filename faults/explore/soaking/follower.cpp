#include <algorithm>

#include "faults/explore/soaking/history_steps.h"

namespace explore {
namespace {

// Tries steps in a run.
class Follower {
 public:
  explicit Follower(Controller& controller) : controller_(controller), recorder_(controller) {}

  [[nodiscard]] Run follow(const HistorySteps& steps) {
    for (const auto& step : steps.steps) {
      if (step.deed == Deed::advance) {
        wait_for_a_lease();
      } else if (!try_step(step)) {
        wait_and_try(step);
      }
    }
    return recorder_.go_on_to_the_end();
  }

 private:
  static constexpr int most_moments = 20;

  [[nodiscard]] std::vector<Event> events() {
    return controller_.events({.faults = ~0U, .reduced = false});
  }

  // How well does it fit? 0: not at all.
  [[nodiscard]] static int fit(const HistoryStep& step, const Event& event) {
    if (event.deed != step.deed || event.client != step.client) return 0;
    const auto says = [&](const std::string& word) {
      return event.label.find(word) != std::string::npos;
    };
    if (step.client.empty()) return says(step.server + ":") ? 3 : 1;
    if (step.command.empty()) return 3;
    if (says(" " + step.command)) return step.server == "storage" || says(step.server) ? 3 : 2;
    const bool of_storage = says(" READ") || says(" BEGIN") || says(" WRITE");
    return of_storage == (step.server == "storage") ? 1 : 0;
  }

  bool try_step(const HistoryStep& step) {
    const auto all = events();
    const auto best = std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
      return fit(step, a) < fit(step, b);
    });
    if (best == all.end() || fit(step, *best) == 0) return false;
    recorder_.choose(*best);
    return true;
  }

  // A timer of that client may have to end first, or a slow message to arrive.
  void wait_and_try(const HistoryStep& step) {
    if (step.deed != Deed::send && step.deed != Deed::reply) return;
    for (int i = 0; i < most_moments; ++i) {
      const auto all = events();
      const auto next = std::find_if(all.begin(), all.end(), [&](const Event& event) {
        return event.deed == Deed::advance &&
               event.label.find(step.client + "'s ") != std::string::npos;
      });
      if (next == all.end()) return;
      recorder_.choose(*next);
      if (try_step(step)) return;
    }
  }

  [[nodiscard]] std::ptrdiff_t leases_ended() const {
    const auto& record = controller_.record();
    return std::count_if(record.begin(), record.end(), [](const faults::Event& event) {
      return event.kind == faults::Kind::server && event.text("what") == "expired" &&
             !event.is_of_another_key();
    });
  }

  void wait_for_a_lease() {
    const auto before = leases_ended();
    for (int i = 0; i < most_moments && leases_ended() == before; ++i) {
      if (!try_step({.deed = Deed::advance})) return;
    }
  }

  Controller& controller_;
  RunRecorder recorder_;
};

}  // namespace

Run follow(Controller& controller, const HistorySteps& steps) {
  return Follower(controller).follow(steps);
}

}  // namespace explore
