#include "faults/kit/consensus_server.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <asio/ip/tcp.hpp>
#include <cctype>
#include <chrono>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include "core/deadline.h"
#include "faults/kit/errors.h"

namespace faults {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds serves_within{60'000};  // three Java programs on a busy machine

// The answer of the server at `port` to `question`; empty if there is none.
std::string ask(int port, const std::string& question) {
  tcp::iostream stream;
  stream.expires_after(std::chrono::seconds(1));
  stream.connect("127.0.0.1", std::to_string(port));
  stream << question << std::flush;
  std::ostringstream answer;
  answer << stream.rdbuf();
  return answer.str();
}

bool is_etcd(const ConsensusGroup& group) {
  return group.kind == "etcd";
}

// Does it serve clients? etcd has a page for that
// (https://etcd.io/docs/v3.4/op-guide/monitoring/#health-check), ZooKeeper a word
// (https://zookeeper.apache.org/doc/r3.8.0/zookeeperAdmin.html#sc_4lw).
bool serves(const ConsensusGroup& group, int port) {
  if (is_etcd(group)) {
    return ask(port, "GET /health HTTP/1.0\r\n\r\n").find("\"true\"") != std::string::npos;
  }
  return ask(port, "srvr").find("Mode:") != std::string::npos;
}

std::string url(const ReservedPort& port) {
  return fmt::format("http://127.0.0.1:{}", port.number());
}

// https://etcd.io/docs/v3.4/op-guide/clustering/#static
std::vector<std::string> etcd_arguments(const ConsensusGroup& group,
                                        const ConsensusGroup::Member& self,
                                        const std::string& data) {
  std::vector<std::string> cluster;
  for (const auto& member : group.members) cluster.push_back(member.name + "=" + url(member.peers));
  const auto clients = url(self.clients);
  const auto peers = url(self.peers);
  return {"etcd",
          "--name",
          self.name,
          "--data-dir",
          data,
          "--listen-client-urls",
          clients,
          "--advertise-client-urls",
          clients,
          "--listen-peer-urls",
          peers,
          "--initial-advertise-peer-urls",
          peers,
          "--initial-cluster",
          fmt::format("{}", fmt::join(cluster, ","))};
}

// The settings of a ZooKeeper server; its data directory says which it is. Sessions may be as short
// as two ticks, and as long as a scenario asks for; a busy machine may let servers wait for each
// other. (https://zookeeper.apache.org/doc/r3.8.0/zookeeperAdmin.html#sc_configuration)
std::string zookeeper_settings(const ConsensusGroup& group, const ConsensusGroup::Member& self,
                               const std::string& data) {
  auto text = fmt::format(
      "tickTime=200\ninitLimit=150\nsyncLimit=25\nmaxSessionTimeout=60000\n"
      "admin.enableServer=false\nclientPortAddress=127.0.0.1\nclientPort={}\ndataDir={}\n",
      self.clients.number(), data);
  if (group.members.size() < 2) return text;
  int number = 0;
  for (const auto& member : group.members) {
    text += fmt::format("server.{}=127.0.0.1:{}:{}\n", ++number, member.peers.number(),
                        member.elections.number());
  }
  return text;
}

}  // namespace

ConsensusServer::ConsensusServer(std::shared_ptr<const ConsensusGroup> group, std::size_t member,
                                 History& history, Reaper& reaper, std::filesystem::path log)
    : group_(std::move(group)),
      member_(member),
      history_(history),
      reaper_(reaper),
      log_(std::move(log)),
      directory_(reaper) {
  launch();
}

core::Address ConsensusServer::address() const {
  return {.host = "127.0.0.1", .port = self().clients.number(), .unix_path = {}};
}

Command ConsensusServer::command() const {
  const auto data = directory_.path() / "data";
  if (is_etcd(*group_)) {
    return {.program = "/usr/bin/etcd",
            .arguments = etcd_arguments(*group_, self(), data.native()),
            .environment = {},
            .log = log_};
  }
  const auto file = directory_.path() / "zoo.cfg";
  std::ofstream(file) << zookeeper_settings(*group_, self(), data.native());
  std::filesystem::create_directories(data);
  std::ofstream(data / "myid") << member_ + 1 << '\n';
  return {.program = "/usr/bin/java",
          .arguments = {"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
                        "-cp", "/usr/share/java/*",
                        "org.apache.zookeeper.server.quorum.QuorumPeerMain", file.native()},
          .environment = {},
          .log = log_};
}

void ConsensusServer::launch() {
  process_ = std::make_unique<Process>(command(), reaper_);
}

void ConsensusServer::wait_until_it_serves() {
  core::Deadline deadline(serves_within);
  while (!serves(*group_, self().clients.number())) {
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

bool ConsensusServer::lacks_a_port() const {
  std::ifstream file(log_);
  std::string said(std::istreambuf_iterator<char>(file), {});
  std::transform(said.begin(), said.end(), said.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return said.find("address already in use") != std::string::npos;
}

// A gauge of etcd's (https://etcd.io/docs/v3.4/metrics/), a line of ZooKeeper's.
bool ConsensusServer::leads() {
  const auto port = self().clients.number();
  const auto said =
      is_etcd(*group_) ? ask(port, "GET /metrics HTTP/1.0\r\n\r\n") : ask(port, "srvr");
  return said.find(is_etcd(*group_) ? "\netcd_server_is_leader 1" : "Mode: leader") !=
         std::string::npos;
}

void ConsensusServer::kill() {
  process_->kill();
  if (process_->running()) throw NotExercised(name() + " was to be killed, and still runs");
  history_.add(name(), Kind::fault, {{"what", fault::killed}});
}

void ConsensusServer::start() {
  launch();
  wait_until_it_serves();
  history_.add(name(), Kind::fault, {{"what", fault::restarted}, {"how", "with its data"}});
}

void ConsensusServer::start_empty() {
  std::filesystem::remove_all(directory_.path() / "data");
  launch();
  wait_until_it_serves();
  history_.add(name(), Kind::fault, {{"what", fault::restarted}, {"how", "empty"}});
}

namespace {

using Servers = std::vector<std::unique_ptr<ConsensusServer>>;

// Starts all of them on ports chosen anew; none if another program took one of the ports. Throws
// CannotRun.
Servers try_to_start(const std::string& kind, const std::vector<std::string>& names,
                     History& history, Reaper& reaper, const std::filesystem::path& directory) {
  auto group = std::make_shared<ConsensusGroup>();
  group->kind = kind;
  for (const auto& name : names) group->members.push_back({.name = name});
  Servers servers;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto log = directory / (names[i] + ".log");
    std::filesystem::remove(log);
    servers.push_back(std::make_unique<ConsensusServer>(group, i, history, reaper, std::move(log)));
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

Servers start_consensus(const std::string& kind, const std::vector<std::string>& names,
                        History& history, Reaper& reaper, const std::filesystem::path& directory) {
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
