#include "faults/kit/client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/posix/stream_descriptor.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/write.hpp>
#include <fstream>

#include "faults/kit/errors.h"

namespace faults {

using asio::awaitable;
using asio::use_awaitable;
using nlohmann::json;
using std::chrono::milliseconds;

class PendingState {
 public:
  void answer(json value) {
    {
      const std::lock_guard guard(mutex_);
      value_ = std::move(value);
      came_ = std::chrono::steady_clock::now();
    }
    done.happen();
  }
  // For how long it has been there.
  [[nodiscard]] milliseconds age() const {
    const std::lock_guard guard(mutex_);
    return std::chrono::floor<milliseconds>(std::chrono::steady_clock::now() - came_);
  }
  [[nodiscard]] json value() const {
    const std::lock_guard guard(mutex_);
    return value_;
  }

  // Ends the wait for it in vain. What that means depends on whose lock it is.
  [[noreturn]] void fail(const std::string& sentence) const {
    if (is_verdict) throw Misbehaved(sentence);
    throw ClientFailed(sentence);
  }

  std::string what;  // for people, such as "A's answer to acquire"
  int id = 0;
  bool is_verdict = false;
  // The last line that the client printed since it was asked; nothing if there is none.
  std::function<std::optional<std::string>()> last_line;
  Once done;

 private:
  mutable std::mutex mutex_;
  json value_;                                  // guarded by mutex_
  std::chrono::steady_clock::time_point came_;  // guarded by mutex_
};

// The client's standard input and output; lives on the loop.
class ClientVoice {
 public:
  ClientVoice(Loop& loop, Process& process, History& history, std::string name)
      : history_(history),
        name_(std::move(name)),
        input_(loop.context(), process.input().release()),
        output_(loop.context(), process.output().release()) {}

  static awaitable<void> listen(std::shared_ptr<ClientVoice> voice) {
    std::string text;
    std::array<char, 4096> bytes{};
    try {
      for (;;) {
        const auto count =
            co_await voice->output_.async_read_some(asio::buffer(bytes), use_awaitable);
        text.append(bytes.data(), count);
        for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
          voice->take(text.substr(0, end));
          text.erase(0, end + 1);
        }
      }
    } catch (const std::system_error&) {  // the process has ended
      voice->closed_ = true;
      for (auto& [id, pending] : std::exchange(voice->pending_, {})) {
        pending->answer({{"outcome", "died"}});
      }
    }
  }

  void ask(const json& request, const std::shared_ptr<PendingState>& pending) {
    if (closed_) return pending->answer({{"outcome", "died"}});
    pending_[request["id"].get<int>()] = pending;
    const auto line = request.dump() + "\n";
    asio::error_code gone;  // then `listen` notices too
    asio::write(input_, asio::buffer(line), gone);
  }

  void write_line(const std::string& line) {
    asio::error_code gone;
    asio::write(input_, asio::buffer(line + "\n"), gone);
  }

  [[nodiscard]] std::string last_line() const {
    const std::lock_guard guard(mutex_);
    return last_line_;
  }
  [[nodiscard]] std::size_t lines() const {
    const std::lock_guard guard(mutex_);
    return lines_;
  }

  void close() {
    asio::error_code ignored;
    input_.close(ignored);
    output_.close(ignored);
  }

 private:
  void take(const std::string& line) {
    {
      const std::lock_guard guard(mutex_);
      last_line_ = line;
      ++lines_;
    }
    const auto object = json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!object.is_object()) return;
    if (object.contains("event")) history_.add(name_, Kind::told, object);
    if (!object.contains("id") || !object["id"].is_number()) return;
    const auto found = pending_.find(object["id"].get<int>());
    if (found == pending_.end()) return;
    auto pending = found->second;
    pending_.erase(found);
    pending->answer(object);
  }

  History& history_;
  const std::string name_;
  asio::posix::stream_descriptor input_;
  asio::posix::stream_descriptor output_;
  std::map<int, std::shared_ptr<PendingState>> pending_;
  bool closed_ = false;
  mutable std::mutex mutex_;
  std::string last_line_;  // guarded by mutex_
  std::size_t lines_ = 0;  // guarded by mutex_
};

