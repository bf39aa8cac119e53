#include "faults/client/session.h"

#include <fmt/format.h>

#include <stdexcept>

#include "core/error.h"
#include "core/per_thread.h"
#include "core/waiting.h"

namespace client {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// A scenario may delay the storage's replies for as long as it lasts, and so may a stalled machine.
// (The kit limits how long it waits for a client's answer.)
constexpr core::Timeouts patient{.connect = milliseconds(60'000), .command = milliseconds(600'000)};

// Ends a critical section early: after a request to stop, or to fail.
class Abandoned : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

core::Waiting waiting_of(const core::Lock& lock, const json& request) {
  const auto wait = milliseconds(request.value("wait_ms", 0));
  auto waiting = lock.usual_waiting();
  if (request.contains("tries")) waiting = waiting.tries(request["tries"].get<int>());
  if (wait > milliseconds::zero()) return waiting.at_most(wait);
  return request.contains("tries") ? waiting : core::Waiting::none();
}

int thread_of(const json& request) {
  return request.value("thread", 1);
}

std::string key_of(const json& request) {
  return request.at("key").get<std::string>();
}

}  // namespace

Session::Session(Identity identity, MakeQuorumLock make_lock, Settings settings,
                 std::function<void(json)> notify)
    : identity_(std::move(identity)),
      make_lock_(std::move(make_lock)),
      settings_(std::move(settings)),
      notify_(std::move(notify)),
      storage_(settings_.storage, patient) {}

json Session::answer(const json& request, const std::stop_token& stop) {
  json answer;
  threads_.run_on(thread_of(request), [&] { answer = answer_here(request, stop); });
  return answer;
}

void Session::release_all() noexcept {
  while (!holds_.empty()) {
    const auto thread = holds_.begin()->first.first;
    threads_.run_on(thread, [this] { holds_.erase(holds_.begin()); });  // a lock knows its threads
  }
}

json Session::answer_here(const json& request, const std::stop_token& stop) {
  const auto operation = request.at("op").get<std::string>();
  if (operation == "hello") return hello();
  if (operation == "acquire") return acquire(request, stop);
  if (operation == "release") return release(request);
  if (operation == "repeat") return repeat(request, stop);
  if (operation == "held") return held(request);
  if (operation == "let_go") return destroy_locks(request);
  if (operation == "work") return work(request, stop);
  throw std::invalid_argument(fmt::format("unknown operation \"{}\"", operation));
}

json Session::hello() const {
  json hello{{"name", identity_.stage}, {"version", 1}, {"capabilities", identity_.capabilities}};
  if (!identity_.library.empty()) hello["library"] = identity_.library;
  return hello;
}

json Session::acquire(const json& request, const std::stop_token& stop) {
  const auto key = key_of(request);
  const ThreadAndKey place{thread_of(request), key};
  auto& lock = lock_on(key, lease_request(request));
  const auto outcome = request.contains("join") ? lock.join(request["join"].get<std::string>())
                                                : lock.acquire(waiting_of(lock, request), stop);
  json answer{{"outcome", core::to_string(outcome)}};
  if (outcome != core::Acquire::acquired) return answer;
  holds_[place].emplace_back(lock, std::adopt_lock);
  on_loss_[place] = std::make_unique<OnLoss>(lock.lost(), [this, key] {
    notify_({{"event", "lost"}, {"key", key}});
  });
  answer["thread"] = core::this_thread_number();
  if (const auto left = lock.remaining()) answer["remaining_ms"] = left->count();
  if (const auto token = lock.hold_token()) answer["token"] = *token;
  if (const auto token = lock.fencing_token()) answer["fencing_token"] = *token;
  return answer;
}

json Session::release(const json& request) {
  const auto key = key_of(request);
  const ThreadAndKey place{thread_of(request), key};
  const auto held = holds_.find(place);
  // Without a hold the lock is asked all the same: a program with a bug calls unlock then, too.
  auto& lock =
      held == holds_.end() ? lock_on(key, lease_request(request)) : *held->second.back().mutex();
  const auto outcome = lock.release();
  if (held != holds_.end() && outcome != core::Release::unknown) {
    take_hold(held).release();  // the lock is already released: the guard must not do it again
  }
  const auto other_word = identity_.release_says.find(outcome);
  json answer{{"outcome", core::to_string(outcome)}};
  if (other_word != identity_.release_says.end()) answer["outcome"] = other_word->second;
  if (holds_.contains(place)) return answer;
  // Without a hold a lock has no fencing token. Asking shows a lock that has one, or that crashes.
  if (const auto token = lock.fencing_token()) answer["fencing_token"] = *token;
  return answer;
}

