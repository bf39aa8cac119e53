#include "faults/explore/states/world_state.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>

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
    for (auto& client : world.clients) {
      if (!has_ended(client)) names_.add(client.name(), client.words(), client.word_names());
    }
    for (auto& client : world.clients) names_.add_ended(client.name(), client.words());
  }

  [[nodiscard]] State read(const std::set<std::string>& rested) {
    for (auto& server : world_.servers) add_server(server);
    add("storage", storage());
    for (auto& client : world_.clients) add_client(client);
    add("stopped before", fmt::format("{}", fmt::join(rested, ",")));
    add("order at servers", order_at_servers());
    auto facts = judging_facts(
        world_.journal.record(),
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

  void add_server(SearchedServer& server) {
    add("data of " + server.name(), server.contents());
    if (may_fail_over_) add("replica of " + server.name(), server.replica_contents());
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
  // others, may have come in any order.
  [[nodiscard]] std::string seen_by(const SearchedClient& client) const {
    std::map<std::string, std::string> texts;  // by channel
    int stretch = 0;
    for (const auto& seen : client.seen()) {
      if (seen.channel.empty()) ++stretch;
      texts[seen.channel] += fmt::format("{}: {} ns ago {}\n", stretch,
                                         (world_.journal.run_time() - seen.at).count(), seen.what);
    }
    std::string all;
    for (const auto& [channel, text] : texts) all += fmt::format("{}\n{}", channel, text);
    return all;
  }

  [[nodiscard]] std::string in_flight(SearchedClient& client) const {
    std::set<std::string>
        lines;  // not in the order of the list, which an earlier run may have changed
    for (const auto& connection : client.connections()) {
      const bool is_idle = connection.commands.empty() && connection.replies.empty() &&
                           connection.unanswered.empty() && !connection.is_lost;
      if (is_idle) continue;
      auto text = fmt::format("{}{}:", name_of(connection), connection.is_lost ? " lost" : "");
      for (const auto* queue : {&connection.commands, &connection.replies}) {
        for (const auto& message : *queue) text += " " + described(connection, message);
        text += ";";
      }
      lines.insert(connection.unanswered.empty() ? text : text + " asks");
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

  // Without a wait of an earlier run (EndOfRun::let_timers_pass): a process that lives on may come
  // ever nearer to its end.
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
      text += fmt::format("{} to {}: {} {}\n", event.process, event.text("to"), name,
                          event.text("script"));
    }
    return text;
  }

  SearchedWorld& world_;
  const bool may_fail_over_;
  WordNames names_;
  State state_;
};

}  // namespace

State state_of(SearchedWorld& world, const std::set<std::string>& rested, bool may_fail_over) {
  return StateReader(world, may_fail_over).read(rested);
}

}  // namespace explore