namespace {

// The last line of a client that did not answer, and what is wrong with it.
std::string said_last(const PendingState& state) {
  const auto said = state.last_line ? state.last_line() : std::nullopt;
  if (!said) return {};
  auto line = *said;
  if (line.empty()) return "; it has printed nothing";
  const auto object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  constexpr std::size_t longest = 120;
  if (line.size() > longest) line = line.substr(0, longest) + "…";
  if (!object.is_object())
    return fmt::format("; it printed a line that is no JSON object: {}", line);
  if (object.contains("id") && object["id"] != state.id) {
    return fmt::format("; it was asked with the id {}, and printed last: {}", state.id, line);
  }
  return fmt::format("; it printed last: {}", line);
}

}  // namespace

std::string Pending::wait(milliseconds limit) {
  // In small steps: a machine that stands still meanwhile uses up one of them, and not the limit.
  constexpr milliseconds step{100};
  for (milliseconds waited{0}; waited < limit; waited += step) {
    if (state_->done.wait(std::min(step, limit - waited))) break;
    const auto sent = commands_.sent();
    if (sent <= commands_.most) continue;
    state_->fail(fmt::format("waited for {}, and it sent {} commands instead", state_->what, sent));
  }
  if (!state_->done.happened()) {
    state_->fail(fmt::format("waited {} ms for {}, and it never came{}", limit.count(),
                             state_->what, said_last(*state_)));
  }
  auto answer = state_->value();
  // The scenario did something else meanwhile: the answer itself did not take so long.
  constexpr milliseconds long_enough{20};
  if (const auto age = state_->age(); age >= long_enough) answer["lay_ms"] = age.count();
  if (const auto error = answer.find("error"); error != answer.end()) {
    const auto sentence = error->is_string() ? error->get<std::string>() : error->dump();
    if (!may_fail_) throw ClientFailed(fmt::format("{} was an error: {}", state_->what, sentence));
    heard_({{"outcome", "error"}, {"error", sentence}});
    return "error";
  }
  const auto outcome = answer.value("outcome", json(""));
  if (!outcome.is_string()) {
    throw ClientFailed(fmt::format("{} was {}: an outcome is a word", state_->what, answer.dump()));
  }
  heard_(answer);
  return outcome;
}

bool Pending::answered() const {
  return state_->done.happened();
}

namespace {

// The line of a client's log that says why it ended when it should not have: the last that names an
// error, else the first. What an interpreter adds to it is indented.
std::string last_words(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string first;
  std::string error;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.front() == ' ') continue;
    if (first.empty()) first = line;
    const bool names_one = line.find("rror") != line.npos || line.find("xception") != line.npos;
    if (names_one) error = line;
  }
  if (first.empty()) return "it said nothing";
  return error.empty() ? first : error;
}

using Links = std::vector<std::unique_ptr<Link>>;

Links links_to(Loop& loop, History& history, const ClientPlan& plan,
               const std::vector<LockNode>& nodes) {
  Links links;
  for (const auto& node : nodes) {
    links.push_back(std::make_unique<Link>(loop, history, plan.name, node.name, node.address));
    if (node.is_dead) links.back()->shut();
  }
  return links;
}

Links links_to_asked(Loop& loop, History& history, const ClientPlan& plan) {
  Links links;
  if (!plan.search) return links;
  for (const auto& asked : plan.search->asked) {
    links.push_back(
        std::make_unique<Link>(loop, history, plan.name, "sentinel", asked, Link::Notes::none));
  }
  return links;
}

}  // namespace

Client::Client(Loop& loop, History& history, Reaper& reaper, ClientPlan plan)
    : loop_(loop),
      history_(history),
      plan_(std::move(plan)),
      lock_links_(links_to(loop, history, plan_, plan_.nodes)),
      other_links_(links_to(loop, history, plan_,
                            plan_.search ? plan_.search->others : std::vector<LockNode>{})),
      asked_links_(links_to_asked(loop, history, plan_)),
      storage_link_(loop, history, plan_.name, "storage", plan_.storage),
      process_(command(), reaper),
      voice_(std::make_shared<ClientVoice>(loop, process_, history, plan_.name)) {
  co_spawn(loop.context(), ClientVoice::listen(voice_), asio::detached);
  translate_ports();
  get_ready();
}

Client::~Client() {
  loop_.call([this] { voice_->close(); });
}

Command Client::command() const {
  auto environment = plan_.environment;
  environment["LOCK_CLIENT"] = plan_.name;
  std::vector<std::string> nodes;
  for (const auto& link : lock_links_) nodes.push_back(link->address().text());
  if (plan_.search) nodes.front() = first_address();
  environment["LOCK_NODES"] = fmt::format("{}", fmt::join(nodes, ","));
  environment["LOCK_STORAGE"] = storage_link_.address().text();
  return {.program = plan_.command.at(0),
          .arguments = plan_.command,
          .environment = environment,
          .log = plan_.log};
}

