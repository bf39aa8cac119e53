// Suggests corrections for mistyped names.
//
// Thread-safety: pure functions.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace terminal {

// " did you mean a, b?" with the candidates that `name` may be a misspelling of: the closest first,
// at most three, and of several that are equally near all or none. Empty if there are none.
[[nodiscard]] std::string did_you_mean(const std::string& name,
                                       const std::vector<std::string>& candidates);

// Throws CannotRun, with the nearest names, unless `word` is a command of `app`, or an option.
// `called` is how `app` is called, such as "./lab".
void must_know(const CLI::App& app, const std::string& called, const std::string& word);

// A sentence about the words that `app` did not accept, with what to do. `called` as above.
[[nodiscard]] std::string what_is_wrong(const CLI::App& app, std::string called,
                                        const CLI::ParseError& error);

}  // namespace terminal
