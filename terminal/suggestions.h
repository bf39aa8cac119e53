// What somebody may have meant who typed a name that is none.
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

// " did you mean a, b?", of the candidates that `name` may be a slip for, the closest first, at
// most three, and of several that are equally near all or none; nothing, if there is none.
[[nodiscard]] std::string did_you_mean(const std::string& name,
                                       const std::vector<std::string>& candidates);

// Throws CannotRun, with the nearest names, unless `word` is a command of `app`, or an option.
// `called` is how `app` is called, such as "./lab".
void must_know(const CLI::App& app, const std::string& called, const std::string& word);

// What is wrong with the words that `app`, which is called as `called`, did not take, and what to
// do.
[[nodiscard]] std::string what_is_wrong(const CLI::App& app, std::string called,
                                        const CLI::ParseError& error);

}  // namespace terminal
