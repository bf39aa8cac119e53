#include "faults/scenarios/scenario.h"

#include <algorithm>

#include "faults/scenarios/scenarios.h"

namespace faults {

const std::vector<Scenario>& all_scenarios() {
  static const std::vector<Scenario> all{killed_holder(),
                                         killed_mid_acquire(),
                                         stranger_release(),
                                         overrun_release(),
                                         frozen_mid_release(),
                                         slow_holder(),
                                         work_throws(),
                                         graceful_stop(),
                                         reply_lost_acquire(),
                                         reply_lost_release(),
                                         reply_lost_renew(),
                                         late_renewal(),
                                         hung_holder(),
                                         cut_off_holder(),
                                         half_open(),
                                         removed_lock(),
                                         relock_loop(),
                                         script_flush(),
                                         nested_lock(),
                                         inner_unlock(),
                                         shrinking_lease(),
                                         same_thread_id(),
                                         failover(),
                                         failover_sentinel(),
                                         minority_down(),
                                         majority_down(),
                                         one_slow_node(),
                                         split_vote(),
                                         amnesia(),
                                         clock_jump(),
                                         frozen_holder(),
                                         killed_writer(),
                                         stale_write_between(),
                                         same_token(),
                                         late_acquire(),
                                         killed_waiter(),
                                         frozen_waiter(),
                                         cut_off_waiter(),
                                         lost_word(),
                                         gave_up_as_granted(),
                                         no_overtaking()};
  return all;
}

const Scenario* find_scenario(std::string_view name) {
  const auto& all = all_scenarios();
  const auto found = std::find_if(
      all.begin(), all.end(), [name](const Scenario& scenario) { return scenario.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace faults
