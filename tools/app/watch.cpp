// `lab watch`: who holds a lock on a live server.
#include <iostream>
#include <memory>
#include <thread>

#include "faults/kit/errors.h"
#include "production/operating/lock_state.h"
#include "production/operating/lock_state_text.h"
#include "tools/app/commands.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"

namespace app {
namespace {

constexpr const char* watch_examples =
    "Examples:\n"
    "  ./lab watch lock:order:4711                  on the server of this machine\n"
    "  ./lab watch lock:order:4711 --follow         and again when it changes, until Ctrl-C\n"
    "  ./lab watch --all 'lock:*' --server redis.example.com:6379\n"
    "\n"
    "Reads only, and goes through many keys in small steps.\n"
    "A URL with a password belongs into REDIS_URL: others can read a command line.\n"
    "Exit codes: 0 shown, 2 could not.";

struct Watched {
  std::string key;
  std::string pattern;
  std::string server;
  bool follow = false;
};

void print(const nlohmann::json& json) {
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
}

void print(const operating::LockState& state, const terminal::Options& options) {
  if (options.json) {
    print(operating::to_json(state));
  } else {
    std::cout << options.language(operating::describe(state));
  }
  std::cout << std::flush;
}

int watch_all(core::Server& server, const std::string& pattern, const terminal::Options& options) {
  const auto found = operating::look_at_all(server, pattern);
  if (!options.json) {
    std::cout << options.language(operating::describe(found, pattern));
    return terminal::exit_holds;
  }
  auto array = nlohmann::json::array();
  for (const auto& state : found.held) array.push_back(operating::to_json(state));
  print(array);
  return terminal::exit_holds;
}

// All but the time, which changes without an event.
bool is_same(const operating::LockState& one, const operating::LockState& other) {
  return one.kind == other.kind && one.token == other.token && one.depth == other.depth &&
         one.participants == other.participants && one.waiters == other.waiters &&
         one.waiting == other.waiting && one.listening == other.listening;
}

[[noreturn]] void follow(core::Server& server, operating::LockState seen,
                         const terminal::Options& options) {
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    auto now = operating::look_at(server, seen.key);
    if (!is_same(now, seen)) print(now, options);
    seen = std::move(now);
  }
}

int watch(const terminal::Options& options, const Watched& asked) {
  if (asked.key.empty() == asked.pattern.empty()) {
    throw faults::CannotRun("name one lock, or a pattern with --all; see ./lab watch --help");
  }
  if (asked.follow && !asked.pattern.empty()) {
    throw faults::CannotRun("--follow goes with one lock; see ./lab watch --help");
  }
  core::Server server(core::Address::parse(asked.server));
  if (!asked.pattern.empty()) return watch_all(server, asked.pattern, options);
  const auto seen = operating::look_at(server, asked.key);
  print(seen, options);
  if (asked.follow) follow(server, seen, options);
  return terminal::exit_holds;
}

}  // namespace

Command watch_command(CLI::App& lab, Shared& shared) {
  const auto asked = std::make_shared<Watched>();
  auto* line = lab.add_subcommand("watch", "who holds a lock on a live server");
  line->footer(watch_examples);
  line->add_option("lock", asked->key, "its key");
  line->add_option("--all", asked->pattern, "in its place: all that fit a pattern, such as lock:*");
  add_server_option(*line, asked->server);
  line->add_flag("--follow", asked->follow, "again whenever it changes");
  add_json_flag(*line, shared);
  return {.line = line,
          .question = "which lock? such as ./lab watch lock:order:4711",
          .run = [asked, &shared] { return watch(shared.options, *asked); }};
}

}  // namespace app
