#include "tools/field/foreign_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <utility>

#include "faults/kit/errors.h"
#include "faults/running/introduction.h"
#include "faults/world/read_facts.h"
#include "tools/field/command.h"
#include "tools/field/lock_json.h"

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

// The facts that its user gave, as a line of JSON; empty: none.
std::string facts_text_of(const ForeignClient& client) {
  if (client.facts.empty()) return client.kept_facts;
  must_be_lock_json(client.facts);
  std::ifstream file(client.facts);
  return nlohmann::json::parse(file).dump();
}

// What is known of it before it is started.
faults::LockFacts known_facts(const ForeignClient& client, const std::string& text) {
  if (text.empty()) return {.waiting = "notified"};  // a scenario says if no message came
  try {
    return faults::facts_in(nlohmann::json::parse(text));
  } catch (const std::exception& error) {
    const auto where = client.facts.empty() ? "the schedule's facts" : client.facts.native();
    throw faults::CannotRun(fmt::format("{}: {}", where, error.what()));
  }
}

// What it says of itself.
void add_introduction(const faults::Introduction& introduction, faults::LockFacts& facts) {
  const nlohmann::json hello{{"capabilities", introduction.capabilities}};
  if (!facts.capabilities.empty()) {
    const auto difference = faults::difference_from(facts, hello);
    if (!difference.empty()) throw faults::CannotRun(introduction.name + ": " + difference);
  }
  facts.capabilities = introduction.capabilities;
  if (facts.promises("loss_notice") && facts.loss == "never") facts.loss = "told";
  if (!introduction.key.empty() && !facts.key) facts.key = introduction.key;
}

}  // namespace

// The program as a path. Throws CannotRun if there is none on the PATH.
faults::TestedLock lock_of_client(const ForeignClient& client, const faults::RunPlan& plan,
                                  faults::Reaper& reaper) {
  auto words = words_of(client.command);
  if (words.empty()) throw faults::CannotRun("--client needs a command, as in 'python3 mine.py'");
  auto text = facts_text_of(client);
  faults::TestedLock stage{.name = "client",
                           .adds = client.command,
                           .directory = {},
                           .command = with_paths(std::move(words)),
                           .commands_on_the_wire = {},
                           .declared = {},
                           .nodes = client.nodes,
                           .marker = {},
                           .turned_from = {},
                           .facts = known_facts(client, text),
                           .facts_text = std::move(text),
                           .environment = {}};
  auto& facts = *stage.facts;
  if (client.lease.count() > 0) facts.shortest_lease = client.lease;
  if (client.retry.count() > 0) facts.retry = client.retry;
  if (!client.key.empty()) facts.key = client.key;
  const auto introduction = faults::introduce(stage, plan, reaper);
  stage.name = harmless(introduction.name);
  add_introduction(introduction, facts);
  return stage;
}

}  // namespace field
