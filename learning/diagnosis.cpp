#include "learning/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faults/world.h"
#include "learning/rules.h"
#include "learning/rules_parts.h"

namespace learning {
namespace {

using faults::Property;
using faults::Verdict;

constexpr std::array all_diagnoses{
    NamedRule{"renews_one_lock_only", rules::renews_one_lock_only},
    NamedRule{"mixes_up_its_locks", rules::mixes_up_its_locks},
    NamedRule{"token_of_the_lock_object", rules::token_of_the_lock_object},
    NamedRule{"owner_is_the_process", rules::owner_is_the_process},
    NamedRule{"inner_hold_not_watched", rules::inner_hold_not_watched},
    NamedRule{"left_without_an_answer", rules::left_without_an_answer},
    NamedRule{"error_taken_for_an_answer", rules::error_taken_for_an_answer},
    NamedRule{"answers_for_nobody", rules::answers_for_nobody},
    NamedRule{"lets_a_lost_reply_out", rules::lets_a_lost_reply_out},
    NamedRule{"released_by_another_thread", rules::released_by_another_thread},
    NamedRule{"exec_not_looked_at", rules::exec_not_looked_at},
    NamedRule{"watch_left_over", rules::watch_left_over},
    NamedRule{"asks_itself_again", rules::asks_itself_again},
    NamedRule{"takes_it_and_says_no", rules::takes_it_and_says_no},
    NamedRule{"refused_what_is_free", rules::refused_what_is_free},
    NamedRule{"refused_without_asking", rules::refused_without_asking},
    NamedRule{"takes_back_too_much", rules::takes_back_too_much},
    NamedRule{"refusal_takes_away", rules::refusal_takes_away},
    NamedRule{"release_counts_down", rules::release_counts_down},
    NamedRule{"take_back_overtakes", rules::take_back_overtakes},
    NamedRule{"asks_one_after_another", rules::asks_one_after_another},
    NamedRule{"ends_a_later_hold", rules::ends_a_later_hold},
    NamedRule{"forgets_a_lost_release", rules::forgets_a_lost_release},
    NamedRule{"enters_what_it_leaves", rules::enters_what_it_leaves},
    NamedRule{"forgets_no_release", rules::forgets_no_release},
    NamedRule{"loss_called_not_held", rules::loss_called_not_held},
    NamedRule{"forgets_what_it_has", rules::forgets_what_it_has},
    NamedRule{"counts_in_memory", rules::counts_in_memory},
    NamedRule{"never_asks", rules::never_asks},
    NamedRule{"presence_taken_for_its_own", rules::presence_taken_for_its_own},
    NamedRule{"answer_ignored", rules::answer_ignored},
    NamedRule{"yes_taken_for_no", rules::yes_taken_for_no},
    NamedRule{"yes_taken_for_unknown", rules::yes_taken_for_unknown},
    NamedRule{"silence_taken_for_a_no", rules::silence_taken_for_a_no},
    NamedRule{"enters_uncounted", rules::enters_uncounted},
    NamedRule{"join_is_refused", rules::join_is_refused},
    NamedRule{"joins_what_is_over", rules::joins_what_is_over},
    NamedRule{"joins_by_an_old_token", rules::joins_by_an_old_token},
    NamedRule{"refused_join_ends_the_hold", rules::refused_join_ends_the_hold},
    NamedRule{"does_not_wait", rules::does_not_wait},
    NamedRule{"does_not_heed_stop", rules::does_not_heed_stop},
    NamedRule{"listens_to_nobody", rules::listens_to_nobody},
    NamedRule{"tells_of_a_release", rules::tells_of_a_release},
    NamedRule{"asks_for_another_key", rules::asks_for_another_key},
    NamedRule{"get_then_set", rules::get_then_set},
    NamedRule{"takes_what_is_overdue", rules::takes_what_is_overdue},
    NamedRule{"set_without_nx", rules::set_without_nx},
    NamedRule{"lease_before_the_key", rules::lease_before_the_key},
    NamedRule{"lease_on_another_key", rules::lease_on_another_key},
    NamedRule{"lease_wiped", rules::lease_wiped},
    NamedRule{"lease_of_nothing", rules::lease_of_nothing},
    NamedRule{"lease_is_over_at_once", rules::lease_is_over_at_once},
    NamedRule{"lease_is_always_the_same", rules::lease_is_always_the_same},
    NamedRule{"lease_longer_than_asked", rules::lease_longer_than_asked},
    NamedRule{"lease_shorter_than_asked", rules::lease_shorter_than_asked},
    NamedRule{"contender_extends", rules::contender_extends},
    NamedRule{"no_taken_for_yes", rules::no_taken_for_yes},
    NamedRule{"one_yes_is_enough", rules::one_yes_is_enough},
    NamedRule{"second_round_ignored", rules::second_round_ignored},
    NamedRule{"majority_too_small", rules::majority_too_small},
    NamedRule{"counted_after_the_lock", rules::counted_after_the_lock},
    NamedRule{"token_counts_the_votes", rules::token_counts_the_votes},
    NamedRule{"token_is_a_sum", rules::token_is_a_sum},
    NamedRule{"token_is_read_again", rules::token_is_read_again},
    NamedRule{"counter_is_another_key", rules::counter_is_another_key},
    NamedRule{"fencing_is_random", rules::fencing_is_random},
    NamedRule{"token_of_no_server", rules::token_of_no_server},
    NamedRule{"counters_compared_as_text", rules::counters_compared_as_text},
    NamedRule{"token_is_not_the_greatest", rules::token_is_not_the_greatest},
    NamedRule{"token_of_too_few_nodes", rules::token_of_too_few_nodes},
    NamedRule{"past_taken_for_stored", rules::past_taken_for_stored},
    NamedRule{"raised_without_the_hold", rules::raised_without_the_hold},
    NamedRule{"counter_is_removed", rules::counter_is_removed},
    NamedRule{"counter_is_not_counted", rules::counter_is_not_counted},
    NamedRule{"token_given_twice", rules::token_given_twice},
    NamedRule{"counter_is_set_back", rules::counter_is_set_back},
    NamedRule{"counter_starts_again", rules::counter_starts_again},
    NamedRule{"token_lost_on_reentry", rules::token_lost_on_reentry},
    NamedRule{"forgets_and_votes", rules::forgets_and_votes},
    NamedRule{"answers_counted_for_votes", rules::answers_counted_for_votes},
    NamedRule{"no_taken_for_unknown", rules::no_taken_for_unknown},
    NamedRule{"one_no_ends_the_hold", rules::one_no_ends_the_hold},
    NamedRule{"never_repairs", rules::never_repairs},
    NamedRule{"majority_is_not_enough", rules::majority_is_not_enough},
    NamedRule{"votes_not_given_back", rules::votes_not_given_back},
    NamedRule{"checks_then_renews", rules::checks_then_renews},
    NamedRule{"renews_with_set_xx", rules::renews_with_set_xx},
    NamedRule{"renewal_writes_the_key", rules::renewal_writes_the_key},
    NamedRule{"renews_whatever_is_there", rules::renews_whatever_is_there},
    NamedRule{"renewal_brings_it_back", rules::renewal_brings_it_back},
    NamedRule{"renewal_says_yes_to_all", rules::renewal_says_yes_to_all},
    NamedRule{"renewal_is_refused", rules::renewal_is_refused},
    NamedRule{"loses_what_it_has", rules::loses_what_it_has},
    NamedRule{"renewal_deletes", rules::renewal_deletes},
    NamedRule{"renewal_gives_back", rules::renewal_gives_back},
    NamedRule{"renewal_refuses_its_own", rules::renewal_refuses_its_own},
    NamedRule{"renews_another_key", rules::renews_another_key},
    NamedRule{"renewal_says_no", rules::renewal_says_no},
    NamedRule{"renewal_sets_no_lease", rules::renewal_sets_no_lease},
    NamedRule{"renewal_forgets_the_longest", rules::renewal_forgets_the_longest},
    NamedRule{"renewal_shortens", rules::renewal_shortens},
    NamedRule{"renewal_sets_too_long_a_lease", rules::renewal_sets_too_long_a_lease},
    NamedRule{"renews_a_named_lease", rules::renews_a_named_lease},
    NamedRule{"renews_after_an_unheard_release", rules::renews_after_an_unheard_release},
    NamedRule{"renews_for_longer_than_asked", rules::renews_for_longer_than_asked},
    NamedRule{"renews_without_end", rules::renews_without_end},
    NamedRule{"lease_counted_from_reply", rules::lease_counted_from_reply},
    NamedRule{"renews_after_release", rules::renews_after_release},
    NamedRule{"reentry_ends_renewal", rules::reentry_ends_renewal},
    NamedRule{"never_renews", rules::never_renews},
    NamedRule{"renews_too_often", rules::renews_too_often},
    NamedRule{"renews_too_late", rules::renews_too_late},
    NamedRule{"gives_up_after_a_lost_reply", rules::gives_up_after_a_lost_reply},
    NamedRule{"works_after_the_word", rules::works_after_the_word},
    NamedRule{"stops_renewing", rules::stops_renewing},
    NamedRule{"leaves_for_everybody", rules::leaves_for_everybody},
    NamedRule{"depth_is_counted", rules::depth_is_counted},
    NamedRule{"owner_is_thread_number", rules::owner_is_thread_number},
    NamedRule{"refusal_reads_as_yes", rules::refusal_reads_as_yes},
    NamedRule{"let_in_while_held", rules::let_in_while_held},
    NamedRule{"inner_says_released", rules::inner_says_released},
    NamedRule{"release_enters_anothers", rules::release_enters_anothers},
    NamedRule{"inner_unlock_ends_renewal", rules::inner_unlock_ends_renewal},
    NamedRule{"reentry_changes_token", rules::reentry_changes_token},
    NamedRule{"reentry_brings_it_back", rules::reentry_brings_it_back},
    NamedRule{"last_release_keeps_it", rules::last_release_keeps_it},
    NamedRule{"inner_unlock_deletes", rules::inner_unlock_deletes},
    NamedRule{"inner_lease_shortens", rules::inner_lease_shortens},
    NamedRule{"inner_lease_not_set", rules::inner_lease_not_set},
    NamedRule{"leases_added_up", rules::leases_added_up},
    NamedRule{"waits_for_itself", rules::waits_for_itself},
    NamedRule{"no_lease", rules::no_lease},
    NamedRule{"lease_taken_for_granted", rules::lease_taken_for_granted},
    NamedRule{"lease_in_a_second_command", rules::lease_in_a_second_command},
    NamedRule{"token_is_thread_number", rules::token_is_thread_number},
    NamedRule{"token_shared", rules::token_shared},
    NamedRule{"acquire_deletes", rules::acquire_deletes},
    NamedRule{"deletes_then_compares", rules::deletes_then_compares},
    NamedRule{"deletes_after_mismatch", rules::deletes_after_mismatch},
    NamedRule{"compare_then_del", rules::compare_then_del},
    NamedRule{"del_without_compare", rules::del_without_compare},
    NamedRule{"script_does_not_compare", rules::script_does_not_compare},
    NamedRule{"stolen_by_nobody", rules::stolen_by_nobody},
    NamedRule{"theft_kept_quiet", rules::theft_kept_quiet},
    NamedRule{"silence_taken_for_an_answer", rules::silence_taken_for_an_answer},
    NamedRule{"compares_with_something_else", rules::compares_with_something_else},
    NamedRule{"denies_what_it_did_not_hear", rules::denies_what_it_did_not_hear},
    NamedRule{"removed_and_denied", rules::removed_and_denied},
    NamedRule{"released_nothing", rules::released_nothing},
    NamedRule{"outcome_ignores_answer", rules::outcome_ignores_answer},
    NamedRule{"release_waits_for_renewal", rules::release_waits_for_renewal},
    NamedRule{"release_asks_too_few", rules::release_asks_too_few},
    NamedRule{"release_of_too_few", rules::release_of_too_few},
    NamedRule{"few_deny_a_release", rules::few_deny_a_release},
    NamedRule{"release_leaves_servers_out", rules::release_leaves_servers_out},
    NamedRule{"release_does_not_wait", rules::release_does_not_wait},
    NamedRule{"release_wants_all", rules::release_wants_all},
    NamedRule{"keeps_a_loss_to_itself", rules::keeps_a_loss_to_itself},
    NamedRule{"never_told", rules::never_told},
    NamedRule{"wakes_nobody", rules::wakes_nobody},
    NamedRule{"sleeps_while_it_is_free", rules::sleeps_while_it_is_free},
    NamedRule{"work_outlives_lease", rules::work_outlives_lease},
    NamedRule{"waits_for_all", rules::waits_for_all},
    NamedRule{"no_fencing_token", rules::no_fencing_token},
    NamedRule{"takes_by_counting", rules::takes_by_counting},
};

constexpr std::array all_remarks{
    NamedRule{"error_taken_for_an_answer", rules::error_taken_for_an_answer},
    NamedRule{"answers_for_nobody", rules::answers_for_nobody},
    NamedRule{"lets_a_lost_reply_out", rules::lets_a_lost_reply_out},
    NamedRule{"takes_back_in_two_steps", rules::takes_back_in_two_steps},
    NamedRule{"take_back_not_awaited", rules::take_back_not_awaited},
    NamedRule{"tries_again_by_itself", rules::tries_again_by_itself},
    NamedRule{"takes_what_is_overdue", rules::takes_what_is_overdue},
    NamedRule{"contender_extends", rules::contender_extends},
    NamedRule{"get_then_set", rules::get_then_set},
    NamedRule{"lease_before_the_key", rules::lease_before_the_key},
    NamedRule{"lease_on_another_key", rules::lease_on_another_key},
    NamedRule{"lease_by_its_own_clock", rules::lease_by_its_own_clock},
    NamedRule{"lease_longer_than_asked", rules::lease_longer_than_asked},
    NamedRule{"lease_shorter_than_asked", rules::lease_shorter_than_asked},
    NamedRule{"token_per_process", rules::token_per_process},
    NamedRule{"counts_in_memory", rules::counts_in_memory},
    NamedRule{"reentry_brings_it_back", rules::reentry_brings_it_back},
    NamedRule{"joins_what_is_over", rules::joins_what_is_over},
    NamedRule{"joins_by_an_old_token", rules::joins_by_an_old_token},
    NamedRule{"refused_join_ends_the_hold", rules::refused_join_ends_the_hold},
    NamedRule{"leases_added_up", rules::leases_added_up},
    NamedRule{"renewal_is_refused", rules::renewal_is_refused},
    NamedRule{"renewal_brings_it_back", rules::renewal_brings_it_back},
    NamedRule{"enters_what_it_leaves", rules::enters_what_it_leaves},
    NamedRule{"forgets_no_release", rules::forgets_no_release},
    NamedRule{"loss_called_not_held", rules::loss_called_not_held},
    NamedRule{"asks_without_a_pause", rules::asks_without_a_pause},
    NamedRule{"tells_of_a_release", rules::tells_of_a_release},
    NamedRule{"does_not_wait", rules::does_not_wait},
    NamedRule{"sleeps_while_it_is_free", rules::sleeps_while_it_is_free},
    NamedRule{"waits_for_all", rules::waits_for_all},
    NamedRule{"release_waits_for_all", rules::release_waits_for_all},
    NamedRule{"counted_after_the_lock", rules::counted_after_the_lock},
    NamedRule{"token_counts_the_votes", rules::token_counts_the_votes},
    NamedRule{"token_is_a_sum", rules::token_is_a_sum},
    NamedRule{"token_is_read_again", rules::token_is_read_again},
    NamedRule{"counter_is_another_key", rules::counter_is_another_key},
    NamedRule{"fencing_is_random", rules::fencing_is_random},
    NamedRule{"token_of_no_server", rules::token_of_no_server},
    NamedRule{"token_is_not_the_greatest", rules::token_is_not_the_greatest},
    NamedRule{"token_of_too_few_nodes", rules::token_of_too_few_nodes},
    NamedRule{"counter_is_removed", rules::counter_is_removed},
    NamedRule{"release_of_too_few", rules::release_of_too_few},
    NamedRule{"release_leaves_servers_out", rules::release_leaves_servers_out},
    NamedRule{"counter_is_not_counted", rules::counter_is_not_counted},
    NamedRule{"token_given_twice", rules::token_given_twice},
    NamedRule{"counter_is_set_back", rules::counter_is_set_back},
    NamedRule{"counter_starts_again", rules::counter_starts_again},
    NamedRule{"token_lost_on_reentry", rules::token_lost_on_reentry},
    NamedRule{"yes_to_what_is_over", rules::yes_to_what_is_over},
    NamedRule{"gives_up_what_it_has", rules::gives_up_what_it_has},
};

std::optional<Diagnosis> first_of(std::span<const NamedRule> rules, const Evidence& evidence) {
  for (std::size_t place = 0; place < rules.size(); ++place) {
    const auto& rule = rules[place];
    if (const auto sentence = rule.says(evidence)) {
      return Diagnosis{.key = std::string(rule.key), .sentence = *sentence, .place = place};
    }
  }
  return std::nullopt;
}

// What the rule of that name says to a story that came to no end. One that is not in the table,
// since it speaks to such stories only, is as specific as the first.
Diagnosis said_by(std::string_view key, std::string sentence) {
  const auto* const found = std::find_if(std::begin(all_diagnoses), std::end(all_diagnoses),
                                         [key](const NamedRule& rule) { return rule.key == key; });
  const auto place = found == std::end(all_diagnoses) ? 0 : found - std::begin(all_diagnoses);
  return {.key = std::string(key),
          .sentence = std::move(sentence),
          .place = static_cast<std::size_t>(place)};
}

std::string_view in_general(Property property) {
  switch (property) {
    case Property::mutual_exclusion: return "your lock let two inside";
    case Property::owner_only_release: return "your lock was removed by who did not own it";
    case Property::liveness: return "your lock keeps everybody out";
    case Property::truthful_outcomes: return "your lock answered what is not so";
    case Property::owner_only_renewal: return "your lock's lease was changed by who did not own it";
    case Property::holder_was_told: return "your lock did not tell its holder of the loss in time";
    case Property::bounded_renewal: return "your lock renews more than it holds";
    case Property::first_come: return "your lock let somebody in who had come later";
  }
  return "your lock broke a promise";
}

bool says(const std::string& why, std::string_view words) {
  return why.find(words) != std::string::npos;
}

// Of a crash or an error, what is worth looking for.
std::string with_likely_cause(const std::string& why) {
  if (says(why, "signal 11")) {
    return why +
           "; a function that calls itself without end dies like this, and so does one that reads "
           "past the end of a vector";
  }
  if (says(why, "clients warm up with")) {
    return why +
           "; look at which key each command names: one that is written out is one and the same "
           "for every lock, the lock's own is key_, and in a script KEYS[1]";
  }
  if (says(why, "readonly table")) {
    return why +
           "; a script may not set global variables: in Lua a variable is one unless it is "
           "declared with local";
  }
  if (says(why, "ABSTAIN")) {
    return why +
           "; each server has its marker unless the story took it away, so look at which of KEYS "
           "the script looks for it under";
  }
  if (says(why, "signal 6")) {
    return why +
           "; a program ends like this when an exception leaves a destructor, a function that is "
           "noexcept, or the function of a thread, when a std::thread is destroyed that was not "
           "joined, or when memory is freed twice";
  }
  return why;
}

// What is known when no rule applies: the property, and how it shows.
Diagnosis plain(const Evidence& evidence) {
  const auto& judgement = evidence.judgement;
  if (judgement.findings.empty() && says(judgement.why, "\"died\"")) {
    return {.key = "crashes", .sentence = "your lock crashed: " + with_likely_cause(judgement.why)};
  }
  if (judgement.findings.empty()) {
    return {.key = "not_shown",
            .sentence =
                "the story could not be told with your lock: " + with_likely_cause(judgement.why),
            .in_general = true};
  }
  const auto& first = judgement.findings.front();
  return {.key = std::string(to_string(first.property)),
          .sentence = fmt::format("{}: {}", in_general(first.property), first.sentence),
          .in_general = true};
}

Diagnosis of_the_machine(const std::string& why) {
  return {.key = std::string(Diagnosis::of_the_machine),
          .sentence = "the machine did not keep up, so this says nothing of your lock: " + why +
                      "; check again",
          .in_general = true};
}

// What a lock that does not come back was last seen to do. Of the client that `why` names: others
// go on, and give back what they have.
std::string end_of_a_hang(const Evidence& evidence, const std::string& why) {
  const auto text = "your lock hangs: " + why;
  std::vector<const Sent*> sent;
  for (const auto& command : evidence.sent) {
    const bool is_its_own = says(why, " " + command.lane + "'s answer") || !says(why, "'s answer");
    if (is_its_own) sent.push_back(&command);
  }
  if (sent.empty()) return text + "; it has sent nothing to the server";
  const auto& last = *sent.back();
  const auto times = std::count_if(sent.begin(), sent.end(), [&](const Sent* command) {
    return command->name() == last.name() && command->call == last.call && command->said_no();
  });
  constexpr int many = 10;
  const auto* call = evidence.call_of(last);
  const bool beyond_its_patience =
      call != nullptr &&
      evidence.ms(last.place) - evidence.ms(call->called) > call->asked.value("wait_ms", 0LL);
  if (times > many && beyond_its_patience) {
    return fmt::format(
        "{}; it sent {} again and again in that one call, and was answered {}: each call asks once "
        "and answers \"contended\" when it is refused, and who wants to wait calls it again",
        text, last.name(), last.reply);
  }
  return text + "; the last that it sent was " + last.name() +
         (last.reply.empty() ? ", which was not answered" : ", which was answered " + last.reply);
}

}  // namespace

std::optional<Diagnosis> diagnose(const Evidence& evidence) {
  if (evidence.judgement.verdict == Verdict::holds) return std::nullopt;
  if (says(evidence.judgement.why, faults::World::died_renewing)) return plain(evidence);
  if (evidence.judgement.verdict == Verdict::inconclusive) {
    return of_the_machine(evidence.judgement.why);
  }
  const auto found = first_of(all_diagnoses, evidence);
  return found ? found : plain(evidence);
}

Diagnosis diagnose_end(const Evidence& evidence, const std::string& why) {
  if (why.starts_with("waited")) {
    const bool for_the_lock = says(why, "'s answer to") || says(why, "to end after SIGTERM");
    if (!for_the_lock) return of_the_machine(why);
    if (const auto again = rules::asks_itself_again(evidence)) {
      return said_by("asks_itself_again", *again);
    }
    return {.key = "hangs", .sentence = end_of_a_hang(evidence, why)};
  }
  if (says(why, "died") || says(why, "killed by signal 6")) {
    return {.key = "crashes", .sentence = "your lock crashed: " + with_likely_cause(why)};
  }
  const bool of_the_lock = says(why, "answer to acquire") || says(why, "answer to release");
  if (of_the_lock && says(why, rules::lost_reply)) {
    return said_by("lets_a_lost_reply_out", rules::lost_reply_as_an_error(why));
  }
  if (const auto thrown = rules::refusal_thrown(evidence, why)) {
    return said_by("refusal_thrown", *thrown);
  }
  if (const auto found = first_of(all_diagnoses, evidence)) return *found;
  return {.key = "error", .sentence = "your lock could not go on: " + with_likely_cause(why)};
}

std::optional<Diagnosis> remark_on(const Evidence& evidence) {
  return first_of(all_remarks, evidence);
}

std::span<const NamedRule> diagnoses() {
  return all_diagnoses;
}

std::span<const NamedRule> remarks() {
  return all_remarks;
}

}  // namespace learning
