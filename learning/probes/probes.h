// Stories that learners' locks are told beside the scenarios: mistakes that our own locks and their
// wrong turns do not make. They are written like scenarios, and stand in no table.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "faults/scenarios/scenario.h"

namespace learning {

struct Probe {
  faults::Scenario scenario;
  std::string from_stage;           // the first stage that has to withstand it, such as "stage5"
  std::string to_stage = "stage9";  // the first later one that need not
};

[[nodiscard]] const std::vector<Probe>& probes();

// The probe of that name, or null.
[[nodiscard]] const faults::Scenario* find_probe(std::string_view name);

namespace probe {

[[nodiscard]] faults::Scenario overtaken();
[[nodiscard]] faults::Scenario late_yes();
[[nodiscard]] faults::Scenario yes_held_up();
[[nodiscard]] faults::Scenario refusal_lost();
[[nodiscard]] faults::Scenario unheard_yes();
[[nodiscard]] faults::Scenario lost_again();
[[nodiscard]] faults::Scenario yes_lost();
[[nodiscard]] faults::Scenario yes_lost_twice();
[[nodiscard]] faults::Scenario inner_yes_lost();
[[nodiscard]] faults::Scenario asks_twice();
[[nodiscard]] faults::Scenario told_to_stop();
[[nodiscard]] faults::Scenario early_word();
[[nodiscard]] faults::Scenario half_acquired();
[[nodiscard]] faults::Scenario taken_again();

[[nodiscard]] faults::Scenario servers_fail();

[[nodiscard]] faults::Scenario among_others();
[[nodiscard]] faults::Scenario two_at_once();

[[nodiscard]] faults::Scenario release_lost();
[[nodiscard]] faults::Scenario release_lost_too_late();
[[nodiscard]] faults::Scenario release_unheard();
[[nodiscard]] faults::Scenario released_twice();
[[nodiscard]] faults::Scenario unheard_and_back();
[[nodiscard]] faults::Scenario release_lost_renewed();
[[nodiscard]] faults::Scenario late_release();
[[nodiscard]] faults::Scenario released_late_twice();
[[nodiscard]] faults::Scenario released_by_a_thread();
[[nodiscard]] faults::Scenario release_held_up();
[[nodiscard]] faults::Scenario inner_release_unheard();

[[nodiscard]] faults::Scenario look_alike();
[[nodiscard]] faults::Scenario look_alike_renewed();

[[nodiscard]] faults::Scenario killed_after_renewals();
[[nodiscard]] faults::Scenario named_lease();
[[nodiscard]] faults::Scenario let_go();

[[nodiscard]] faults::Scenario lost_then_nested();
[[nodiscard]] faults::Scenario removed_then_nested();
[[nodiscard]] faults::Scenario other_thread();
[[nodiscard]] faults::Scenario three_levels();

[[nodiscard]] faults::Scenario killed_after_inner_unlock();
[[nodiscard]] faults::Scenario growing_lease();
[[nodiscard]] faults::Scenario short_inside();
[[nodiscard]] faults::Scenario inner_unlock_then_long();
[[nodiscard]] faults::Scenario long_inside();

[[nodiscard]] faults::Scenario handed_on();
[[nodiscard]] faults::Scenario joined_for_longer();
[[nodiscard]] faults::Scenario joined_and_slow();
[[nodiscard]] faults::Scenario join_unheard();
[[nodiscard]] faults::Scenario joined_too_late();
[[nodiscard]] faults::Scenario old_invitation();
[[nodiscard]] faults::Scenario joined_from_inside();
[[nodiscard]] faults::Scenario joined_at_one();
[[nodiscard]] faults::Scenario handed_on_after_repairs();

[[nodiscard]] faults::Scenario late_votes();
[[nodiscard]] faults::Scenario too_few_votes();
[[nodiscard]] faults::Scenario refused_by_most();
[[nodiscard]] faults::Scenario waits_in_step();
[[nodiscard]] faults::Scenario release_comes_first();
[[nodiscard]] faults::Scenario two_of_three();
[[nodiscard]] faults::Scenario three_of_seven();
[[nodiscard]] faults::Scenario two_of_four();
[[nodiscard]] faults::Scenario slow_yes();
[[nodiscard]] faults::Scenario release_at_one();
[[nodiscard]] faults::Scenario nested_without_one();
[[nodiscard]] faults::Scenario nested_without_most();
[[nodiscard]] faults::Scenario lost_by_most();
[[nodiscard]] faults::Scenario worn_away();
[[nodiscard]] faults::Scenario next_token();
[[nodiscard]] faults::Scenario agreed_by_two();
[[nodiscard]] faults::Scenario late_second_round();
[[nodiscard]] faults::Scenario late_repair();

}  // namespace probe
}  // namespace learning