std::string Client::first_address() const {
  std::vector<std::string> hosts;
  for (const auto& link : asked_links_) hosts.push_back(link->address().text());
  if (hosts.empty()) {
    hosts.push_back(lock_links_.front()->address().text());
    for (const auto& link : other_links_) hosts.push_back(link->address().text());
  }
  return fmt::format("{}://{}{}", plan_.search->scheme, fmt::join(hosts, ","), plan_.search->path);
}

void Client::translate_ports() {
  if (!plan_.search) return;
  const auto& others = plan_.search->others;
  std::map<int, int> ports{{plan_.nodes.front().announced, lock_links_.front()->address().port}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    ports[others[i].announced] = other_links_[i]->address().port;
  }
  lock_links_.front()->translate(ports);
  for (const auto* links : {&other_links_, &asked_links_}) {
    for (const auto& link : *links) link->translate(ports);
  }
}

void Client::write_line(const std::string& line) {
  loop_.call([&] { voice_->write_line(line); });
}

std::string Client::last_line() const {
  return voice_->last_line();
}

void Client::get_ready() {
  const json warm_up{{"key", "warm-up"}, {"lease_ms", 60'000}};
  for (const auto* operation : {"hello", "acquire", "release"}) {
    auto request = warm_up;
    request["op"] = operation;
    auto answering = start(request);
    // Before the first answer all that there is to wait for is the machine.
    const bool begins = request["op"] == "hello";
    const auto limit = begins && !plan_.is_foreign ? standstill : milliseconds(answer_limit);
    if (answering.wait(plan_.is_foreign ? start_limit : limit) != "died") continue;
    const auto end = process_.ending(milliseconds(2'000));
    throw ClientFailed(fmt::format("the client {} died at its start, it {}: {}",
                                   plan_.command.at(0), end ? end->text() : "closed its output",
                                   last_words(plan_.log)));
  }
  json ready{{"hello", hello_}};
  const auto lease = plan_.environment.find("LOCK_LEASE_MS");
  if (lease != plan_.environment.end()) ready["lease_ms"] = std::stoll(lease->second);
  history_.add(plan_.name, Kind::ready, ready);
  is_ready_ = true;
}

namespace {

// Only a thread beside the first is named: a client need not know of threads.
json on_thread(int thread, json request) {
  if (thread != 1) request["thread"] = thread;
  return request;
}

}  // namespace

Pending Client::start_acquire(const AcquireRequest& request) {
  json fields{{"op", "acquire"}, {"key", request.key}, {"wait_ms", request.wait.count()}};
  if (request.lease) fields["lease_ms"] = request.lease->count();
  if (!request.join.empty()) fields["join"] = request.join;
  if (request.must_get_in) fields["must_get_in"] = true;
  if (request.must_end_within) fields["must_end_within_ms"] = request.must_end_within->count();
  return start(on_thread(request.thread, std::move(fields)), request.may_fail);
}

Pending Client::start_release(const ReleaseRequest& request) {
  return start(on_thread(request.thread, {{"op", "release"}, {"key", request.key}}),
               request.may_fail);
}

Pending Client::start_work(const WorkRequest& request) {
  return start(
      on_thread(request.thread,
                {{"op", "work"}, {"key", lock_key}, {"amount", 1}, {"throws", request.throws}}));
}

Pending Client::start(json request, bool may_fail) {
  const auto operation = request["op"].get<std::string>();
  const int id = next_id_++;
  request["id"] = id;
  auto state = std::make_shared<PendingState>();
  state->what = fmt::format("{}'s answer to {}", plan_.name, operation);
  state->id = id;
  state->is_verdict = plan_.is_foreign && is_ready_;
  state->last_line = [voice = voice_, before = voice_->lines()]() -> std::optional<std::string> {
    const bool has_printed_before = before > 0;
    if (has_printed_before && voice->lines() == before) return std::nullopt;
    return voice->last_line();
  };
  history_.add(plan_.name, Kind::call, request);
  const auto before = count_commands();
  loop_.call([&] { voice_->ask(request, state); });
  // A client that waits may ask as often as a server answers.
  constexpr std::size_t most_of_a_try = 5'000;
  constexpr std::size_t most_in_a_millisecond = 20;
  const auto wait = static_cast<std::size_t>(request.value("wait_ms", 0LL));
  Pending::CommandLimit commands{.most = most_of_a_try + most_in_a_millisecond * wait,
                                 .sent = [this, before] { return count_commands() - before; }};
  const auto limit = answer_limit + milliseconds(wait);
  return {state, may_fail, limit, std::move(commands),
          [this, operation, id, key = request.value("key", std::string())](const json& answer) {
            if (plan_.catch_up) plan_.catch_up();
            auto data = answer;
            data["op"] = operation;
            data["id"] = id;
            if (!key.empty()) data["key"] = key;
            if (operation == "acquire") last_acquire_ = data;
            if (operation == "hello") hello_ = answer;
            history_.add(plan_.name, Kind::answer, data);
            if (answer.value("outcome", json()) == "died") note_death(operation);
          }};
}

void Client::note_death(const std::string& operation) {
  if (!plan_.is_foreign || !is_ready_ || over_) return;
  const auto end = process_.ending(milliseconds(2'000));
  throw Misbehaved(fmt::format("{}'s program died in its {}: it {}: {}", plan_.name, operation,
                               end ? end->text() : "closed its output", last_words(plan_.log)));
}

std::size_t Client::count_commands() const {
  std::size_t count = 0;
  for (const auto& link : lock_links_) count += link->count_commands();
  return count;
}

void Client::cut_off(Direction direction) {
  for (const auto& link : lock_links_) link->cut_off(direction);
}

// A fault stands in the history only if it is seen to have happened.
void Client::freeze() {
  process_.freeze();
  if (!process_.frozen()) throw NotExercised(plan_.name + " was to be frozen, and still runs");
  history_.add(plan_.name, Kind::fault, {{"what", fault::frozen}});
}

void Client::thaw() {
  if (!process_.frozen()) throw NotExercised(plan_.name + " was to be frozen, and went on");
  history_.add(plan_.name, Kind::fault, {{"what", fault::thawed}});
  process_.thaw();
}

void Client::kill() {
  over_ = killed_ = true;
  process_.kill();
  if (process_.running()) throw NotExercised(plan_.name + " was to be killed, and still runs");
  history_.add(plan_.name, Kind::fault, {{"what", fault::killed}});
}

void Client::terminate() {
  over_ = true;
  history_.add(plan_.name, Kind::fault, {{"what", fault::terminated}});
  process_.terminate();
}

void Client::await_end(milliseconds limit) {
  const auto end = ending(limit);
  if (!end) {
    const auto sentence =
        fmt::format("waited {} s for {} to end after SIGTERM",
                    std::chrono::ceil<std::chrono::seconds>(limit).count(), plan_.name);
    if (plan_.is_foreign) throw Misbehaved(sentence);
    throw ClientFailed(sentence);
  }
  if (plan_.catch_up) plan_.catch_up();
  history_.add(plan_.name, Kind::fault, {{"what", fault::ended}, {"how", end->text()}});
}

std::optional<Ending> Client::ending(milliseconds limit) {
  constexpr milliseconds step{100};
  const auto long_in_coming = limit / 6;  // ten seconds, as a rule
  bool said = false;
  for (milliseconds waited{0}; waited < limit;) {
    const auto some = std::min(step, limit - waited);
    if (auto end = process_.ending(some)) return end;
    if (plan_.goes_on && !plan_.goes_on()) continue;
    waited += some;
    if (said || !plan_.say || waited < long_in_coming) continue;
    said = true;
    plan_.say(fmt::format("client {} has not ended: it is waited for {} s at most", plan_.name,
                          std::chrono::ceil<std::chrono::seconds>(limit).count()));
  }
  return std::nullopt;
}

void Client::say_bye(milliseconds limit) {
  if (killed_ && process_.running()) {
    throw NotExercised(plan_.name + " was to be killed, and still runs");
  }
  if (over_) return;
  over_ = true;
  auto goodbye = start({{"op", "bye"}});
  (void)goodbye.wait();
  const auto end = ending(limit);
  if (!end) {
    const auto sentence =
        fmt::format("client {} did not end: {} s after it said goodbye its process still runs",
                    plan_.name, std::chrono::ceil<std::chrono::seconds>(limit).count());
    if (plan_.is_foreign) throw Misbehaved(sentence);
    throw ClientFailed(sentence);
  }
  if (!end->by_signal && end->number == 0) return;
  const auto how = fmt::format("it {}: {}", end->text(), last_words(plan_.log));
  if (plan_.is_foreign) throw Misbehaved(fmt::format("{}'s program died: {}", plan_.name, how));
  throw ClientFailed(fmt::format("client {} did not end well, {}", plan_.name, how));
}

}  // namespace faults
