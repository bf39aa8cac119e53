#include "faults/explore/soaking/round.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <thread>

#include "core/deadline.h"
#include "faults/explore/soaking/doers.h"
#include "faults/explore/soaking/real_client.h"
#include "faults/judging/judge.h"
#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"
#include "faults/running/setting.h"
#include "faults/world/world.h"

namespace explore {
namespace {

using faults::Kind;

constexpr int passes_of_a_client = 4;

// "A" to "Z", then "A2".
std::string name_of(std::size_t number) {
  constexpr std::size_t letters = 26;
  const std::string letter(1, static_cast<char>('A' + number % letters));
  return number < letters ? letter : letter + std::to_string(1 + number / letters);
}

class RealRound {
 public:
  RealRound(const WorldPlan& plan, const RoundPlan& round, faults::World& world,
            faults::History& history)
      : plan_(plan),
        round_(round),
        world_(world),
        history_(history),
        settings_{.program = plan.program,
                  .lease = plan.lease,
                  .faults = round.faults,
                  .faults_left = round.at_most} {}

  void play() {
    for (int i = 0; i < plan_.clients; ++i) add_client(passes_of_a_client);
    core::Deadline deadline(faults::standstill);
    while (!is_over()) {
      if (deadline.is_over()) throw faults::Stalled("a round of the soak does not come to its end");
      for (auto& client : clients_) client.look(std::chrono::steady_clock::now());
      replace_the_dead();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    let_a_latecomer_in();
  }

  [[nodiscard]] const RoundSettings& settings() const { return settings_; }

 private:
  void add_client(int passes) {
    const auto number = ++begun_;
    const auto seed =
        (round_.seed * 1'000'003ULL + static_cast<std::uint64_t>(round_.number)) * 1'009ULL +
        number;
    clients_.emplace_back(world_, history_, settings_, name_of(number - 1), passes, seed);
  }

  void replace_the_dead() {
    int passes = 0;
    for (auto at = clients_.begin(); at != clients_.end();) {
      if (at->is_dead()) passes += at->passes_left();
      at = at->is_dead() ? clients_.erase(at) : std::next(at);
    }
    if (passes > 0) add_client(passes);
  }

  [[nodiscard]] bool is_over() const {
    return std::all_of(clients_.begin(), clients_.end(),
                       [](const RealClient& client) { return client.is_over(); });
  }

  void let_a_latecomer_in() {
    auto& latecomer = world_.client(name_of(begun_));
    const auto outcome = latecomer.acquire(
        {.wait = world_.timing.wait_limit(), .must_get_in = true, .may_fail = true});
    if (outcome == "acquired") (void)latecomer.release({.may_fail = true});
  }

  const WorldPlan& plan_;
  const RoundPlan& round_;
  faults::World& world_;
  faults::History& history_;
  RoundSettings settings_;
  std::list<RealClient> clients_;
  std::size_t begun_ = 0;
};

// Plays it. Why it shows nothing, if it does, goes into the history.
void play(RealRound& round, faults::World& world, faults::History& history) {
  try {
    round.play();
    world.end();
  } catch (const faults::NotExercised& reason) {
    history.add("", Kind::not_exercised, {{"why", reason.what()}});
  } catch (const faults::Stalled& reason) {
    history.add("", Kind::stalled, {{"why", reason.what()}});
  } catch (const faults::Misbehaved& reason) {
    history.add("", Kind::misbehaved, {{"why", reason.what()}});
  }
}

}  // namespace

unsigned real_time_faults() {
  return freeze_fault | kill_fault | lose_fault | slow_fault | cut_fault | amnesia_fault |
         clock_fault;
}

Round play_round(const WorldPlan& plan, const RoundPlan& round_plan, faults::Reaper& reaper) {
  const faults::TempDir directory(reaper);
  faults::History history(directory.path() / "history.jsonl");
  history.add("", Kind::setting,
              faults::setting_of(
                  plan.stage, {.scenario = "soak",
                               .sentence = "many clients and faults, chosen by dice, in real time",
                               .lease = plan.lease,
                               .judged = plan.judged,
                               .depends_on_time = true}));
  Round round;
  {
    faults::World world(plan.stage, plan.redis, reaper, history, directory.path());
    RealRound played(plan, round_plan, world, history);
    play(played, world, history);
    round.passes = played.settings().passes;
    round.faults = played.settings().faults_thrown;
  }
  round.record = history.record();
  const auto untold = name_doers(round.record);
  round.judgement = faults::judge(round.record);
  leave_out_doubtful(round.judgement, round.record, untold);
  return round;
}

}  // namespace explore
