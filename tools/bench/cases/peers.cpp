// Other people's locks beside the stages: each in a process of its own, by its own loop, with its
// defaults; one client alone, on one CPU with its servers (cpu_pinning.h says why), and eight that
// want one lock.
//
// Counters: pairs_per_s (acquire and release, of all clients together); client_us and server_us
// (CPU for one pair, of all clients and of all servers); bytes (to and from each server for one
// pair) and commands (to each server, one client alone); limit_per_s and of_limit (one client
// alone: a bare loop that sends stage 4's two commands, on five servers on to the first majority).
//
// A client runs for four times as long before that, and it does not count: a JVM compiles
// meanwhile. Of servers other than Redis only the pairs and the clients' CPU are known.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "faults/kit/history.h"
#include "faults/kit/other_servers/other_server.h"
#include "stage4_lua_release/scripts.h"
#include "tools/bench/cases/case.h"
#include "tools/bench/measure/cpu_pinning.h"
#include "tools/bench/measure/fixture.h"
#include "tools/bench/measure/peer_process.h"
#include "tools/bench/measure/quorum_baseline.h"
#include "tools/bench/measure/wrong_result.h"
#include "tools/field/locks.h"
#include "tools/table/stages.h"

namespace bench {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

struct PeersPlan {
  std::string lock;
  std::size_t servers = 1;
  std::size_t processes = 1;
};

// The lock's servers, of its kind.
struct Servers {
  std::vector<std::unique_ptr<Node>> nodes;  // if they are Redis
  std::optional<faults::History> history;
  std::vector<std::unique_ptr<faults::OtherServer>> others;

  [[nodiscard]] std::vector<core::Address> addresses() const {
    std::vector<core::Address> found;
    for (const auto& node : nodes) found.push_back(node->tcp());
    for (const auto& other : others) found.push_back(other->address());
    return found;
  }

