#include "faults/explore/stepping/stepped_run.h"

#include "faults/judging/judge.h"

namespace explore {

constexpr unsigned every_fault = ~0U;

SteppedRun::SteppedRun(const WorldPlan& world, faults::Reaper& reaper)
    : world_(world), controller_(world, reaper) {}

void SteppedRun::begin(const std::vector<Schedule::Step>& steps) {
  if (!is_over_) controller_.end();
  is_over_ = true;  // unless all of them fit
  recorder_.emplace(controller_);
  recorder_->follow({.lock = world_.stage.name, .steps = steps});
  is_over_ = false;
  update();
}

void SteppedRun::choose(const Event& event) {
  recorder_->choose(event);
  update();
}

void SteppedRun::run_on(bool to_the_end) {
  for (;;) {
    const auto events = controller_.events({.faults = 0, .reduced = true});
    if (events.empty()) break;
    recorder_->choose(events.front());
    if (!to_the_end && events.front().kind == EventKind::send) break;
  }
  update();
}

void SteppedRun::update() {
  labels_ = recorder_->labels();
  events_ = controller_.events({.faults = every_fault, .reduced = false});
  if (!events_.empty()) {
    judgement_ = faults::judge(controller_.record());
    return;
  }
  auto run = recorder_->finish();
  is_over_ = true;
  judgement_ = run.judgement;
  whole_ = std::move(run.record);
}

const faults::Record& SteppedRun::record() const {
  return is_over_ ? whole_ : controller_.record();
}

MomentView SteppedRun::moment() {
  return {.step = labels_.size(),
          .now = std::chrono::duration_cast<std::chrono::milliseconds>(controller_.run_time()),
          .snapshot = controller_.snapshot(),
          .judgement = judgement_,
          .events = events_};
}

}  // namespace explore
