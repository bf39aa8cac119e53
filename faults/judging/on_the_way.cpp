#include "faults/judging/on_the_way.h"

#include <algorithm>
#include <iterator>

namespace faults {

void OnTheWay::follow(std::size_t place) {
  const auto& event = story_.events[place];
  const auto what = event.text("what");
  const auto server = story_.node_of(event.text("server"));
  const auto to = story_.node_of(event.text("to"));
  const auto from = story_.node_of(event.text("from"));
  if (event.kind == Kind::command && !event.vanished() && !cut_.contains({event.lane, to})) {
    sent_.push_back(
        {.lane = event.lane, .server = to, .acquires = is_acquiring(event.lane, place)});
  } else if (answers_a_command(event)) {
    erase_first(event.lane, from);
    last_answered_[from] = event.lane;
  } else if (event.kind == Kind::fault && server.empty()) {
    if (what == fault::killed) {
      killed_.insert(event.lane);
      std::erase_if(sent_,
                    [&](const Sent& sent) { return sent.server == story_.node_of(event.lane); });
    }
  } else if (event.kind == Kind::fault) {
    follow_link(event, what, server);
  }
}

std::vector<std::string> OnTheWay::asking(const std::string& server) const {
  std::vector<std::string> lanes;
  for (const auto& sent : sent_) {
    if (sent.server == server && !sent.held) lanes.push_back(sent.lane);
  }
  return lanes;
}

std::vector<std::string> OnTheWay::asking_or_answered(const std::string& server) const {
  auto lanes = asking(server);
  const auto answered = last_answered_.find(server);
  if (lanes.empty() && answered != last_answered_.end()) lanes.push_back(answered->second);
  return lanes;
}

std::optional<std::string> OnTheWay::whose_set(const std::string& server, std::size_t place) {
  const auto found = std::find_if(sent_.begin(), sent_.end(), [&](const Sent& sent) {
    const bool may_come = sent.server == server && !sent.held && !sent.done;
    return may_come && sent.acquires &&
           (!killed_.contains(sent.lane) || is_acquiring(sent.lane, place));
  });
  if (found == sent_.end()) return std::nullopt;
  const auto lane = found->lane;
  // A server does what comes over one connection in its order.
  for (auto sent = sent_.begin(); sent <= found; ++sent) {
    if (sent->lane == lane && sent->server == server) sent->done = true;
  }
  return lane;
}

void OnTheWay::has_done(const std::string& lane, const std::string& server) {
  const auto next = std::find_if(sent_.begin(), sent_.end(), [&](const Sent& sent) {
    return sent.lane == lane && sent.server == server && !sent.done;
  });
  if (next != sent_.end()) next->done = true;
}

bool OnTheWay::is_acquiring(const std::string& lane, std::size_t place) const {
  return std::any_of(
      story_.operations.begin(), story_.operations.end(), [&](const Operation& operation) {
        return operation.lane == lane && operation.name == "acquire" && operation.open_at(place);
      });
}

void OnTheWay::follow_link(const Event& event, const std::string& what, const std::string& server) {
  const bool is_command = event.text("side") == "command";
  const auto last = std::find_if(sent_.rbegin(), sent_.rend(), [&](const Sent& sent) {
    return sent.lane == event.lane && sent.server == server;
  });
  if (what == fault::reset) {
    std::erase_if(
        sent_, [&](const Sent& sent) { return sent.lane == event.lane && sent.server == server; });
  } else if (is_command && what == fault::cut_off) {
    cut_.insert({event.lane, server});
  }
  if (!is_command || last == sent_.rend()) return;
  if (what == fault::held) last->held = true;
  if (what == fault::delivered) last->held = false;
  if (what == fault::dropped || what == fault::blackholed) sent_.erase(std::next(last).base());
}

void OnTheWay::erase_first(const std::string& lane, const std::string& server) {
  const auto first = std::find_if(sent_.begin(), sent_.end(), [&](const Sent& sent) {
    return sent.lane == lane && sent.server == server;
  });
  if (first != sent_.end()) sent_.erase(first);
}

}  // namespace faults
