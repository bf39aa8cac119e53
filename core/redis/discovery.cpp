#include "core/redis/discovery.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace core {
namespace {

// The answer names no server that can be used.
class Useless : public ServerError {
 public:
  using ServerError::ServerError;
};

Reply answer_of(Connection& connection, const Address& asked,
                std::span<const std::string_view> words) {
  auto reply = connection.command(words);
  if (reply.is_error()) throw Useless(fmt::format("{} says: {}", asked.text(), reply.text()));
  return reply;
}

Address server_at(const Address& wanted, std::string_view host, int port) {
  return {.host = std::string(host),
          .port = port,
          .unix_path = {},
          .database = wanted.database,
          .access = wanted.access};
}

Address named_by_sentinel(const Address& asked, const Address& wanted, Timeouts timeouts) {
  Connection connection(asked, timeouts);
  const auto& name = wanted.discovery->master;
  // https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/#obtaining-the-address-of-the-current-master
  const std::array<std::string_view, 3> words{"SENTINEL", "GET-MASTER-ADDR-BY-NAME", name};
  const auto reply = answer_of(connection, asked, words);
  int port = 0;
  const auto digits = reply.text(1);
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (port == 0) {
    throw Useless(fmt::format("the Sentinel {} knows no master \"{}\"", asked.text(), name));
  }
  auto server = server_at(wanted, reply.text(0), port);
  // A Sentinel that has not heard of a fail-over yet names the master of before.
  server.must_be_master = true;
  return server;
}

Address named_by_node(const Address& asked, const Address& wanted, Timeouts timeouts) {
  if (wanted.slot < 0) return server_at(wanted, asked.host, asked.port);
  Connection connection(asked, timeouts);
  const std::array<std::string_view, 2> words{"CLUSTER", "SLOTS"};
  // Ranges: the first slot, the last, its master (host, port, …), its replicas.
  // https://redis.io/docs/latest/commands/cluster-slots/
  const auto ranges = answer_of(connection, asked, words);
  for (std::size_t i = 0; i < ranges.parts(); ++i) {
    if (wanted.slot < ranges.integer(i, 0) || wanted.slot > ranges.integer(i, 1)) continue;
    // A node that does not know its own name leaves it empty.
    const auto host = ranges.text(i, 2, 0);
    return server_at(wanted, host.empty() ? asked.host : host,
                     static_cast<int>(ranges.integer(i, 2, 1)));
  }
  throw Useless(
      fmt::format("{} says that slot {} of the Cluster is nowhere", asked.text(), wanted.slot));
}

Address usable_server(const Address& asked, const Address& wanted, Timeouts timeouts) {
  const bool by_sentinel = wanted.discovery->kind == Discovery::Kind::sentinel;
  auto server = by_sentinel ? named_by_sentinel(asked, wanted, timeouts)
                            : named_by_node(asked, wanted, timeouts);
  try {
    (void)Connection(server, timeouts);
  } catch (const AccessDenied&) {
    throw;
  } catch (const Unreachable& error) {
    throw Useless(fmt::format("{}, which {} names", error.what(), asked.text()));
  }
  return server;
}

}  // namespace

void Discovery::distrust(std::size_t place) const {
  first->compare_exchange_strong(place, (place + 1) % asked.size());
}

Located locate(const Address& wanted, Timeouts timeouts) {
  std::string away = "it has no servers to ask";
  std::optional<std::string> denied;
  std::optional<std::string> said;
  const auto& discovery = *wanted.discovery;
  const auto first = discovery.first->load();
  for (std::size_t i = 0; i < discovery.asked.size(); ++i) {
    const auto place = (first + i) % discovery.asked.size();
    try {
      auto server = usable_server(discovery.asked[place], wanted, timeouts);
      *discovery.first = place;
      return {.server = std::move(server), .named_by = place};
    } catch (const AccessDenied& error) {
      if (!denied) denied = error.what();
    } catch (const Useless& error) {
      if (!said) said = error.what();
    } catch (const ServerError& error) {
      away = error.what();
    }
  }
  if (denied) throw AccessDenied(*denied);
  throw Unreachable(fmt::format("no way to {}: {}", wanted.text(), said.value_or(away)));
}

}  // namespace core
