#include "stage6_reentrant/listener.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace stage6 {
namespace {

using std::chrono::milliseconds;

// Before the next try to reach a server that hung up. Its waiters have their clocks meanwhile.
constexpr milliseconds reconnect_pause{50};

// A PING without an answer for so long: the connection is dead, though nobody hung up.
constexpr milliseconds longest_silence{1000};

int milliseconds_until(std::chrono::steady_clock::time_point time) {
  if (time == std::chrono::steady_clock::time_point::max()) return -1;
  const auto left = std::chrono::ceil<milliseconds>(time - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

}  // namespace

std::shared_ptr<Listener> Listener::of_this_process() {
  static std::mutex mutex;
  static std::weak_ptr<Listener> only;
  const std::lock_guard guard(mutex);
  auto listener = only.lock();
  if (!listener) {
    listener = std::make_shared<Listener>();
    only = listener;
  }
  return listener;
}

Listener::Listener() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Listener::~Listener() {
  thread_.request_stop();
  wake_up_.wake();
  thread_.join();
}

void Listener::listen(std::weak_ptr<Ear> ear, const core::Address& server,
                      const std::string& channel) {
  {
    const std::lock_guard guard(mutex_);
    auto& line = lines_[server.text()];
    line.server = server;
    line.ears[channel] = {.ear = std::move(ear)};
  }
  wake_up_.wake();
}

void Listener::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<Told> told;
    {
      const std::lock_guard guard(mutex_);
      for (auto& [address, line] : lines_) {
        keep_up(line);
        beat(line, Clock::now());
        hear(line, told);
      }
    }
    for (const auto& one : told) tell(one);
    told.clear();
    wait_for_something();
  }
}

void Listener::keep_up(Line& line) {
  if (line.channel && line.channel->broken()) hang_up(line);
  if (!line.channel) {
    if (line.ears.empty() || Clock::now() < line.connect_at) return;
    line.channel = std::make_unique<core::Channel>(line.server);
  }
  for (auto& [channel, listening] : line.ears) {
    const bool wanted = !listening.ear.expired();
    if (wanted == listening.subscribed) continue;
    const std::array<std::string_view, 2> words{wanted ? "SUBSCRIBE" : "UNSUBSCRIBE", channel};
    line.channel->send(words);
    listening.subscribed = wanted;
  }
  std::erase_if(line.ears, [](const auto& entry) { return entry.second.ear.expired(); });
}

void Listener::hang_up(Line& line) {
  line.channel.reset();
  line.connect_at = Clock::now() + reconnect_pause;
  line.awaits_pong = false;
  line.since = Clock::time_point::min();
  for (auto& [channel, listening] : line.ears) {
    listening.subscribed = false;
    if (const auto ear = listening.ear.lock()) ear->cut_off();
  }
}

void Listener::beat(Line& line, Clock::time_point now) {
  bool due = false;
  for (const auto& [channel, listening] : line.ears) {
    const auto ear = listening.ear.lock();
    if (!ear || ear->next_beat() > now) continue;
    ear->beat(now);
    due = true;
  }
  if (!due || !line.channel) return;
  if (line.awaits_pong) {
    if (now - line.pinged > longest_silence) hang_up(line);
    return;
  }
  line.pinged = now;
  line.awaits_pong = true;
  line.channel->send(std::array<std::string_view, 1>{"PING"});
}

void Listener::hear(Line& line, std::vector<Told>& told) {
  if (line.mouth) {
    line.mouth->advance();
    while (line.mouth->next()) {
    }
  }
  if (!line.channel) return;
  line.channel->advance();
  while (auto push = line.channel->next()) {
    const auto what = push->text(0);
    if (what == "pong") {
      line.awaits_pong = false;
      line.since = line.pinged;
    }
    const auto found = line.ears.find(std::string(push->text(1)));
    if ((what != "message" && what != "subscribe") || found == line.ears.end()) continue;
    auto ear = found->second.ear.lock();
    if (!ear) continue;
    told.push_back(
        {.line = &line, .ear = std::move(ear), .push = std::move(*push), .since = line.since});
  }
}

void Listener::tell(const Told& told) {
  if (told.push.text(0) == "subscribe") return told.ear->subscribed();
  const auto words = told.ear->told(told.push.text(2), told.since);
  if (words.empty()) return;
  auto& mouth = told.line->mouth;
  if (!mouth || mouth->broken()) mouth = std::make_unique<core::Channel>(told.line->server);
  mouth->send(std::vector<std::string_view>(words.begin(), words.end()));
}

void Listener::wait_for_something() {
  std::vector<pollfd> sources{wake_up_.to_poll()};
  auto until = Clock::time_point::max();
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [address, line] : lines_) {
      for (const auto* channel : {line.channel.get(), line.mouth.get()}) {
        if (channel == nullptr || channel->broken()) continue;
        sources.push_back({.fd = channel->descriptor(), .events = channel->wants()});
      }
      const bool away = !line.channel || line.channel->broken();
      if (away && !line.ears.empty()) until = std::min(until, Clock::now() + reconnect_pause);
      for (const auto& [channel, listening] : line.ears) {
        if (const auto ear = listening.ear.lock()) until = std::min(until, ear->next_beat());
      }
    }
  }
  poll(sources.data(), sources.size(), milliseconds_until(until));
  wake_up_.clear();
}

}  // namespace stage6
