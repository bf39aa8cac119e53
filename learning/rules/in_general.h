// What is said where no rule fits: what was seen to break, or how the lock ended, and not why.
//
// Thread-safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "learning/evidence/evidence.h"
#include "learning/rules/rule_table.h"

namespace learning {

// What is known when no rule applies: the property, and how it shows.
[[nodiscard]] Diagnosis in_general(const Evidence& evidence);

// The lock's process died: `how`, as the kit says it. Before everything else that is wrong.
[[nodiscard]] Diagnosis crash(const std::string& how);
// The same where a client died of what it was asked for, and the story went on. Nothing: none did.
[[nodiscard]] std::optional<Diagnosis> crash_seen(const Evidence& evidence);

// The machine did not keep up: `why`, as the kit says it.
[[nodiscard]] Diagnosis of_the_machine(const std::string& why);

// `why`, and of a crash or an error what is worth looking for.
[[nodiscard]] std::string with_likely_cause(const std::string& why);

// What a lock that does not come back was last seen to do. Of the client that `why` names: others
// go on, and give back what they have.
[[nodiscard]] std::string end_of_a_hang(const Evidence& evidence, const std::string& why);

// Has a server said that it still runs a script, after seconds?
[[nodiscard]] bool a_script_runs_on(const Evidence& evidence, const std::string& why);
// Which one that is, and what it keeps the server from.
[[nodiscard]] std::string script_without_end(const Evidence& evidence);

}  // namespace learning
