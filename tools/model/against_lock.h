// Compares a lock's program, as a search runs it, with the model of its stage.
//
// Thread-safety: none; one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "faults/explore/search/search.h"
#include "faults/judging/timeline.h"
#include "tools/model/comparison.h"
#include "tools/model/lock_model.h"

namespace model {

// The model of stage 8 for it and its wrong turns, and that of stage 4 for every other lock.
[[nodiscard]] std::unique_ptr<LockModel> model_of(const std::string& lock);

// Throws CannotRun if that lock has no model, or its model does not have these faults.
void must_be_modelled(const std::string& lock, const explore::SearchPlan& plan);

struct Compared {
  std::size_t program_states = 0;
  std::size_t program_edges = 0;
  std::size_t model_states = 0;
  bool budget_spent = false;  // before the program's last state: nothing was compared
  Comparison comparison = {};
};

// Takes the clients of `world`, and the faults, `at_most` and budget of `plan`. Throws as
// recorded_graph does.
[[nodiscard]] Compared compare_with_lock(const LockModel& lock, const explore::WorldPlan& world,
                                         const explore::SearchPlan& plan, faults::Reaper& reaper);

// Saves the schedule of the difference in a new directory below `runs`; returns its file. Throws
// CannotRun, CannotWrite.
[[nodiscard]] std::filesystem::path save(const Difference& difference,
                                         const explore::WorldPlan& world,
                                         const std::filesystem::path& runs);

// For a person; and for a machine. `schedule` is empty where nothing differs.
[[nodiscard]] std::string describe(const Compared& compared, const explore::WorldPlan& world,
                                   const explore::SearchPlan& plan,
                                   const std::filesystem::path& schedule,
                                   const faults::Paint& paint);
[[nodiscard]] nlohmann::json to_json(const Compared& compared, const explore::WorldPlan& world,
                                     const explore::SearchPlan& plan,
                                     const std::filesystem::path& schedule);

}  // namespace model
