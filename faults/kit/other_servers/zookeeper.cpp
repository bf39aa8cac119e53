#include <fmt/format.h>

#include <fstream>

#include "faults/kit/other_servers/server_kind.h"

namespace faults {
namespace {

// The settings of a server; its data directory says which it is. Sessions may be as short as two
// ticks, and as long as a scenario asks for; a busy machine may let servers wait for each other.
// (https://zookeeper.apache.org/doc/r3.8.0/zookeeperAdmin.html#sc_configuration)
std::string settings(const ServerGroup& group, const ServerGroup::Member& self,
                     const std::filesystem::path& data) {
  auto text = fmt::format(
      "tickTime=200\ninitLimit=150\nsyncLimit=25\nmaxSessionTimeout=60000\n"
      "admin.enableServer=false\nclientPortAddress=127.0.0.1\nclientPort={}\ndataDir={}\n",
      self.clients.number(), data.native());
  if (group.members.size() < 2) return text;
  int number = 0;
  for (const auto& member : group.members) {
    text += fmt::format("server.{}=127.0.0.1:{}:{}\n", ++number, member.peers.number(),
                        member.elections.number());
  }
  return text;
}

class ZooKeeper : public ServerKind {
 public:
  [[nodiscard]] Command command(const ServerGroup& group, std::size_t member,
                                const std::filesystem::path& directory) const override {
    const auto data = directory / "data";
    const auto file = directory / "zoo.cfg";
    std::ofstream(file) << settings(group, group.members.at(member), data);
    std::filesystem::create_directories(data);
    std::ofstream(data / "myid") << member + 1 << '\n';
    return {.program = "/usr/bin/java",
            .arguments = {"java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto",
                          "-cp", "/usr/share/java/*",
                          "org.apache.zookeeper.server.quorum.QuorumPeerMain", file.native()},
            .environment = {},
            .log = {}};
  }

  // https://zookeeper.apache.org/doc/r3.8.0/zookeeperAdmin.html#sc_4lw
  [[nodiscard]] bool serves(int port) const override {
    return ask_server(port, "srvr").find("Mode:") != std::string::npos;
  }

  [[nodiscard]] bool leads(int port) const override {
    return ask_server(port, "srvr").find("Mode: leader") != std::string::npos;
  }
};

}  // namespace

std::unique_ptr<const ServerKind> zookeeper() {
  return std::make_unique<ZooKeeper>();
}

}  // namespace faults
