#include "tools/field/foreign_client.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <utility>

#include "faults/kit/errors.h"
#include "faults/running/introduction.h"
#include "tools/field/command.h"

namespace field {
namespace {

namespace fs = std::filesystem;

// A word that names a file becomes its path, so that a run can be started again from anywhere.
std::vector<std::string> with_paths(std::vector<std::string> command) {
  for (auto& word : command) {
    if (!word.starts_with("-") && fs::is_regular_file(word)) word = fs::absolute(word).native();
  }
  command.at(0) = program_named(command.at(0));
  return command;
}

// A name that can stand in a directory's.
std::string harmless(std::string name) {
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; },
      '-');
  return name.empty() || name.front() == '.' ? "client" : name;
}

}  // namespace

// The program as a path. Throws CannotRun if there is none on the PATH.
faults::TestedLock lock_of_client(const ForeignClient& client, const faults::RunPlan& plan,
                                  faults::Reaper& reaper) {
  auto words = words_of(client.command);
  if (words.empty()) throw faults::CannotRun("--client needs a command, as in 'python3 mine.py'");
  faults::TestedLock stage{.name = "client",
                           .adds = client.command,
                           .directory = {},
                           .command = with_paths(std::move(words)),
                           .commands_on_the_wire = {},
                           .declared = {},
                           .nodes = client.nodes,
                           .marker = {},
                           .turned_from = {},
                           .facts = faults::LockFacts{},
                           .environment = {}};
  auto& facts = *stage.facts;
  if (client.lease.count() > 0) facts.shortest_lease = client.lease;
  const auto introduction = faults::introduce(stage, plan, reaper);
  stage.name = harmless(introduction.name);
  facts.capabilities = introduction.capabilities;
  facts.retry = client.retry;
  facts.waiting = "notified";  // not known: a scenario about messages says if none came
  if (facts.promises("loss_notice")) facts.loss = "told";
  const auto key = client.key.empty() ? introduction.key : client.key;
  if (!key.empty()) facts.key = key;
  return stage;
}

}  // namespace field