  [[nodiscard]] double info(std::string_view section,
                            std::initializer_list<std::string_view> names) const {
    double sum = 0;
    for (const auto& node : nodes) sum += node->info(section, names);
    return sum;
  }
};

void start(Servers& servers, const faults::TestedLock& lock, std::size_t count, const Kit& kit,
           const std::filesystem::path& directory) {
  if (lock.stands_on_redis()) {
    servers.nodes = start_nodes(kit, count);
    for (const auto& node : servers.nodes) {
      if (!lock.marker.empty()) node->direct().command({"SET", lock.marker, "1"});
    }
    return;
  }
  servers.history.emplace(directory / "history.jsonl");
  servers.others = faults::start_other_servers(lock.facts->server, {"server"}, *servers.history,
                                               kit.reaper, directory);
}

// What is spent while the clients run.
struct Spent {
  double pairs = 0;
  double seconds = 0;
  double client_cpu = 0;  // s
  double server_cpu = 0;  // s
  double bytes = 0;       // of all servers
};

using Clients = std::vector<std::unique_ptr<PeerProcess>>;

double cpu_of(const Clients& peers) {
  double sum = 0;
  for (const auto& client : peers) sum += client->cpu_time().count();
  return sum;
}

double pairs_in(const Clients& peers, milliseconds time) {
  double pairs = 0;
  for (const auto& client : peers) client->start(time);
  for (const auto& client : peers) pairs += client->pairs();
  return pairs;
}

Spent run(const Clients& peers, const Servers& servers, milliseconds time) {
  const auto cpu = [&] { return servers.info("cpu", {"used_cpu_sys", "used_cpu_user"}); };
  const auto bytes = [&] {
    return servers.info("stats", {"total_net_input_bytes", "total_net_output_bytes"});
  };
  const auto begin = Clock::now();
  const Spent before{.client_cpu = cpu_of(peers), .server_cpu = cpu(), .bytes = bytes()};
  const auto pairs = pairs_in(peers, time);
  return {.pairs = pairs,
          .seconds = Seconds(Clock::now() - begin).count(),
          .client_cpu = cpu_of(peers) - before.client_cpu,
          .server_cpu = cpu() - before.server_cpu,
          .bytes = bytes() - before.bytes};
}

// How many commands the first server gets for one pair.
double commands_of(const Clients& peers, const Servers& servers) {
  constexpr milliseconds shortly{100};
  double pairs = 0;
  const auto commands =
      commands_during(servers.nodes.front()->tcp(), [&] { pairs = pairs_in(peers, shortly); });
  return static_cast<double>(commands.size()) / std::max(pairs, 1.0);
}

// Pairs a second of a bare loop on the same servers.
double limit_of(const Servers& servers, milliseconds time) {
  const auto& release = stage4::scripts::release;
  for (const auto& node : servers.nodes) node->direct().command({"SCRIPT", "LOAD", release.text});
  QuorumBaseline bare(servers.addresses(),
                      {{"SET", "bare", "token", "NX", "PX", "30000"},
                       {"EVALSHA", std::string(release.sha1), "1", "bare", "token"}});
  const auto begin = Clock::now();
  double pairs = 0;
  for (; Clock::now() - begin < time; ++pairs) bare.wait_for_first_majority();
  return pairs / Seconds(Clock::now() - begin).count();
}

Figures measure_peers(const PeersPlan& plan, const Kit& kit, const Scale& scale) {
  const faults::TempDir directory(kit.reaper);
  const auto lock = table::stage_or_lock_named(plan.lock, static_cast<int>(plan.servers));
  std::optional<CpuPinning> pinned;
  if (plan.processes == 1) pinned.emplace();
  Servers servers;
  start(servers, lock, plan.servers, kit, directory.path());
  Clients peers;
  while (peers.size() < plan.processes) {
    peers.push_back(
        std::make_unique<PeerProcess>(kit, lock, servers.addresses(), directory.path() / "log"));
  }
  (void)pairs_in(peers, 4 * scale.contended);
  const auto spent = run(peers, servers, scale.contended);
  if (spent.pairs == 0) throw WrongResult(plan.lock + " did not get the lock once");
  const auto per_second = spent.pairs / spent.seconds;
  Figures figures{.time = Seconds(1 / per_second),
                  .counters = {{"pairs_per_s", per_second},
                               {"client_us", 1e6 * spent.client_cpu / spent.pairs}}};
  if (servers.nodes.empty()) return figures;
  figures.counters["server_us"] = 1e6 * spent.server_cpu / spent.pairs;
  figures.counters["bytes"] = spent.bytes / spent.pairs / static_cast<double>(plan.servers);
  if (plan.processes > 1) return figures;
  figures.counters["commands"] = commands_of(peers, servers);
  figures.counters["limit_per_s"] = limit_of(servers, scale.contended);
  figures.counters["of_limit"] = per_second / figures.counters["limit_per_s"];
  return figures;
}

// Each stage beside the locks whose mechanism it is.
const std::vector<std::string>& locks_on(std::size_t servers) {
  static const std::vector<std::string> on_one{
      "stage4_lua_release", "redis-py-8", "redislock", "redsync",          "redlock-5",
      "stage5_watchdog",    "redisson",   "etcd-go",   "stage6_reentrant",
  };
  static const std::vector<std::string> on_five{"stage7_redlock", "redsync", "redlock-5",
                                                "redisson-redlock"};
  return servers == 1 ? on_one : on_five;
}

// A stage, or a lock of field/ that is installed.
bool is_there(const std::string& lock) {
  return !field::names_lock(lock) || field::lock_file_named(lock).is_installed();
}

}  // namespace

std::vector<Case> peers_cases(const Scale& /*scale*/) {
  std::vector<Case> cases;
  for (const std::size_t servers : {1, 5}) {
    for (const std::size_t processes : {1, 8}) {
      for (const auto& lock : locks_on(servers)) {
        if (!is_there(lock)) continue;
        const PeersPlan plan{.lock = lock, .servers = servers, .processes = processes};
        cases.push_back({.name = fmt::format("peers/{}/{}/{}", servers == 1 ? "one" : "five",
                                             processes == 1 ? "alone" : "eight", lock),
                         .measure = [plan](const Kit& kit, const Scale& how_much) {
                           return measure_peers(plan, kit, how_much);
                         }});
      }
    }
  }
  return cases;
}

}  // namespace bench
