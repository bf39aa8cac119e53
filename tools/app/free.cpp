// `lab free`: ends one hold of a lock on a live server.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "faults/kit/errors.h"
#include "production/operating/lock_state.h"
#include "production/operating/lock_state_text.h"
#include "tools/app/commands.h"
#include "tools/terminal/exit_codes.h"

namespace app {
namespace {

using operating::Freed;
using operating::LockState;

constexpr const char* free_examples =
    "Examples:\n"
    "  ./lab free lock:order:4711                   shows it, says what breaks, and asks\n"
    "  ./lab free lock:order:4711 --yes             does not ask\n"
    "\n"
    "Stop the holder first, if you can: docs/in-production.md. Frees no other holder than it "
    "shows.\n"
    "Exit codes: 0 freed, 1 not freed, 2 could not.";

struct Lock {
  std::string key;
  std::string server;
  bool yes = false;
};

void must_be_held(const LockState& state) {
  if (state.kind == LockState::Kind::held) return;
  const auto text = operating::describe(state);
  auto sentence = text.substr(0, text.find('\n'));
  if (state.kind == LockState::Kind::nameless) {
    sentence += ": without a token the next holder could be freed in its place";
  }
  throw faults::CannotRun(sentence);
}

bool ask(const std::string& key, const terminal::Language& language) {
  std::cout << language("Free " + operating::printable(key) +
                        "? Write yes, or anything else to leave it:")
            << ' ' << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "yes";
}

int report(Freed outcome, const terminal::Language& language) {
  if (outcome == Freed::removed) {
    std::cout << language("freed\n");
    return terminal::exit_holds;
  }
  std::cout << language(outcome == Freed::gone
                            ? "nothing was done: nobody holds it any more\n"
                            : "nothing was done: another client holds it by now\n");
  return terminal::exit_violated;
}

int free_lock(const Lock& lock, const terminal::Language& language) {
  if (!lock.yes && isatty(STDIN_FILENO) == 0) {
    throw faults::CannotRun("nobody is there to be asked: --yes frees the lock all the same");
  }
  core::Server server(core::Address::parse(lock.server));
  const auto seen = operating::look_at(server, lock.key);
  must_be_held(seen);
  std::cout << language(operating::describe(seen)) << '\n'
            << language(operating::describe_risk(seen));
  if (lock.yes || ask(lock.key, language)) {
    return report(operating::free_hold(server, seen), language);
  }
  std::cout << language("left as it is\n");
  return terminal::exit_violated;
}

}  // namespace

Command free_command(CLI::App& lab, const Shared& shared) {
  const auto lock = std::make_shared<Lock>();
  auto* line = lab.add_subcommand("free", "ends a hold on a live server: asks first");
  line->footer(free_examples);
  line->add_option("lock", lock->key, "its key")->required();
  add_server_option(*line, lock->server);
  line->add_flag("--yes", lock->yes, "do not ask");
  return {.line = line,
          .question = "which lock? such as ./lab free lock:order:4711",
          .run = [lock, &shared] { return free_lock(*lock, shared.options.language); }};
}

}  // namespace app
