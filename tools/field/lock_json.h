// A lock.json as it must be: what is misspelt in it would be taken for not said.
//
// Thread-safety: pure functions.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

namespace field {

// What is wrong with the fields and the words of a lock.json, or of a part of one: the first thing
// that is, in one sentence without its end; empty: nothing.
[[nodiscard]] std::string wrong_with_lock_json(const nlohmann::json& object);

// Throws CannotRun if anything is, naming the file.
void must_be_lock_json(const std::filesystem::path& file);

}  // namespace field
