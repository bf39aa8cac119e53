#include "faults/kit/consensus_server.h"

#include <fmt/format.h>

#include <asio/ip/tcp.hpp>
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>

#include "core/deadline.h"
#include "faults/kit/errors.h"

namespace faults {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;

constexpr milliseconds serves_within{30'000};  // a Java program on a busy machine

// A port that nobody has, below those that the kernel gives to connections: one of these could
// connect to itself while nobody listens there.
int free_port() {
  std::random_device random;
  asio::io_context context;
  for (int tries = 0; tries < 100; ++tries) {
    const auto port = static_cast<asio::ip::port_type>(20'000 + random() % 12'000);
    tcp::acceptor acceptor(context);
    asio::error_code taken;
    acceptor.open(tcp::v4(), taken);
    acceptor.bind({asio::ip::address_v4::loopback(), port}, taken);
    if (!taken) return port;
  }
  throw CannotRun("no port of 127.0.0.1 between 20000 and 32000 is free");
}

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

// Does it serve clients? etcd has a page for that
// (https://etcd.io/docs/v3.4/op-guide/monitoring/#health-check), ZooKeeper a word
// (https://zookeeper.apache.org/doc/r3.8.0/zookeeperAdmin.html#sc_4lw).
bool serves(const std::string& kind, int port) {
  if (kind == "etcd") {
    return ask(port, "GET /health HTTP/1.0\r\n\r\n").find("\"true\"") != std::string::npos;
  }
  return ask(port, "srvr").find("Mode:") != std::string::npos;
}

}  // namespace

ConsensusServer::ConsensusServer(std::string kind, History& history, Reaper& reaper,
                                 std::string name, std::filesystem::path log)
    : kind_(std::move(kind)),
      history_(history),
      reaper_(reaper),
      name_(std::move(name)),
      log_(std::move(log)),
      directory_(reaper) {
  launch();
}

core::Address ConsensusServer::address() const {
  return {.host = "127.0.0.1", .port = port_, .unix_path = {}};
}

Command ConsensusServer::command() const {
  const auto data = (directory_.path() / "data").native();
  if (kind_ == "etcd") {
    const auto clients = fmt::format("http://127.0.0.1:{}", port_);
    const auto peers = fmt::format("http://127.0.0.1:{}", peer_port_);
    return {.program = "/usr/bin/etcd",
            .arguments = {"etcd", "--data-dir", data, "--listen-client-urls", clients,
                          "--advertise-client-urls", clients, "--listen-peer-urls", peers,
                          "--initial-advertise-peer-urls", peers, "--initial-cluster",
                          "default=" + peers},
            .environment = {},
            .log = log_};
  }
  const auto file = directory_.path() / "zoo.cfg";
  // Sessions may be as short as two ticks, and as long as a scenario asks for.
  std::ofstream(file) << "tickTime=200\nmaxSessionTimeout=60000\nadmin.enableServer=false\n"
                      << "clientPortAddress=127.0.0.1\nclientPort=" << port_ << "\ndataDir=" << data
                      << '\n';
  return {.program = "/usr/bin/java",
          .arguments = {"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
                        "-cp", "/usr/share/java/*",
                        "org.apache.zookeeper.server.ZooKeeperServerMain", file.native()},
          .environment = {},
          .log = log_};
}

void ConsensusServer::launch() {
  if (port_ == 0) {
    port_ = free_port();
    peer_port_ = free_port();
  }
  process_ = std::make_unique<Process>(command(), reaper_);
  wait_until_it_serves();
}

void ConsensusServer::wait_until_it_serves() {
  core::Deadline deadline(serves_within);
  while (!serves(kind_, port_)) {
    if (const auto end = process_->ending(milliseconds(0))) {
      throw CannotRun(
          fmt::format("{} did not start, it {}; {} says why", kind_, end->text(), log_.native()));
    }
    if (deadline.is_over()) {
      throw CannotRun(fmt::format("waited {} ms for {} to serve clients; {} says why",
                                  serves_within.count(), kind_, log_.native()));
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
}

void ConsensusServer::kill() {
  process_->kill();
  if (process_->running()) throw NotExercised(name_ + " was to be killed, and still runs");
  history_.add(name_, Kind::fault, {{"what", fault::killed}});
}

void ConsensusServer::start() {
  launch();
  history_.add(name_, Kind::fault, {{"what", fault::restarted}, {"how", "with its data"}});
}

void ConsensusServer::start_empty() {
  std::filesystem::remove_all(directory_.path() / "data");
  launch();
  history_.add(name_, Kind::fault, {{"what", fault::restarted}, {"how", "empty"}});
}

}  // namespace faults
