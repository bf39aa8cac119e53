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
                             const std::function<bool(const Votes&)>& decided,
                             const std::vector<bool>& wanted) {
  const std::lock_guard guard(mutex_);
  const Busy busy(busy_);
  const auto question = encode(script, keys, arguments);
  Votes votes(connections_.size());
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (wanted.empty() || wanted[i]) {
      send(connections_[i], question, votes[i]);
    } else {
      votes[i].unreachable = true;
    }
  }
  last_asked_ = Clock::now();
  is_forgotten_ = false;
  const auto deadline = last_asked_ + timeout_;
  while ((is_forgotten_ || !decided(votes)) && Clock::now() < deadline &&
         std::any_of(votes.begin(), votes.end(), [](const Vote& vote) { return vote.is_open(); })) {
    listen(question, votes, deadline);
  }
  for (std::size_t i = 0; i < connections_.size(); ++i) {
    if (votes[i].is_open() && connections_[i].channel) ++connections_[i].late;
  }
  return votes;
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
      is_forgotten_ = true;
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
