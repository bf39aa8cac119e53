#include "learning/probes/probes.h"

namespace learning {

const std::vector<Probe>& probes() {
  static const std::vector<Probe> all{
      {.scenario = probe::overtaken(), .from_stage = "stage1"},
      {.scenario = probe::unheard_yes(), .from_stage = "stage1"},
      {.scenario = probe::servers_fail(), .from_stage = "stage1"},
      {.scenario = probe::taken_again(), .from_stage = "stage1"},
      {.scenario = probe::release_unheard(), .from_stage = "stage1"},
      {.scenario = probe::refusal_lost(), .from_stage = "stage1"},
      {.scenario = probe::released_twice(), .from_stage = "stage1"},
      {.scenario = probe::release_lost(), .from_stage = "stage1"},
      {.scenario = probe::lost_again(), .from_stage = "stage1"},
      {.scenario = probe::among_others(), .from_stage = "stage1"},
      {.scenario = probe::half_acquired(), .from_stage = "stage2"},
      {.scenario = probe::yes_lost(), .from_stage = "stage3"},
      {.scenario = probe::removed_then_nested(), .from_stage = "stage3"},
      {.scenario = probe::inner_yes_lost(), .from_stage = "stage3"},
      {.scenario = probe::late_release(), .from_stage = "stage3"},
      {.scenario = probe::released_late_twice(), .from_stage = "stage3", .to_stage = "stage5"},
      {.scenario = probe::released_by_a_thread(), .from_stage = "stage3"},
      {.scenario = probe::look_alike(), .from_stage = "stage3", .to_stage = "stage7"},
      {.scenario = probe::asks_twice(), .from_stage = "stage1"},
      {.scenario = probe::release_lost_too_late(), .from_stage = "stage3"},
      {.scenario = probe::release_held_up(), .from_stage = "stage4", .to_stage = "stage7"},
      {.scenario = probe::killed_after_renewals(), .from_stage = "stage5"},
      {.scenario = probe::look_alike_renewed(), .from_stage = "stage5"},
      {.scenario = probe::named_lease(), .from_stage = "stage5"},
      {.scenario = probe::let_go(), .from_stage = "stage5"},
      {.scenario = probe::release_lost_renewed(), .from_stage = "stage5"},
      {.scenario = probe::two_at_once(), .from_stage = "stage5"},
      {.scenario = probe::late_yes(), .from_stage = "stage5"},
      {.scenario = probe::yes_held_up(), .from_stage = "stage5", .to_stage = "stage7"},
      {.scenario = probe::yes_lost_twice(), .from_stage = "stage6"},
      {.scenario = probe::killed_after_inner_unlock(), .from_stage = "stage6"},
      {.scenario = probe::inner_release_unheard(), .from_stage = "stage6"},
      {.scenario = probe::lost_then_nested(), .from_stage = "stage6"},
      {.scenario = probe::other_thread(), .from_stage = "stage6"},
      {.scenario = probe::growing_lease(), .from_stage = "stage6"},
      {.scenario = probe::inner_unlock_then_long(), .from_stage = "stage6"},
      {.scenario = probe::long_inside(), .from_stage = "stage6"},
      {.scenario = probe::short_inside(), .from_stage = "stage6"},
      {.scenario = probe::three_levels(), .from_stage = "stage6"},
      {.scenario = probe::handed_on(), .from_stage = "stage6"},
      {.scenario = probe::joined_for_longer(), .from_stage = "stage6"},
      {.scenario = probe::joined_and_slow(), .from_stage = "stage6"},
      {.scenario = probe::join_unheard(), .from_stage = "stage6"},
      {.scenario = probe::joined_too_late(), .from_stage = "stage6"},
      {.scenario = probe::old_invitation(), .from_stage = "stage6"},
      {.scenario = probe::joined_from_inside(), .from_stage = "stage6"},
      {.scenario = probe::unheard_and_back(), .from_stage = "stage6"},
      {.scenario = probe::early_word(), .from_stage = "stage6", .to_stage = "stage7"},
      {.scenario = probe::told_to_stop(), .from_stage = "stage6"},
      {.scenario = probe::late_votes(), .from_stage = "stage7"},
      {.scenario = probe::release_at_one(), .from_stage = "stage7"},
      {.scenario = probe::slow_yes(), .from_stage = "stage7"},
      {.scenario = probe::nested_without_one(), .from_stage = "stage7"},
      {.scenario = probe::nested_without_most(), .from_stage = "stage7"},
      {.scenario = probe::lost_by_most(), .from_stage = "stage7"},
      {.scenario = probe::worn_away(), .from_stage = "stage7"},
      {.scenario = probe::too_few_votes(), .from_stage = "stage7"},
      {.scenario = probe::refused_by_most(), .from_stage = "stage7"},
      {.scenario = probe::joined_at_one(), .from_stage = "stage7"},
      {.scenario = probe::handed_on_after_repairs(), .from_stage = "stage7"},
      {.scenario = probe::waits_in_step(), .from_stage = "stage7"},
      {.scenario = probe::release_comes_first(), .from_stage = "stage7"},
      {.scenario = probe::two_of_three(), .from_stage = "stage7"},
      {.scenario = probe::three_of_seven(), .from_stage = "stage7"},
      {.scenario = probe::two_of_four(), .from_stage = "stage7"},
      {.scenario = probe::next_token(), .from_stage = "stage8"},
      {.scenario = probe::agreed_by_two(), .from_stage = "stage8"},
      {.scenario = probe::late_second_round(), .from_stage = "stage8"},
      {.scenario = probe::late_repair(), .from_stage = "stage8"}};
  return all;
}

const faults::Scenario* find_probe(std::string_view name) {
  for (const auto& probe : probes()) {
    if (probe.scenario.name == name) return &probe.scenario;
  }
  return nullptr;
}

}  // namespace learning
