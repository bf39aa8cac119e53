#include "faults/explore/coverage/coverage_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace explore {
namespace {

using nlohmann::json;

// A line for each branch that was not taken.
std::string describe_untaken_of(const ScriptCoverage& script) {
  const auto place = [&](const LuaBranch& branch) {
    return fmt::format("{}:{}", script.name, branch.line);
  };
  std::size_t width = 0;
  for (const auto& [branch, is_taken] : script.branches) {
    if (!is_taken) width = std::max(width, place(branch).size());
  }
  std::string text;
  for (const auto& [branch, is_taken] : script.branches) {
    if (is_taken) continue;
    text += fmt::format("  {:<{}}  {:<13}  {}\n", place(branch), width,
                        describe_untaken(branch.kind), branch.source);
  }
  return text;
}

std::string describe_script(const ScriptCoverage& script) {
  if (!script.is_readable) {
    return fmt::format("{} was called, and its branches are not known\n", script.name);
  }
  const auto all = static_cast<long>(script.branches.size());
  const auto untaken = all - script.taken();
  if (all == 0) return fmt::format("{} was called, and has no branches\n", script.name);
  if (untaken == 0) return fmt::format("all {} branches of {} were taken\n", all, script.name);
  return fmt::format("{} of {} branches of {} {} never taken:\n{}", untaken, all, script.name,
                     untaken == 1 ? "was" : "were", describe_untaken_of(script));
}

std::string_view name_of(LuaBranch::Kind kind) {
  switch (kind) {
    case LuaBranch::Kind::if_true: return "true";
    case LuaBranch::Kind::if_false: return "false";
    case LuaBranch::Kind::loop: return "loop";
    case LuaBranch::Kind::otherwise: break;
  }
  return "else";
}

json branches_in(const ScriptCoverage& script) {
  json branches = json::array();
  for (const auto& [branch, is_taken] : script.branches) {
    branches.push_back({{"line", branch.line},
                        {"kind", name_of(branch.kind)},
                        {"source", branch.source},
                        {"taken", is_taken}});
  }
  return branches;
}

}  // namespace

std::string describe_coverage(const std::vector<ScriptCoverage>& scripts) {
  std::string text;
  std::vector<std::string> uncalled;
  for (const auto& script : scripts) {
    if (script.calls == 0) {
      uncalled.push_back(script.name);
    } else {
      text += describe_script(script);
    }
  }
  if (!uncalled.empty()) text += fmt::format("never called: {}\n", fmt::join(uncalled, ", "));
  return text.empty() ? "the lock calls no script\n" : text;
}

json to_json(const std::vector<ScriptCoverage>& scripts) {
  json all = json::array();
  for (const auto& script : scripts) {
    all.push_back({{"script", script.name},
                   {"calls", script.calls},
                   {"readable", script.is_readable},
                   {"taken", script.taken()},
                   {"branches", branches_in(script)}});
  }
  return all;
}

}  // namespace explore
