#include <fmt/format.h>
#include <fmt/ranges.h>

#include "faults/kit/other_servers/server_kind.h"

namespace faults {
namespace {

std::string url(const ReservedPort& port) {
  return fmt::format("http://127.0.0.1:{}", port.number());
}

class Etcd : public ServerKind {
 public:
  // https://etcd.io/docs/v3.4/op-guide/clustering/#static
  [[nodiscard]] Command command(const ServerGroup& group, std::size_t member,
                                const std::filesystem::path& directory) const override {
    std::vector<std::string> cluster;
    for (const auto& each : group.members) cluster.push_back(each.name + "=" + url(each.peers));
    const auto& self = group.members.at(member);
    const auto clients = url(self.clients);
    const auto peers = url(self.peers);
    return {.program = "/usr/bin/etcd",
            .arguments = {"etcd", "--name", self.name, "--data-dir", directory / "data",
                          "--listen-client-urls", clients, "--advertise-client-urls", clients,
                          "--listen-peer-urls", peers, "--initial-advertise-peer-urls", peers,
                          "--initial-cluster", fmt::format("{}", fmt::join(cluster, ","))},
            .environment = {},
            .log = {}};
  }

  // https://etcd.io/docs/v3.4/op-guide/monitoring/#health-check
  [[nodiscard]] bool serves(int port) const override {
    return ask_server(port, "GET /health HTTP/1.0\r\n\r\n").find("\"true\"") != std::string::npos;
  }

  // A gauge (https://etcd.io/docs/v3.4/metrics/).
  [[nodiscard]] bool leads(int port) const override {
    return ask_server(port, "GET /metrics HTTP/1.0\r\n\r\n").find("\netcd_server_is_leader 1") !=
           std::string::npos;
  }
};

}  // namespace

std::unique_ptr<const ServerKind> etcd() {
  return std::make_unique<Etcd>();
}

}  // namespace faults
