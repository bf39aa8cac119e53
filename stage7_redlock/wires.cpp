#include "stage7_redlock/wires.h"

#include <poll.h>

#include <algorithm>

namespace stage7 {
namespace {

using std::chrono::milliseconds;

// A node that owes so many answers is taken for dead: nothing more is put before it.
constexpr std::size_t most_late = 64;
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

Wires::Wires(const std::vector<core::Address>& nodes, milliseconds timeout) : timeout_(timeout) {
  for (const auto& node : nodes) wires_.push_back({.node = node, .channel = {}});
}

Votes Wires::ask(const core::Script& script, const std::vector<std::string>& keys,
                 const std::vector<std::string>& arguments,
                 const std::function<bool(const Votes&)>& decided) {
  const auto count = std::to_string(keys.size());
  Words words{count};
  words.insert(words.end(), keys.begin(), keys.end());
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::lock_guard guard(mutex_);
  const Busy busy(busy_);
  Votes votes(wires_.size());
  for (std::size_t i = 0; i < wires_.size(); ++i) send(wires_[i], script, words, votes[i]);
  last_asked_ = Clock::now();
  const auto deadline = last_asked_ + timeout_;
  std::vector<bool> readable(wires_.size());
  while (!decided(votes) && Clock::now() < deadline &&
         std::any_of(votes.begin(), votes.end(), [](const Vote& vote) { return vote.is_open(); })) {
    wait(votes, deadline, readable);
    for (std::size_t i = 0; i < wires_.size(); ++i) {
      if (readable[i]) hear(wires_[i], script, words, votes[i]);
    }
  }
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    if (votes[i].is_open() && wires_[i].channel) ++wires_[i].late;
  }
  return votes;
}

void Wires::send(Wire& wire, const core::Script& script, const Words& words, Vote& vote) {
  if (wire.channel && (wire.late > 0 || Clock::now() - last_asked_ > fresh)) {
    wire.channel->advance();
    for (; wire.late > 0 && wire.channel->next(); --wire.late) {
    }
  }
  if (wire.channel && (wire.channel->broken() || wire.late > most_late)) wire.channel.reset();
  if (!wire.channel) {
    wire.channel = std::make_unique<core::Channel>(wire.node);
    wire.late = 0;
    wire.sent.clear();
  }
  put(wire, script, words);
  vote.refused = wire.channel->broken();
}

void Wires::put(Wire& wire, const core::Script& script, const Words& words) {
  const bool known = !wire.sent.insert(script.sha1).second;
  Words command{known ? "EVALSHA" : "EVAL", known ? script.sha1 : script.text};
  command.insert(command.end(), words.begin(), words.end());
  wire.channel->send(command);
  wire.channel->flush();
}

void Wires::hear(Wire& wire, const core::Script& script, const Words& words, Vote& vote) {
  auto& channel = *wire.channel;
  channel.flush();
  channel.receive();
  while (auto reply = channel.next()) {
    const bool forgotten = reply->is_error() && reply->text().starts_with("NOSCRIPT");
    if (forgotten) wire.sent.clear();
    if (wire.late > 0) {
      --wire.late;
    } else if (forgotten) {
      put(wire, script, words);
    } else {
      vote.reply = std::move(reply);
    }
  }
  if (!channel.broken() || vote.reply) return;
  (channel.has_unsent() ? vote.refused : vote.lost) = true;
  wire.channel.reset();
}

void Wires::wait(const Votes& votes, Clock::time_point deadline,
                 std::vector<bool>& readable) const {
  std::vector<pollfd> sources;
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    const auto& channel = wires_[i].channel;
    const bool matters = votes[i].is_open() && channel;
    sources.push_back({.fd = matters ? channel->descriptor() : -1,
                       .events = matters ? channel->wants() : short{0},
                       .revents = 0});
  }
  const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
  poll(sources.data(), sources.size(), static_cast<int>(std::max<long long>(left, 0)));
  for (std::size_t i = 0; i < wires_.size(); ++i) readable[i] = sources[i].revents != 0;
}

}  // namespace stage7
