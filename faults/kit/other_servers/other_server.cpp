#include "faults/kit/other_servers/other_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <thread>

#include "core/deadline.h"
#include "faults/kit/errors.h"

namespace faults {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds serves_within{60'000};  // three Java programs on a busy machine

using Kinds = std::map<std::string, std::unique_ptr<const ServerKind> (*)()>;

const Kinds& kinds() {
  static const Kinds all{
      {"etcd", etcd}, {"mariadb", mariadb}, {"postgresql", postgresql}, {"zookeeper", zookeeper}};
  return all;
}

}  // namespace

OtherServer::OtherServer(std::shared_ptr<const ServerKind> kind,
                         std::shared_ptr<const ServerGroup> group, std::size_t member,
                         History& history, Reaper& reaper, std::filesystem::path log)
    : kind_(std::move(kind)),
      group_(std::move(group)),
      member_(member),
      history_(history),
      reaper_(reaper),
      log_(std::move(log)),
      directory_(reaper) {
  kind_->prepare(directory_.path(), log_, reaper_);
  launch();
}

core::Address OtherServer::address() const {
  return {.host = "127.0.0.1", .port = self().clients.number(), .unix_path = {}};
}

void OtherServer::launch() {
  auto command = kind_->command(*group_, member_, directory_.path());
  command.log = log_;
  process_ = std::make_unique<Process>(command, reaper_);
}

void OtherServer::wait_until_it_serves() {
  core::Deadline deadline(serves_within);
  while (!kind_->serves(self().clients.number())) {
    if (const auto end = process_->ending(milliseconds(0))) {
      throw CannotRun(
          fmt::format("{} did not start, it {}; {} says why", name(), end->text(), log_.native()));
    }
    if (deadline.is_over()) {
      throw CannotRun(fmt::format("waited {} ms for {} to serve clients; {} says why",
                                  serves_within.count(), name(), log_.native()));
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
}

bool OtherServer::lacks_a_port() const {
  std::ifstream file(log_);
  std::string said(std::istreambuf_iterator<char>(file), {});
  std::transform(said.begin(), said.end(), said.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return said.find("address already in use") != std::string::npos;
}

bool OtherServer::leads() {
  return kind_->leads(self().clients.number());
}

void OtherServer::kill() {
  process_->kill();
  if (process_->running()) throw NotExercised(name() + " was to be killed, and still runs");
  history_.add(name(), Kind::fault, {{"what", fault::killed}});
}

void OtherServer::start() {
  launch();
  wait_until_it_serves();
  history_.add(name(), Kind::fault, {{"what", fault::restarted}, {"how", "with its data"}});
}

void OtherServer::start_empty() {
  std::filesystem::remove_all(directory_.path() / "data");
  kind_->prepare(directory_.path(), log_, reaper_);
  launch();
  wait_until_it_serves();
  history_.add(name(), Kind::fault, {{"what", fault::restarted}, {"how", "empty"}});
}

namespace {

using Servers = std::vector<std::unique_ptr<OtherServer>>;

// Starts all of them on newly chosen ports; none if another program took one of the ports. Throws
// CannotRun.
Servers try_to_start(const std::string& kind, const std::vector<std::string>& names,
                     History& history, Reaper& reaper, const std::filesystem::path& directory) {
  const std::shared_ptr<const ServerKind> made = kinds().at(kind)();
  auto group = std::make_shared<ServerGroup>();
  for (const auto& name : names) group->members.push_back({.name = name});
  Servers servers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto log = directory / (names[i] + ".log");
    std::filesystem::remove(log);
    servers.push_back(
        std::make_unique<OtherServer>(made, group, i, history, reaper, std::move(log)));
  }
  try {
    for (const auto& server : servers) server->wait_until_it_serves();
  } catch (const CannotRun&) {
    if (std::none_of(servers.begin(), servers.end(),
                     [](const auto& server) { return server->lacks_a_port(); })) {
      throw;
    }
    return {};
  }
  return servers;
}

}  // namespace

const std::vector<std::string>& other_server_kinds() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const auto& [name, make] : kinds()) all.push_back(name);
    return all;
  }();
  return names;
}

Servers start_other_servers(const std::string& kind, const std::vector<std::string>& names,
                            History& history, Reaper& reaper,
                            const std::filesystem::path& directory) {
  constexpr int most_tries = 3;
  for (int tries = 0; tries < most_tries; ++tries) {
    auto servers = try_to_start(kind, names, history, reaper, directory);
    if (servers.empty()) continue;
    std::stable_partition(servers.begin(), servers.end(),
                          [](const auto& server) { return server->leads(); });
    return servers;
  }
  throw CannotRun(fmt::format("{} times another program took a port of {}", most_tries, kind));
}

}  // namespace faults
