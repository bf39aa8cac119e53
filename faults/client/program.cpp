#include "faults/client/program.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stop_token>
#include <thread>

#include "faults/client/session.h"
#include "faults/client/settings.h"

namespace client {
namespace {

using nlohmann::json;

// Standard output, one whole line at a time. Thread-safety: safe to share.
class Answers {
 public:
  void write(const json& object) {
    const std::lock_guard guard(mutex_);
    std::cout << object.dump() << std::endl;
  }

 private:
  std::mutex mutex_;
};

// The queue between the thread that reads requests and the thread that serves them.
// Thread-safety: safe to share.
class Requests {
 public:
  void put(json request) {
    const std::lock_guard guard(mutex_);
    queue_.push_back(std::move(request));
    not_empty_.notify_one();
  }

  // The next request, or nothing once `stop` is requested.
  [[nodiscard]] std::optional<json> take(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!not_empty_.wait(lock, stop, [this] { return !queue_.empty(); })) return std::nullopt;
    if (stop.stop_requested()) return std::nullopt;
    auto request = std::move(queue_.front());
    queue_.pop_front();
    return request;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any not_empty_;
  std::deque<json> queue_;  // guarded by mutex_
};

// Reads lines from standard input until it ends, or until SIGTERM.
class Input {
 public:
  Input() {
    sigset_t terminate;
    sigemptyset(&terminate);
    sigaddset(&terminate, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &terminate, nullptr);
    terminated_ = signalfd(-1, &terminate, SFD_CLOEXEC);
  }
  ~Input() { close(terminated_); }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  // The next line, or nothing at the end of the input and on SIGTERM.
  [[nodiscard]] std::optional<std::string> line() {
    for (;;) {
      if (const auto end = text_.find('\n'); end != std::string::npos) {
        auto line = text_.substr(0, end);
        text_.erase(0, end + 1);
        return line;
      }
      if (!read_more()) return std::nullopt;
    }
  }

 private:
  [[nodiscard]] bool read_more() {
    std::array<pollfd, 2> sources{pollfd{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0},
                                  pollfd{.fd = terminated_, .events = POLLIN, .revents = 0}};
    if (poll(sources.data(), sources.size(), -1) < 0) return errno == EINTR;
    if (sources[1].revents != 0) return false;
    std::array<char, 4096> bytes{};
    const auto count = read(STDIN_FILENO, bytes.data(), bytes.size());
    if (count > 0) text_.append(bytes.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
  }

  int terminated_ = -1;
  std::string text_;
};

json answer_to(Session& session, const json& request, const std::stop_token& stop) {
  json answer;
  try {
    answer = session.answer(request, stop);
  } catch (const json::exception&) {
    answer = {{"error", "a field of this request is missing or of the wrong kind"}};
  } catch (const std::exception& error) {
    answer = {{"error", error.what()}};
  }
  answer["id"] = request.value("id", json());
  return answer;
}

// Queues the request in `line`. False if it was the last one.
bool enqueue(const std::string& line, Requests& requests, Answers& answers) {
  auto request = json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!request.is_object() || !request.contains("op")) {
    answers.write({{"error", "a request is one JSON object a line, with an \"op\""}});
    return true;
  }
  const bool last = request["op"] == "bye";
  requests.put(std::move(request));
  return !last;
}

void serve_requests(Session& session, Requests& requests, Answers& answers,
                    const std::stop_token& stop) {
  while (auto request = requests.take(stop)) {
    if ((*request)["op"] == "bye") {
      session.release_all();
      answers.write({{"id", request->value("id", json())}, {"outcome", "bye"}});
      return;
    }
    answers.write(answer_to(session, *request, stop));
  }
  session.release_all();
  answers.write({{"event", "stopped"}});
}

}  // namespace

int serve(const Identity& identity, const MakeLock& make_lock) {
  std::optional<core::Server> server;
  return serve_quorum(
      identity, [&](const std::vector<core::Address>& nodes, std::chrono::milliseconds timeout,
                    std::string key, const LeaseRequest& request) {
        const core::Timeouts timeouts{.connect = timeout, .command = timeout};
        if (!server) server.emplace(nodes.at(0), timeouts);
        return make_lock(*server, std::move(key), request);
      });
}

int serve_quorum(const Identity& identity, const MakeQuorumLock& make_lock) {
  try {
    Input input;  // before any thread, which inherits the blocked signal
    Answers answers;
    Session session(identity, make_lock, settings_from_environment(),
                    [&answers](const json& line) { answers.write(line); });
    Requests requests;
    std::jthread worker(
        [&](const std::stop_token& stop) { serve_requests(session, requests, answers, stop); });
    bool said_bye = false;
    while (auto line = input.line()) {
      if (!enqueue(*line, requests, answers)) {
        said_bye = true;
        break;
      }
    }
    if (!said_bye) worker.request_stop();
    worker.join();
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}

}  // namespace client
