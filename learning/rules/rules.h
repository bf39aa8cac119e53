// The rules of rule_table.h, each about one mistake. Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "learning/evidence/evidence.h"

namespace learning::rules {

using Says = std::optional<std::string>;

// Taking the lock.
Says never_asks(const Evidence& evidence);
Says answer_ignored(const Evidence& evidence);
Says presence_taken_for_its_own(const Evidence& evidence);
Says set_without_nx(const Evidence& evidence);
Says exec_not_looked_at(const Evidence& evidence);
Says yes_taken_for_no(const Evidence& evidence);
Says yes_taken_for_unknown(const Evidence& evidence);
Says silence_taken_for_a_no(const Evidence& evidence);
Says asks_for_another_key(const Evidence& evidence);
Says takes_by_counting(const Evidence& evidence);
Says refusal_writes_over(const Evidence& evidence);
Says get_then_set(const Evidence& evidence);
Says lease_by_its_own_clock(const Evidence& evidence);
Says takes_what_is_overdue(const Evidence& evidence);
Says no_lease(const Evidence& evidence);
Says lease_taken_for_granted(const Evidence& evidence);
Says lease_in_a_second_command(const Evidence& evidence);
Says lease_before_the_key(const Evidence& evidence);
Says lease_on_another_key(const Evidence& evidence);
Says lease_wiped(const Evidence& evidence);
Says lease_of_nothing(const Evidence& evidence);
Says lease_is_over_at_once(const Evidence& evidence);
Says lease_is_always_the_same(const Evidence& evidence);
Says lease_longer_than_asked(const Evidence& evidence);
Says lease_shorter_than_asked(const Evidence& evidence);
Says yes_to_what_is_over(const Evidence& evidence);
Says gives_up_what_it_has(const Evidence& evidence);
Says tries_again_by_itself(const Evidence& evidence);
Says takes_back_in_two_steps(const Evidence& evidence);
Says take_back_not_awaited(const Evidence& evidence);
Says contender_extends(const Evidence& evidence);

// Its token.
Says token_is_counted(const Evidence& evidence);
Says tokens_begin_the_same(const Evidence& evidence);
Says token_is_thread_number(const Evidence& evidence);
Says token_shared(const Evidence& evidence);
Says token_of_the_lock_object(const Evidence& evidence);
Says token_per_process(const Evidence& evidence);
Says token_of_the_lock(const Evidence& evidence);
Says token_is_short(const Evidence& evidence);

// Giving it back.
Says acquire_deletes(const Evidence& evidence);
Says ends_a_later_hold(const Evidence& evidence);
Says watch_left_over(const Evidence& evidence);
Says release_counts_down(const Evidence& evidence);
Says deletes_then_compares(const Evidence& evidence);
Says del_without_compare(const Evidence& evidence);
Says deletes_after_mismatch(const Evidence& evidence);
Says compare_then_del(const Evidence& evidence);
Says script_does_not_compare(const Evidence& evidence);
Says compares_part_of_the_token(const Evidence& evidence);
Says silence_taken_for_an_answer(const Evidence& evidence);
Says compares_with_something_else(const Evidence& evidence);
Says released_nothing(const Evidence& evidence);
Says removed_and_denied(const Evidence& evidence);
Says outcome_ignores_answer(const Evidence& evidence);

// Renewing it.
Says renewal_compares_part_of_the_token(const Evidence& evidence);
Says checks_then_renews(const Evidence& evidence);
Says renews_with_set_xx(const Evidence& evidence);
Says renewal_writes_the_key(const Evidence& evidence);
Says renews_whatever_is_there(const Evidence& evidence);
Says renewal_brings_it_back(const Evidence& evidence);
Says renewal_says_yes_to_all(const Evidence& evidence);
Says renewal_is_refused(const Evidence& evidence);
Says renewal_gives_back(const Evidence& evidence);
Says renewal_deletes(const Evidence& evidence);
Says renewal_refuses_its_own(const Evidence& evidence);
Says renews_another_key(const Evidence& evidence);
Says renewal_says_no(const Evidence& evidence);
Says renewal_sets_no_lease(const Evidence& evidence);
Says renewal_skips_the_lease(const Evidence& evidence);
Says renewal_forgets_the_longest(const Evidence& evidence);
Says renewal_shortens(const Evidence& evidence);
Says renewal_sets_too_long_a_lease(const Evidence& evidence);
Says renews_a_named_lease(const Evidence& evidence);
Says renews_without_end(const Evidence& evidence);
Says release_waits_for_renewal(const Evidence& evidence);
Says stops_renewing(const Evidence& evidence);
Says renews_too_late(const Evidence& evidence);
Says renews_too_often(const Evidence& evidence);
Says renews_before_the_answer(const Evidence& evidence);
Says renews_after_release(const Evidence& evidence);
Says renews_what_was_let_go(const Evidence& evidence);
Says never_renews(const Evidence& evidence);
Says gives_up_after_a_lost_reply(const Evidence& evidence);
Says work_outlives_lease(const Evidence& evidence);
Says loses_what_it_has(const Evidence& evidence);
Says keeps_a_loss_to_itself(const Evidence& evidence);
Says works_after_the_word(const Evidence& evidence);
Says never_told(const Evidence& evidence);
Says not_told_after_a_release(const Evidence& evidence);
Says tells_of_a_release(const Evidence& evidence);
Says lease_counted_from_reply(const Evidence& evidence);
Says no_room_for_drift(const Evidence& evidence);

// What it remembers of its answers, and tells of them.
Says refused_without_asking(const Evidence& evidence);
Says forgets_what_it_has(const Evidence& evidence);
Says renews_after_an_unheard_release(const Evidence& evidence);
Says renews_for_longer_than_asked(const Evidence& evidence);
Says left_without_an_answer(const Evidence& evidence);
Says released_by_another_thread(const Evidence& evidence);
Says takes_it_and_says_no(const Evidence& evidence);
Says refused_what_is_free(const Evidence& evidence);
Says refusal_takes_away(const Evidence& evidence);
Says forgets_a_lost_release(const Evidence& evidence);
Says stolen_by_nobody(const Evidence& evidence);
Says theft_kept_quiet(const Evidence& evidence);

Says forgets_no_release(const Evidence& evidence);
Says loss_called_not_held(const Evidence& evidence);
Says enters_what_it_leaves(const Evidence& evidence);

// Several locks at once.
Says mixes_up_its_locks(const Evidence& evidence);
Says renews_one_lock_only(const Evidence& evidence);

// Servers that answer an error, or are not there.
Says error_taken_for_an_answer(const Evidence& evidence);
Says answers_for_nobody(const Evidence& evidence);
Says lets_a_lost_reply_out(const Evidence& evidence);
Says denies_what_it_did_not_hear(const Evidence& evidence);
// Of an acquire or a release that ended with an error: `how`. Was it told no, as an answer?
Says refusal_thrown(const Evidence& evidence, const std::string& how);

// Taking it twice.
Says inner_hold_not_watched(const Evidence& evidence);
Says waits_for_itself(const Evidence& evidence);
Says counts_in_memory(const Evidence& evidence);
Says takes_back_too_much(const Evidence& evidence);
Says asks_itself_again(const Evidence& evidence);
Says inner_unlock_deletes(const Evidence& evidence);
Says inner_says_released(const Evidence& evidence);
Says release_enters_anothers(const Evidence& evidence);
Says reentry_ends_renewal(const Evidence& evidence);
Says inner_unlock_ends_renewal(const Evidence& evidence);
Says reentry_changes_token(const Evidence& evidence);
Says reentry_brings_it_back(const Evidence& evidence);
Says enters_uncounted(const Evidence& evidence);
Says join_is_refused(const Evidence& evidence);
Says joins_what_is_over(const Evidence& evidence);
Says joins_by_an_old_token(const Evidence& evidence);
Says refused_join_ends_the_hold(const Evidence& evidence);
Says inner_lease_not_set(const Evidence& evidence);
Says last_release_keeps_it(const Evidence& evidence);
Says inner_lease_shortens(const Evidence& evidence);
Says leases_added_up(const Evidence& evidence);
Says owner_is_the_process(const Evidence& evidence);
Says owner_is_thread_number(const Evidence& evidence);
Says refusal_reads_as_yes(const Evidence& evidence);
Says let_in_while_held(const Evidence& evidence);
Says depth_is_counted(const Evidence& evidence);
Says leaves_for_everybody(const Evidence& evidence);

// Waiting for it.
Says wakes_nobody(const Evidence& evidence);
Says asks_without_a_pause(const Evidence& evidence);
Says waits_in_step(const Evidence& evidence);
Says does_not_wait(const Evidence& evidence);
Says does_not_heed_stop(const Evidence& evidence);
Says listens_to_nobody(const Evidence& evidence);
Says misses_early_word(const Evidence& evidence);
Says sleeps_while_it_is_free(const Evidence& evidence);

// Several servers.
Says no_taken_for_yes(const Evidence& evidence);
Says asks_one_after_another(const Evidence& evidence);
Says take_back_overtakes(const Evidence& evidence);
Says one_yes_is_enough(const Evidence& evidence);
Says second_round_ignored(const Evidence& evidence);
Says majority_too_small(const Evidence& evidence);
Says votes_not_given_back(const Evidence& evidence);
Says majority_is_not_enough(const Evidence& evidence);
Says takes_a_short_lease_for_over(const Evidence& evidence);
Says release_asks_too_few(const Evidence& evidence);
Says release_of_too_few(const Evidence& evidence);
Says few_deny_a_release(const Evidence& evidence);
Says release_leaves_servers_out(const Evidence& evidence);
Says release_does_not_wait(const Evidence& evidence);
Says release_wants_all(const Evidence& evidence);
Says release_waits_for_all(const Evidence& evidence);
Says forgets_and_votes(const Evidence& evidence);
Says waits_for_all(const Evidence& evidence);
Says refusal_waits_for_all(const Evidence& evidence);
Says answers_counted_for_votes(const Evidence& evidence);
Says no_taken_for_unknown(const Evidence& evidence);
Says one_no_ends_the_hold(const Evidence& evidence);
Says never_repairs(const Evidence& evidence);
Says renewed_by_too_few(const Evidence& evidence);
Says few_lose_the_hold(const Evidence& evidence);

// Fencing.
Says no_fencing_token(const Evidence& evidence);
Says token_without_a_hold(const Evidence& evidence);
Says fencing_is_random(const Evidence& evidence);
Says token_of_no_server(const Evidence& evidence);
Says token_is_not_the_greatest(const Evidence& evidence);
Says token_of_too_few_nodes(const Evidence& evidence);
Says counters_compared_as_text(const Evidence& evidence);
Says raise_refuses_its_own_count(const Evidence& evidence);
Says past_taken_for_stored(const Evidence& evidence);
Says raised_without_the_hold(const Evidence& evidence);
Says answer_has_no_token(const Evidence& evidence);
Says token_given_twice(const Evidence& evidence);
Says token_counts_the_votes(const Evidence& evidence);
Says token_is_a_sum(const Evidence& evidence);
Says token_is_read_again(const Evidence& evidence);
Says counts_in_the_marker(const Evidence& evidence);
Says counter_is_not_among_the_keys(const Evidence& evidence);
Says raise_stores_nothing(const Evidence& evidence);
Says counter_is_another_key(const Evidence& evidence);
Says counter_is_set_back(const Evidence& evidence);
Says raised_by_one(const Evidence& evidence);
Says counter_is_removed(const Evidence& evidence);
Says counter_is_not_counted(const Evidence& evidence);
Says counted_after_the_lock(const Evidence& evidence);
Says counter_starts_again(const Evidence& evidence);
Says token_lost_on_reentry(const Evidence& evidence);

}  // namespace learning::rules
