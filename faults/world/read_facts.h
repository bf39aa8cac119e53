// The facts of a foreign lock, from an object with fields of lock.json (field/README.md).
//
// Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "faults/world/lock_facts.h"

namespace faults {

// Each field may be missing. Throws std::exception, with what is wrong.
[[nodiscard]] LockFacts facts_in(const nlohmann::json& object);

// How the answer to `hello` differs from them, in one sentence without its end; empty: it does not.
[[nodiscard]] std::string difference_from(const LockFacts& facts, const nlohmann::json& hello);

// The object under `field`; an empty one if it is null or missing.
[[nodiscard]] nlohmann::json part_of(const nlohmann::json& object, const char* field);
// The words under `field`; none if it is missing.
[[nodiscard]] std::vector<std::string> words_of(const nlohmann::json& object, const char* field);

}  // namespace faults
