#include "stage6_reentrant/listener.h"

#include <poll.h>

#include <array>
#include <utility>

namespace stage6 {
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

void Listener::listen(std::weak_ptr<Ring> ring, const core::Address& server,
                      const std::string& channel) {
  {
    const std::lock_guard guard(mutex_);
    auto& line = lines_[server.text()];
    line.server = server;
    line.ears[channel] = {.ring = std::move(ring)};
  }
  wake_up_.wake();
}

void Listener::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<std::shared_ptr<Ring>> ringing;
    {
      const std::lock_guard guard(mutex_);
      for (auto& [address, line] : lines_) {
        keep_up(line);
        hear(line, ringing);
      }
    }
    for (const auto& ring : ringing) ring->ring();
    wait_for_something();
  }
}

void Listener::keep_up(Line& line) {
  if (line.channel && line.channel->broken()) {
    line.channel.reset();
    line.connect_at = Clock::now() + core::reconnect_pause;
    for (auto& [channel, ear] : line.ears) ear.subscribed = false;
  }
  if (!line.channel) {
    if (line.ears.empty() || Clock::now() < line.connect_at) return;
    line.channel = std::make_unique<core::AsyncConnection>(line.server);
  }
  for (auto& [channel, ear] : line.ears) {
    const bool wanted = !ear.ring.expired();
    if (wanted == ear.subscribed) continue;
    const std::array<std::string_view, 2> words{wanted ? "SUBSCRIBE" : "UNSUBSCRIBE", channel};
    line.channel->send(words);
    ear.subscribed = wanted;
  }
  std::erase_if(line.ears, [](const auto& entry) { return entry.second.ring.expired(); });
}

void Listener::hear(Line& line, std::vector<std::shared_ptr<Ring>>& ringing) {
  if (!line.channel) return;
  line.channel->advance();
  while (const auto push = line.channel->next()) {
    const bool matters = push->text(0) == "message" || push->text(0) == "subscribe";
    const auto ear = line.ears.find(std::string(push->text(1)));
    if (!matters || ear == line.ears.end()) continue;
    if (auto ring = ear->second.ring.lock()) ringing.push_back(std::move(ring));
  }
}

void Listener::wait_for_something() {
  std::vector<pollfd> sources{wake_up_.to_poll()};
  int limit = -1;
  {
    const std::lock_guard guard(mutex_);
    for (const auto& [address, line] : lines_) {
      if (line.channel) {
        sources.push_back({.fd = line.channel->descriptor(), .events = line.channel->wants()});
      }
      const bool away = !line.channel || line.channel->broken();
      if (away && !line.ears.empty()) limit = static_cast<int>(core::reconnect_pause.count());
    }
  }
  poll(sources.data(), sources.size(), limit);
  wake_up_.clear();
}

}  // namespace stage6
