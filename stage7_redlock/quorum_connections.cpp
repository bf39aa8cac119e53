#include "stage7_redlock/quorum_connections.h"

#include <algorithm>

#include "core/redis/command_encoding.h"
#include "core/redis/connection.h"

namespace stage7 {
namespace {

using std::chrono::milliseconds;

// A node that owes so many answers gets a new connection, which may overtake what is on the old
// one. Of that, a node reads 16 KiB before it sees that the old connection is gone.
constexpr std::size_t most_late = 32;
// A connection that has been lying about for longer is looked at before it is used.
constexpr milliseconds fresh{100};
// A node is slow if it takes so many times as long as a majority, and another one does not. Then it
// is not asked alone for so long.
constexpr int slow_factor = 4;
constexpr milliseconds slow_for{1'000};

class Busy {
 public:
  explicit Busy(std::atomic<bool>& flag) : flag_(flag) { flag_ = true; }
  ~Busy() { flag_ = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

QuorumConnections::QuorumConnections(const std::vector<core::Address>& nodes, milliseconds timeout)
    : timeout_(timeout) {
  for (const auto& node : nodes) connections_.push_back({.node = node, .channel = {}});
}

Votes QuorumConnections::ask(const core::Script& script, const Words& keys, const Words& arguments,
                             const std::function<bool(const Votes&)>& decided) {
  const std::lock_guard guard(mutex_);
  const Busy busy(busy_);
  const auto question = encode(script, keys, arguments);
  Votes votes(connections_.size());
  for (std::size_t i = 0; i < connections_.size(); ++i) send(connections_[i], question, votes[i]);
  last_asked_ = Clock::now();
  const auto asked = last_asked_;
  const auto deadline = asked + timeout_;
  while (!decided(votes) && Clock::now() < deadline &&
         std::any_of(votes.begin(), votes.end(), [](const Vote& vote) { return vote.is_open(); })) {
    listen(question, votes, deadline);
  }
  took_ = Clock::now() - asked;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (votes[i].is_open() && connections_[i].channel) ++connections_[i].late;
  }
  return votes;
}

std::optional<long long> QuorumConnections::ask_first(const core::Script& script, const Words& keys,
                                                      const Words& arguments,
                                                      milliseconds patience) {
  const std::lock_guard guard(mutex_);
  const Busy busy(busy_);
  const auto question = encode(script, keys, arguments);
  const auto limit = std::max<Clock::duration>(patience, slow_factor * took_);
  std::vector<Connection*> slow;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (Clock::now() < connections_[i].slow_until) continue;
    const auto vote = ask_node(i, question, limit, [] { return false; });
    if (vote.reply) {
      for (auto* other : slow) other->slow_until = Clock::now() + slow_for;
      return vote.number();
    }
    slow.push_back(&connections_[i]);
  }
  return std::nullopt;
}

void QuorumConnections::tell(const core::Address& node, const core::Script& script,
                             const Words& keys, const Words& arguments) {
  const std::lock_guard guard(mutex_);
  const Busy busy(busy_);
  const auto question = encode(script, keys, arguments);
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    auto& channel = connections_[i].channel;
    // A new connection takes the question only once it is open.
    const auto is_sent = [&channel] { return !channel->has_unsent(); };
    if (connections_[i].node == node) (void)ask_node(i, question, timeout_, is_sent);
  }
}

QuorumConnections::Question QuorumConnections::encode(const core::Script& script, const Words& keys,
                                                      const Words& arguments) {
  count_ = std::to_string(keys.size());
  words_.assign({"EVALSHA", script.sha1, count_});
  words_.insert(words_.end(), keys.begin(), keys.end());
  words_.insert(words_.end(), arguments.begin(), arguments.end());
  core::encode_command(bytes_, words_);
  return {.script = script, .words = words_, .encoded = bytes_};
}

Vote QuorumConnections::ask_node(std::size_t node, const Question& question, Clock::duration limit,
                                 const std::function<bool()>& is_enough) {
  Votes votes(connections_.size());
  for (auto& vote : votes) vote.unreachable = true;
  send(connections_[node], question, votes[node]);
  last_asked_ = Clock::now();
  const auto deadline = last_asked_ + limit;
  while (votes[node].is_open() && !is_enough() && Clock::now() < deadline) {
    listen(question, votes, deadline);
  }
  if (votes[node].is_open() && connections_[node].channel) ++connections_[node].late;
  return std::move(votes[node]);
}

void QuorumConnections::drop_late(Connection& connection) {
  connection.channel->receive();
  for (; connection.late > 0 && connection.channel->next(); --connection.late) {
  }
}

void QuorumConnections::send(Connection& connection, const Question& question, Vote& vote) {
  if (connection.channel && (connection.late > 0 || Clock::now() - last_asked_ > fresh)) {
    drop_late(connection);
  }
  if (connection.channel && (connection.channel->broken() || connection.late > most_late))
    connection.channel.reset();
  if (!connection.channel) {
    connection.channel = std::make_unique<core::AsyncConnection>(connection.node);
    connection.late = 0;
    connection.sent.clear();
  }
  put(connection, question);
  vote.unreachable = connection.channel->broken();
  vote.why = connection.channel->failure();
}

void QuorumConnections::put(Connection& connection, const Question& question) {
  const bool known = !connection.sent.insert(question.script.sha1).second;
  if (known) {
    connection.channel->send_bytes(question.encoded);
  } else {
    auto command = question.words;
    command[0] = "EVAL";
    command[1] = question.script.text;
    connection.channel->send(command);
  }
  connection.channel->flush();
}

void QuorumConnections::listen(const Question& question, Votes& votes, Clock::time_point deadline) {
  sources_.clear();
  std::size_t open = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    const auto& channel = connections_[i].channel;
    const bool matters = votes[i].is_open() && channel;
    sources_.push_back({.fd = matters ? channel->descriptor() : -1,
                        .events = matters ? channel->wants() : short{0},
                        .revents = 0});
    if (!matters) continue;
    ++open;
    last = i;
  }
  const auto left =
      std::max(std::chrono::ceil<milliseconds>(deadline - Clock::now()), milliseconds(1));
  if (open == 1 && !connections_[last].channel->has_unsent()) {
    connections_[last].channel->receive_within(left);
    return hear(connections_[last], question, votes[last]);
  }
  poll(sources_.data(), sources_.size(), static_cast<int>(left.count()));
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (sources_[i].revents == 0) continue;
    connections_[i].channel->flush();
    connections_[i].channel->receive();
    hear(connections_[i], question, votes[i]);
  }
}

void QuorumConnections::hear(Connection& connection, const Question& question, Vote& vote) {
  auto& channel = *connection.channel;
  while (auto reply = channel.next()) {
    const bool forgotten = reply->is_error() && reply->text().starts_with("NOSCRIPT");
    if (forgotten) connection.sent.clear();
    if (connection.late > 0) {
      --connection.late;
    } else if (forgotten) {
      put(connection, question);
    } else {
      vote.reply = std::move(reply);
    }
  }
  if (!channel.broken() || vote.reply) return;
  (channel.has_unsent() ? vote.unreachable : vote.lost) = true;
  vote.why = channel.failure();
  connection.channel.reset();
}

}  // namespace stage7
