#include "faults/explore/states/world_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "faults/explore/states/judging_facts.h"
#include "faults/explore/states/word_names.h"
#include "faults/kit/command_names.h"

namespace explore {
namespace {

using faults::Kind;

class StateReader {
 public:
  StateReader(SearchedWorld& world, bool may_fail_over)
      : world_(world), may_fail_over_(may_fail_over) {
    for (auto& server : world.servers) {
      data_.push_back(server.contents());
      replicas_.push_back(may_fail_over ? server.replica_contents() : "");
    }
    for (auto& client : world.clients) {
      if (!has_ended(client)) names_.add(client.name(), client.words(), client.word_names());
    }
    for (auto& client : world.clients) names_.add_ended(client.name(), client.words());
  }

  // Each order of the servers in which what there is to say of one is not less than of the one
  // before: several, where nothing is to be said of two that tells them apart.
  [[nodiscard]] std::vector<ServerNames> sorted_orders() {
    std::vector<std::string> said;
    for (std::size_t i = 0; i < world_.servers.size(); ++i) said.push_back(said_of(i));
    std::vector<std::size_t> order(said.size());
    std::iota(order.begin(), order.end(), 0);
    std::vector<ServerNames> sorted;
    do {
      const auto is_less = [&](auto one, auto other) { return said[one] < said[other]; };
      if (std::is_sorted(order.begin(), order.end(), is_less)) sorted.emplace_back(order);
    } while (std::next_permutation(order.begin(), order.end()));
    return sorted;
  }

  // The same with these names.
  [[nodiscard]] State read_with(ServerNames servers, const std::set<std::string>& rested) const {
    auto reader = *this;
    reader.servers_ = std::move(servers);
    return reader.read(rested);
  }

  [[nodiscard]] State read(const std::set<std::string>& rested) {
    for (std::size_t i = 0; i < world_.servers.size(); ++i) add_server(i);
    add("storage", storage());
    for (auto& client : world_.clients) add_client(client);
    add("stopped before", fmt::format("{}", fmt::join(rested, ",")));
    add("order at servers", order_at_servers());
    auto facts = judging_facts(
        servers_.in(world_.journal.record()),
        std::chrono::duration_cast<std::chrono::microseconds>(world_.journal.run_time()), judged());
    std::move(facts.begin(), facts.end(), std::back_inserter(state_));
    return std::move(state_);
  }

 private:
  void add(std::string name, std::string text) {
    state_.push_back({std::move(name), names_.in(world_.journal.in_words(std::move(text)))});
  }

  [[nodiscard]] JudgedLock judged() {
    JudgedLock lock;
    for (auto& client : world_.clients) {
      lock.hands_out_tokens = lock.hands_out_tokens || client.gets_tokens();
      if (has_ended(client)) lock.ended.insert(client.name());
    }
    return lock;
  }

  // A dead client does nothing more, whatever it has seen; nor does one whose program has ended and
  // whose threads wait for nothing that can come.
  [[nodiscard]] bool has_ended(SearchedClient& client) const {
    if (client.is_killed()) return true;
    const bool is_stopped = client.is_frozen() || client.is_cut_off();
    return client.is_done() && !is_stopped && in_flight(client).empty() &&
           deadlines(client).empty();
  }

  void add_server(std::size_t place) {
    const auto& name = world_.servers[place].name();
    add("data of " + name, data_[servers_.at(place)]);
    if (may_fail_over_) add("replica of " + name, replicas_[servers_.at(place)]);
  }

  // All that concerns that server, under the first one's name.
  [[nodiscard]] std::string said_of(std::size_t server) {
    auto text = data_[server] + replicas_[server];
    const auto its_name = fmt::format("server {},", server + 1);
    for (auto& client : world_.clients) {
      if (has_ended(client) || !client.has_begun()) continue;
      for (const auto& connection : client.connections()) {
        const bool is_its = !connection.is_of_storage() && connection.server == server;
        if (is_its && !is_idle(connection)) text += in_flight(connection);
      }
      for (const auto& [channel, seen] : seen_on_channels(client)) {
        if (channel.starts_with(its_name)) text += seen;
      }
      text += '\n';
    }
    std::vector<std::size_t> first(world_.servers.size());
    std::iota(first.begin(), first.end(), 0);
    std::swap(first.front(), first[server]);
    auto names = names_;
    return ServerNames(first).in(names.in(world_.journal.in_words(std::move(text))));
  }

  [[nodiscard]] std::string storage() const {
    std::string text;
    for (const auto& [account, contents] : world_.accounts->contents()) {
      text += fmt::format("{}: {}\n", account, contents);
    }
    return text;
  }

  void add_client(SearchedClient& client) {
    const auto& name = client.name();
    const auto& position = client.position();
    add("program of " + name, fmt::format("{} {}: {} {} inside", client.state(), client.outcome(),
                                          position.next_operation(), position.levels()));
    if (has_ended(client) || !client.has_begun()) return;
    add("seen by " + name, seen_by(client));
    add("in flight of " + name, in_flight(client));
    add("deadlines of " + name, deadlines(client));
  }

