#include "faults/kit/errors.h"
#include "faults/scenarios/scenarios.h"
#include "faults/world/world.h"

namespace faults {
namespace {

// The number of the thread that got the key with which clients warm up, one after the other, A
// first. Throws NotExercised, with `why_not`, if none got it.
nlohmann::json thread_that_warmed_up(const Client& client, const char* why_not) {
  const auto& answer = client.last_acquire();
  if (answer.value("outcome", std::string{}) == "acquired")
    return answer.value("thread", nlohmann::json());
  throw NotExercised(
      client.name() +
      " did not get the key that clients warm up with, one after the other: " + why_not);
}

}  // namespace

Scenario same_thread_id() {
  return {.name = "same_thread_id",
          .sentence =
              "B, whose thread has the same number as A's, wants the lock while A works under it",
          .judged = {Property::mutual_exclusion, Property::owner_only_release,
                     Property::truthful_outcomes},
          .needs = {fault::held, needs_contention},
          .on_any_server = true,
          .run = [](World& world) {
            auto& a = world.client("A");
            auto& b = world.client("B");
            if (thread_that_warmed_up(a, "nobody was ever given it") !=
                thread_that_warmed_up(b, "the one before did not give it back")) {
              throw NotExercised("the threads of A and B have different numbers");
            }
            world.steps.must_acquire(a, {.lease = world.timing.long_lease()});
            world.steps.stop_at_work(a, before_write, [&] { try_turn(b); });
            a.release();
          }};
}

}  // namespace faults
