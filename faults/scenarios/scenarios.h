// One function for each scenario, each in the file of its name.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "faults/judging/judge.h"
#include "faults/kit/client.h"
#include "faults/scenarios/scenario.h"

namespace faults {

[[nodiscard]] Scenario killed_holder();
[[nodiscard]] Scenario killed_mid_acquire();
[[nodiscard]] Scenario frozen_mid_acquire();
[[nodiscard]] Scenario slow_acquire();
[[nodiscard]] Scenario stranger_release();
[[nodiscard]] Scenario second_release();
[[nodiscard]] Scenario overrun_release();
[[nodiscard]] Scenario frozen_mid_release();
[[nodiscard]] Scenario slow_holder();
[[nodiscard]] Scenario work_throws();
[[nodiscard]] Scenario graceful_stop();
[[nodiscard]] Scenario reply_lost_acquire();
[[nodiscard]] Scenario reply_lost_release();
[[nodiscard]] Scenario command_lost_release();
[[nodiscard]] Scenario reply_lost_renew();
[[nodiscard]] Scenario slow_renewal();
[[nodiscard]] Scenario late_renewal();
[[nodiscard]] Scenario late_extend();
[[nodiscard]] Scenario hung_holder();
[[nodiscard]] Scenario cut_off_holder();
[[nodiscard]] Scenario half_open();
[[nodiscard]] Scenario relock_loop();
[[nodiscard]] Scenario script_flush();
[[nodiscard]] Scenario refused_writes();
[[nodiscard]] Scenario missing_right();
[[nodiscard]] Scenario removed_lock();
[[nodiscard]] Scenario frozen_holder();
[[nodiscard]] Scenario killed_writer();
[[nodiscard]] Scenario nested_lock();
[[nodiscard]] Scenario two_locks();
[[nodiscard]] Scenario inner_unlock();
[[nodiscard]] Scenario joined_hold();
[[nodiscard]] Scenario shrinking_lease();
[[nodiscard]] Scenario same_thread_id();
[[nodiscard]] Scenario failover();
[[nodiscard]] Scenario failover_bare_majority();
[[nodiscard]] Scenario minority_down();
[[nodiscard]] Scenario majority_down();
[[nodiscard]] Scenario one_slow_node();
[[nodiscard]] Scenario split_vote();
[[nodiscard]] Scenario stale_write_between();
[[nodiscard]] Scenario same_token();
[[nodiscard]] Scenario late_acquire();
[[nodiscard]] Scenario failover_sentinel();
[[nodiscard]] Scenario failover_cluster();
[[nodiscard]] Scenario slot_moves();
[[nodiscard]] Scenario clock_jump();
[[nodiscard]] Scenario client_clock_jump();
[[nodiscard]] Scenario amnesia();

[[nodiscard]] Scenario killed_waiter();
[[nodiscard]] Scenario frozen_waiter();
[[nodiscard]] Scenario interrupted_waiter();
[[nodiscard]] Scenario cut_off_waiter();
[[nodiscard]] Scenario waiter_clock_jump();
[[nodiscard]] Scenario lost_word();
[[nodiscard]] Scenario gave_up_as_granted();
[[nodiscard]] Scenario no_overtaking();
[[nodiscard]] Scenario redis_away();

// From now on nothing passes between `client` and these of the servers.
void cut_off_from(Client& client, std::initializer_list<std::size_t> nodes);

// C has a hold that these of five servers never hear of: their fencing counters are 0, those of the
// others 1. Throws NotExercised unless there are five.
void leave_counters_behind(World& world, std::initializer_list<std::size_t> nodes);

// Each of the clients that ask works when it gets the lock and the others that still ask are at
// rest, and releases it for the next one.
void take_turns(World& world, const std::vector<Client*>& clients, std::vector<Pending>& asking);

// The steps that cut_off_holder and half_open have in common: nothing passes between A and the
// server in `directions` while A works; B wants the lock.
void work_while_cut_off(World& world, std::initializer_list<Direction> directions);

}  // namespace faults