  // How long ago each was. What came on two connections, with nothing between but what came on
  // others, may have come in any order: if the client did nothing in between, it has only counted.
  [[nodiscard]] std::map<std::string, std::string> seen_on_channels(
      const SearchedClient& client) const {
    std::map<std::string, std::string> texts;
    int stretch = 0;
    std::size_t acts = 0;
    for (const auto& seen : client.seen()) {
      if (seen.channel.empty() || seen.acts != acts) ++stretch;
      acts = seen.acts;
      texts[seen.channel] += fmt::format("{}: {} ns ago {}\n", stretch,
                                         (world_.journal.run_time() - seen.at).count(), seen.what);
    }
    if (client.acts() != acts) texts[""] += "and it has acted\n";
    return texts;
  }

  [[nodiscard]] std::string seen_by(const SearchedClient& client) const {
    std::set<std::string> texts;  // in the order of the channels
    for (const auto& [channel, text] : seen_on_channels(client)) {
      texts.insert(servers_.in(fmt::format("{}\n{}", channel, text)));
    }
    return fmt::format("{}", fmt::join(texts, ""));
  }

  [[nodiscard]] static bool is_idle(const ClientConnection& connection) {
    return connection.commands.empty() && connection.replies.empty() &&
           connection.unanswered.empty() && !connection.is_lost;
  }

  [[nodiscard]] std::string in_flight(const ClientConnection& connection) const {
    std::string text = connection.is_lost ? " lost:" : ":";
    for (const auto* queue : {&connection.commands, &connection.replies}) {
      for (const auto& message : *queue) text += " " + described(connection, message);
      text += ";";
    }
    return connection.unanswered.empty() ? text : text + " asks";
  }

  [[nodiscard]] std::string in_flight(SearchedClient& client) const {
    std::set<std::string>
        lines;  // not in the order of the list, which an earlier run may have changed
    for (const auto& connection : client.connections()) {
      if (is_idle(connection)) continue;
      lines.insert(servers_.in(name_of(connection) + in_flight(connection)));
    }
    return fmt::format("{}", fmt::join(lines, "\n"));
  }

  // A client sends a script's text once on a connection, and then its digest. A connection may be
  // older than the run, so which of the two it is does not follow from the run.
  [[nodiscard]] std::string described(const ClientConnection& connection,
                                      const MessageInFlight& in_flight) const {
    auto message = in_flight;
    if (!connection.is_of_storage() &&
        world_.servers[connection.server].has_script_of(message.message)) {
      message.message.words.front() = "EVALSHA";
    }
    if (!message.slow_since) return content_of(message);
    return fmt::format("{} {} ns slow, for {} ns", content_of(message),
                       (world_.now() - *message.slow_since).count(),
                       (message.slow_until - world_.now()).count());
  }

  // Without a wait of an earlier run (TimerPhases::let_timers_pass): a process that lives on may
  // come ever nearer to its end.
  [[nodiscard]] std::string deadlines(const SearchedClient& client) const {
    const auto start = world_.now() - world_.journal.run_time();
    std::string text;
    for (const auto deadline : client.deadlines()) {
      if (deadline > start + far_in_leases * world_.plan.lease) continue;
      text += fmt::format("{} ", (deadline - world_.now()).count());
    }
    return text;
  }

  // A server keeps the order in which clients wait there, and whose watched key has changed. Both
  // follow from the order of all commands.
  [[nodiscard]] std::string order_at_servers() const {
    const auto& record = world_.journal.record();
    const auto is_order_kept = [](const faults::Event& event) {
      const auto text = event.kind == Kind::command ? event.text("text") : std::string();
      return text.starts_with("WATCH") || text.starts_with("CLIENT TRACKING");
    };
    const bool waits = std::any_of(world_.clients.begin(), world_.clients.end(), [](auto& client) {
      const auto& all = client.connections();
      return std::any_of(all.begin(), all.end(),
                         [](const auto& one) { return !one.unanswered.empty(); });
    });
    if (!waits && std::none_of(record.begin(), record.end(), is_order_kept)) return {};
    std::string text;
    for (const auto& event : record) {
      if (event.kind != Kind::command || event.text("to") == "storage") continue;
      const auto name = event.text("text").substr(0, event.text("text").find(' '));
      text += fmt::format("{} to {}: {} {}\n", event.process, servers_.in(event.text("to")), name,
                          event.text("script"));
    }
    return text;
  }

  SearchedWorld& world_;
  const bool may_fail_over_;
  std::vector<std::string> data_;      // by server
  std::vector<std::string> replicas_;  // the same; empty: it does not matter
  ServerNames servers_;
  WordNames names_;
  State state_;
};

}  // namespace

State state_of(SearchedWorld& world, const std::set<std::string>& rested, bool may_fail_over) {
  return StateReader(world, may_fail_over).read(rested);
}

AnonymousState state_without_names(SearchedWorld& world, const std::set<std::string>& rested,
                                   bool may_fail_over) {
  StateReader reader(world, may_fail_over);
  std::optional<AnonymousState> least;
  for (auto& servers : reader.sorted_orders()) {
    auto state = reader.read_with(servers, rested);
    if (least && !(state < least->state)) continue;
    least = {.state = std::move(state), .servers = std::move(servers)};
  }
  return *least;
}

}  // namespace explore
