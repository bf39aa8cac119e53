#include "faults/explore/coverage/script_coverage.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "faults/explore/coverage/scratch_server.h"

namespace explore {
namespace {

// A script that was called, and its counting copy.
struct CountedScript {
  ScriptCoverage coverage;
  std::string counting;  // empty: its branches are not known
};

CountedScript counted(const ScriptCalls::Script& script) {
  auto branched = branches_of(script.text);
  CountedScript result{.coverage = {.name = script.name, .calls = script.calls}};
  result.coverage.is_readable = branched.has_value();
  if (!branched) return result;
  for (auto& branch : branched->branches) {
    result.coverage.branches.push_back({.branch = std::move(branch)});
  }
  result.counting = std::move(branched->counting);
  return result;
}

void make_again(const ScriptCall& call, CountedScript& script, ScratchServer& server) {
  if (!script.coverage.is_readable) return;
  try {
    const auto answer = server.make(call, script.counting);
    for (std::size_t i = 0; i < answer.parts(0); ++i) {
      const auto number = static_cast<std::size_t>(answer.integer(0, i));
      script.coverage.branches.at(number - 1).is_taken = true;
    }
  } catch (const core::ErrorReply&) {  // the server does not take the copy
    script.coverage.is_readable = false;
  }
}

// A script that no order called.
ScriptCoverage uncalled(const faults::ScriptFile& file) {
  return counted({.name = file.name, .text = file.text}).coverage;
}

bool has_name(const std::vector<ScriptCoverage>& scripts, const std::string& name) {
  return std::any_of(scripts.begin(), scripts.end(),
                     [&](const ScriptCoverage& one) { return one.name == name; });
}

void sort_by_name(std::vector<ScriptCoverage>& scripts) {
  std::stable_sort(scripts.begin(), scripts.end(), [](const auto& a, const auto& b) {
    return std::pair(a.calls == 0, a.name) < std::pair(b.calls == 0, b.name);
  });
}

}  // namespace

long ScriptCoverage::taken() const {
  return std::count_if(branches.begin(), branches.end(),
                       [](const Branch& branch) { return branch.is_taken; });
}

std::vector<ScriptCoverage> cover_scripts(const ScriptCalls& recorded,
                                          const faults::TestedLock& stage,
                                          const faults::RedisBinary& binary,
                                          faults::Reaper& reaper) {
  std::vector<CountedScript> called;
  for (const auto& script : recorded.scripts()) called.push_back(counted(script));
  if (!called.empty()) {
    ScratchServer server(binary, reaper);
    for (const auto& call : recorded.calls()) make_again(call, called.at(call.script), server);
  }
  std::vector<ScriptCoverage> all;
  for (auto& script : called) all.push_back(std::move(script.coverage));
  for (const auto& file : faults::scripts_of(stage)) {
    if (!has_name(all, file.name)) all.push_back(uncalled(file));
  }
  sort_by_name(all);
  return all;
}

}  // namespace explore
