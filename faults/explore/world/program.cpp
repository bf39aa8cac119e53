#include "faults/explore/world/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "faults/kit/errors.h"

namespace explore {
namespace {

const std::array<Program, 4>& programs() {
  static const std::array<Program, 4> all{
      {{.name = "once",
        .operations = {"acquire", "work", "release"},
        .sentence = "each acquire, work, release once"},
       {.name = "nested",
        .operations = {"acquire", "acquire", "work", "release", "release"},
        .sentence = "each acquire on the thread that has it, work, release both"},
       {.name = "again",
        .operations = {"acquire", "work", "release", "acquire", "work", "release"},
        .sentence = "each acquire, work, release, then all of it again"},
       {.name = "waiting",
        .operations = {"acquire", "work", "release"},
        .sentence = "each waits until it can acquire, work, release",
        .wait_in_leases = 8}}};
  return all;
}

}  // namespace

const Program& usual_program() {
  return programs().front();
}

const Program& program_named(std::string_view name) {
  const auto found = std::find_if(programs().begin(), programs().end(),
                                  [&](const Program& program) { return program.name == name; });
  if (found != programs().end()) return *found;
  throw faults::CannotRun(fmt::format(
      "\"{}\" is no program of a client: there are once, nested, again and waiting", name));
}

std::optional<std::string> ProgramPosition::next(const Program& program, const std::string& last,
                                                 const std::string& outcome) {
  if (last == "acquire" && outcome == "acquired") ++levels_;
  const bool shut_out = last == "acquire" && outcome != "acquired";
  const bool has_left = last == "work" && outcome != "done";
  const bool again = last == "release" && outcome == "unknown";
  if (again) --next_;  // it may still hold the lock
  if (last == "release" && !again) --levels_;
  if (shut_out) next_ = program.operations.size() - levels_;
  if (has_left || next_ == program.operations.size()) return std::nullopt;
  return program.operations[next_++];
}

}  // namespace explore