json Session::repeat(const json& request, const std::stop_token& stop) {
  auto& lock = lock_on(key_of(request), lease_request(request));
  const auto waiting = waiting_of(lock, request);
  const auto end = std::chrono::steady_clock::now() + milliseconds(request.at("for_ms").get<int>());
  int pairs = 0;
  while (!stop.stop_requested() && std::chrono::steady_clock::now() < end) {
    const auto acquired = lock.acquire(waiting, stop);
    if (acquired == core::Acquire::contended) continue;
    if (acquired != core::Acquire::acquired) {
      throw std::runtime_error(fmt::format("after {} pairs: {}", pairs, core::to_string(acquired)));
    }
    const auto released = lock.release();
    if (released != core::Release::released) {
      throw std::runtime_error(fmt::format("after {} pairs: {}", pairs, core::to_string(released)));
    }
    ++pairs;
  }
  return {{"outcome", "done"}, {"pairs", pairs}};
}

json Session::held(const json& request) const {
  return {{"held", holds_.contains({thread_of(request), key_of(request)})}};
}

json Session::destroy_locks(const json& request) {
  const auto key = key_of(request);
  std::erase_if(on_loss_, [&](const auto& told) { return told.first.second == key; });
  for (auto& [place, guards] : holds_) {
    for (auto& guard : guards) {
      if (place.second == key) guard.release();
    }
  }
  std::erase_if(holds_, [&](const auto& held) { return held.first.second == key; });
  std::erase_if(locks_, [&](const auto& lock) { return lock.first.first == key; });
  return {{"outcome", "let go"}};
}

json Session::work(const json& request, const std::stop_token& stop) {
  const ThreadAndKey place{thread_of(request), key_of(request)};
  const auto held = holds_.find(place);
  if (held == holds_.end()) throw std::logic_error("work needs the lock: acquire it first");
  // The guard lives in the scope of the work: an exception that leaves the scope releases the lock.
  try {
    auto guard = take_hold(held);
    change_account(*guard.mutex(), request, stop);
    holds_[place].push_back(std::move(guard));
  } catch (const Abandoned& reason) {
    return {{"outcome", "abandoned"}, {"why", reason.what()}};
  }
  return {{"outcome", "done"}};
}

Session::Guard Session::take_hold(Holds::iterator held) {
  auto guard = std::move(held->second.back());
  held->second.pop_back();
  if (held->second.empty()) holds_.erase(held);
  return guard;
}

void Session::change_account(const core::Lock& lock, const json& request,
                             const std::stop_token& stop) {
  const auto account = request.value("account", std::string("account"));
  const auto token = lock.fencing_token();
  const auto read = ask_storage({"READ", account, settings_.name}, token);
  if (request.value("throws", false)) throw Abandoned("an exception left the critical section");
  const auto think = milliseconds(request.value("think_ms", 0));
  if (think > milliseconds::zero()) core::pause_for(think, stop);
  if (stop.stop_requested()) throw Abandoned("told to stop");
  // 0 means lost. No value means that the lock cannot tell, and the client continues.
  if (lock.remaining() == milliseconds(0)) throw Abandoned("the lock is lost");
  (void)ask_storage({"BEGIN", account, settings_.name}, token);
  const auto value = std::to_string(read.integer() + request.value("amount", 1));
  (void)ask_storage({"WRITE", account, settings_.name, value}, token);
}

core::Reply Session::ask_storage(std::vector<std::string> words,
                                 std::optional<std::uint64_t> token) {
  if (token) words.push_back(std::to_string(*token));
  const std::vector<std::string_view> views(words.begin(), words.end());
  try {
    return storage_.command(views);
  } catch (const core::ErrorReply& reply) {
    const std::string_view sentence = reply.what();
    if (sentence.find("FENCED") == std::string_view::npos) throw;
    throw Abandoned("the storage refused it: the lock was lost, and taken since");
  }
}

core::Lock& Session::lock_on(const std::string& key, const LeaseRequest& lease) {
  auto& lock = locks_[{key, lease}];
  if (!lock) lock = make_lock_(settings_.nodes, settings_.timeout, key, lease);
  return *lock;
}

LeaseRequest Session::lease_request(const json& request) const {
  if (request.contains("lease_ms") && !request["lease_ms"].is_null()) {
    return {.lease = milliseconds(request["lease_ms"].get<long>())};
  }
  return {.lease = settings_.lease, .renewed = true, .max_hold = settings_.max_hold};
}

}  // namespace client
