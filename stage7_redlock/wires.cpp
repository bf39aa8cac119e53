#include "stage7_redlock/wires.h"

#include <algorithm>

#include "core/command_encoding.h"

namespace stage7 {
namespace {

using std::chrono::milliseconds;

// A node that owes so many answers gets a new connection, which may overtake what is on the old
// one.
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

Votes Wires::ask(const core::Script& script, const Words& keys, const Words& arguments,
                 const std::function<bool(const Votes&)>& decided) {
  const auto count = std::to_string(keys.size());
  const std::lock_guard guard(mutex_);
  const Busy busy(busy_);
  words_.assign({"EVALSHA", script.sha1, count});
  words_.insert(words_.end(), keys.begin(), keys.end());
  words_.insert(words_.end(), arguments.begin(), arguments.end());
  core::encode_command(bytes_, words_);
  const Question question{.script = script, .words = words_, .on_a_wire = bytes_};
  Votes votes(wires_.size());
  for (std::size_t i = 0; i < wires_.size(); ++i) send(wires_[i], question, votes[i]);
  last_asked_ = Clock::now();
  const auto deadline = last_asked_ + timeout_;
  while (!decided(votes) && Clock::now() < deadline &&
         std::any_of(votes.begin(), votes.end(), [](const Vote& vote) { return vote.is_open(); })) {
    listen(question, votes, deadline);
  }
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    if (votes[i].is_open() && wires_[i].channel) ++wires_[i].late;
  }
  return votes;
}

void Wires::send(Wire& wire, const Question& question, Vote& vote) {
  if (wire.channel && (wire.late > 0 || Clock::now() - last_asked_ > fresh)) {
    wire.channel->receive();
    for (; wire.late > 0 && wire.channel->next(); --wire.late) {
    }
  }
  if (wire.channel && (wire.channel->broken() || wire.late > most_late)) wire.channel.reset();
  if (!wire.channel) {
    wire.channel = std::make_unique<core::AsyncConnection>(wire.node);
    wire.late = 0;
    wire.sent.clear();
  }
  put(wire, question);
  vote.refused = wire.channel->broken();
}

void Wires::put(Wire& wire, const Question& question) {
  const bool known = !wire.sent.insert(question.script.sha1).second;
  if (known) {
    wire.channel->send_bytes(question.on_a_wire);
  } else {
    auto command = question.words;
    command[0] = "EVAL";
    command[1] = question.script.text;
    wire.channel->send(command);
  }
  wire.channel->flush();
}

void Wires::listen(const Question& question, Votes& votes, Clock::time_point deadline) {
  sources_.clear();
  std::size_t open = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    const auto& channel = wires_[i].channel;
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
  if (open == 1 && !wires_[last].channel->has_unsent()) {
    wires_[last].channel->receive_within(left);
    return hear(wires_[last], question, votes[last]);
  }
  poll(sources_.data(), sources_.size(), static_cast<int>(left.count()));
  for (std::size_t i = 0; i < wires_.size(); ++i) {
    if (sources_[i].revents == 0) continue;
    wires_[i].channel->flush();
    wires_[i].channel->receive();
    hear(wires_[i], question, votes[i]);
  }
}

void Wires::hear(Wire& wire, const Question& question, Vote& vote) {
  auto& channel = *wire.channel;
  while (auto reply = channel.next()) {
    const bool forgotten = reply->is_error() && reply->text().starts_with("NOSCRIPT");
    if (forgotten) wire.sent.clear();
    if (wire.late > 0) {
      --wire.late;
    } else if (forgotten) {
      put(wire, question);
    } else {
      vote.reply = std::move(reply);
    }
  }
  if (!channel.broken() || vote.reply) return;
  (channel.has_unsent() ? vote.refused : vote.lost) = true;
  wire.channel.reset();
}

}  // namespace stage7
