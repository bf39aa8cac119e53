#include "stage6_reentrant/inbox.h"

#include <poll.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "stage6_reentrant/queue.h"

namespace stage6 {
namespace {

using std::chrono::milliseconds;

// A PING, or the SUBSCRIBE, without an answer for so long: the connection is dead.
constexpr milliseconds longest_silence{1'000};

// For so long the thread leaves the reading to those who wait, before it looks again.
constexpr milliseconds standing_back{100};

int milliseconds_until(Clock::time_point time) {
  const auto left = std::chrono::ceil<milliseconds>(time - Clock::now());
  return static_cast<int>(std::clamp<long long>(left.count(), 0, 3'600'000));
}

using Sources = std::array<pollfd, 3>;
constexpr pollfd nothing{.fd = -1, .events = 0, .revents = 0};

pollfd to_poll(const core::AsyncConnection* channel) {
  if (channel == nullptr || channel->broken()) return nothing;
  return {.fd = channel->descriptor(), .events = channel->wants(), .revents = 0};
}

}  // namespace

std::shared_ptr<Inbox> Inbox::of(const core::Address& server) {
  static std::mutex mutex;
  static std::map<core::Address, std::weak_ptr<Inbox>> all;
  const std::lock_guard guard(mutex);
  auto& known = all[server];
  auto inbox = known.lock();
  if (!inbox) {
    inbox = std::make_shared<Inbox>(server);
    known = inbox;
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
  }
  return inbox;
}

Inbox::~Inbox() {
  thread_.request_stop();
  look_again_.wake();
}

void Inbox::wait(Place& place, std::uint64_t heard, std::chrono::microseconds time,
                 const std::stop_token& stop) {
  std::call_once(opened_, [this] {
    thread_ = std::jthread([this](const std::stop_token& closing) { run(closing); });
  });
  const auto until =
      Clock::now() + std::min<std::chrono::microseconds>(time, std::chrono::hours(1));
  if (place.lease() < shortest_lease_.load()) shortest_lease_ = place.lease();
  bool has_read = false;
  while (place.called() <= heard && Clock::now() < until && !stop.stop_requested()) {
    place.lie_down();  // who reads may stop at any moment, and wakes somebody then
    const std::unique_lock reading(reading_, std::try_to_lock);
    has_read = reading.owns_lock();
    if (!has_read) {
      place.sleep(heard, until, stop);
    } else {
      place.wake_up();
      read(place, heard, until, stop);
    }
  }
  if (has_read) places_.wake_up_one();  // somebody else reads
}

void Inbox::read(Place& place, std::uint64_t heard, Clock::time_point until,
                 const std::stop_token& stop) {
  const std::stop_callback ends(stop, [this] { stopped_.wake(); });
  for (;;) {
    keep_up();
    hear();
    beat();
    if (place.called() > heard || Clock::now() >= until || stop.stop_requested()) break;
    Sources sources{stopped_.to_poll(), to_poll(line_.get()), to_poll(mouth_.get())};
    const auto next = line_ ? next_beat() : connect_at_;
    poll(sources.data(), sources.size(), milliseconds_until(std::min(until, next)));
    stopped_.clear();
  }
}

void Inbox::keep_up() {
  if (line_ || Clock::now() < connect_at_) return;
  line_ = std::make_unique<core::AsyncConnection>(server_);
  line_->send(std::array<std::string_view, 2>{"SUBSCRIBE", channel_});
  pinged_ = Clock::now();  // an answer to this does as well as a PONG
  awaits_pong_ = true;
}

void Inbox::hang_up() {
  line_.reset();
  look_again_.wake();  // or the thread would go on listening to it, which keeps it open besides
  told_ = false;
  awaits_pong_ = false;
  since_ = Clock::time_point::min();
  connect_at_ = Clock::now() + core::reconnect_pause;
}

Clock::time_point Inbox::next_beat() const {
  if (awaits_pong_) return pinged_ + longest_silence;
  // A tenth of its lease is the most that one who is handed the lock loses by not knowing when.
  const auto period =
      std::clamp(shortest_lease_.load() / 10, milliseconds(10), milliseconds(1'000));
  return pinged_ + period;
}

void Inbox::beat() {
  const auto now = Clock::now();
  if (!line_ || now < next_beat()) return;
  if (awaits_pong_) return hang_up();
  pinged_ = now;
  awaits_pong_ = true;
  line_->send(std::array<std::string_view, 1>{"PING"});
  line_->flush();
}

bool Inbox::hear() {
  bool heard = false;
  for (auto* channel : {line_.get(), mouth_.get()}) {
    if (channel != nullptr) channel->advance();
  }
  while (mouth_ && mouth_->next()) {
  }
  while (const auto said = line_ ? line_->next() : std::nullopt) {
    heard = true;
    if (said->text(0) == "pong") {
      awaits_pong_ = false;
      since_ = pinged_;
    } else if (said->text(0) == "message") {
      hand_over(said->text(2));
    } else if (said->text(0) == "subscribe") {
      told_ = true;  // until now whoever hands the lock on passed us over
      awaits_pong_ = false;
      places_.call_all();
    } else {  // an error: it is refused, and asked for again
      hang_up();
    }
  }
  if (line_ && line_->broken()) hang_up();
  return heard;
}

void Inbox::hand_over(std::string_view message) {
  // As queue.lua writes it: token, participant and key, with spaces between them.
  const auto first = message.find(' ');
  const auto second = message.find(' ', first + 1);
  if (second == std::string_view::npos) return;
  const auto token = message.substr(0, first);
  if (const auto place = places_.find(token)) return place->hand_over(since_);
  const auto words = Queue::passing_on(message.substr(second + 1), token,
                                       message.substr(first + 1, second - first - 1));
  if (!mouth_ || mouth_->broken()) mouth_ = std::make_unique<core::AsyncConnection>(server_);
  mouth_->send(std::vector<std::string_view>(words.begin(), words.end()));
  look_again_.wake();  // who reads may leave before it is sent
}

void Inbox::run(const std::stop_token& stop) {
  Sources sources{look_again_.to_poll(), nothing, nothing};
  int limit = 0;
  while (!stop.stop_requested()) {
    poll(sources.data(), sources.size(), limit);
    look_again_.clear();
    std::unique_lock reading(reading_, std::try_to_lock);
    if (reading) keep_up();
    const bool heard = reading && hear();
    const bool is_mine = reading.owns_lock();
    if (!is_mine || (!heard && limit < 0)) {  // those who wait have read it: leave it to them
      sources = {look_again_.to_poll(), nothing, nothing};
      limit = static_cast<int>(standing_back.count());
    } else {
      sources = {look_again_.to_poll(), to_poll(line_.get()), to_poll(mouth_.get())};
      limit = line_ ? -1 : static_cast<int>(core::reconnect_pause.count());
    }
    if (is_mine) {
      reading.unlock();
      places_.wake_up_one();
    }
  }
}

}  // namespace stage6
