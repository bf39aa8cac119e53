#include "faults/kit/client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <thread>

#include "faults/kit/command_names.h"
#include "faults/kit/errors.h"

namespace faults {

using nlohmann::json;
using std::chrono::milliseconds;

namespace {

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

Pending::Pending(Client& client, json request, bool may_fail)
    : client_(&client),
      request_(std::move(request)),
      may_fail_(may_fail),
      what_(fmt::format("{}'s answer to {}", client.name(), request_["op"].get<std::string>())),
      sent_before_(client.count_key_commands()),
      lines_before_(client.pipes_->lines()) {
  client.history_.add(client.name(), Kind::call, request_);
  answer_ = client.loop_.call([&] { return client.pipes_->ask(request_); });
}

bool Pending::answered() const {
  return answer_.wait_for(milliseconds(0)) == std::future_status::ready;
}

bool Pending::gave_up() const {
  if (!answered()) return false;
  const auto outcome = answer_.get().object.value("outcome", "");
  return outcome == "contended" || outcome == "not_acquired";
}

std::string Pending::wait() {
  // A judge has to see by how much it missed its limit.
  const auto asked =
      std::max(request_.value("wait_ms", 0LL), request_.value("must_end_within_ms", 0LL));
  return wait(client_->plan_.patience * answer_limit + milliseconds(asked));
}

std::string Pending::wait(milliseconds limit) {
  await_answer(limit);
  auto [answer, came_at] = answer_.get();
  if (const auto error = error_in(answer)) {
    if (!may_fail_) throw ClientFailed(fmt::format("{} was an error: {}", what_, *error));
    client_->take(request_, {{"outcome", "error"}, {"error", *error}});
    return "error";
  }
  const auto outcome = outcome_in(answer, what_);
  // The scenario did something else meanwhile: the answer itself did not take so long.
  constexpr milliseconds long_enough{20};
  const auto age = std::chrono::floor<milliseconds>(std::chrono::steady_clock::now() - came_at);
  if (age >= long_enough) answer["lay_ms"] = age.count();
  client_->take(request_, answer);
  return outcome;
}

void Pending::must_not_ask_on(milliseconds waited) const {
  // A client that waits may ask as often as a server answers.
  constexpr std::size_t most_of_a_try = 5'000;
  constexpr std::size_t most_in_a_millisecond = 20;
  // A try needs a command or two, and as many again to take back what it may have got.
  constexpr std::size_t most_for_each_server = 6;
  constexpr milliseconds long_for_a_try{3'000};
  const auto wait = request_.value("wait_ms", std::size_t{0});
  const auto sent = client_->count_key_commands() - sent_before_;
  const bool is_a_try = client_->plan_.only_tries && request_["op"] == "acquire" && wait == 0;
  const bool asks_on =
      waited >= long_for_a_try && sent > most_for_each_server * client_->lock_links();
  if (is_a_try && asks_on && client_->all_answered()) {
    client_->fail(
        fmt::format("{}'s acquire waits by itself: it asked {} times within {} s, and was "
                    "to try once, and say so",
                    client_->name(), sent, waited.count() / 1000));
  }
  if (sent <= most_of_a_try + most_in_a_millisecond * wait) return;
  client_->fail(fmt::format("waited for {}, and it sent {} commands instead", what_, sent));
}

void Pending::await_answer(milliseconds limit) const {
  // In small steps: a stall of the machine uses up one of them, and not the limit.
  constexpr milliseconds step{100};
  for (milliseconds waited{0}; waited < limit; waited += step) {
    const auto some = std::min(step, limit - waited);
    if (answer_.wait_for(some) == std::future_status::ready) return;
    must_not_ask_on(waited + some);
  }
  if (answered()) return;
  client_->fail(fmt::format("waited {} ms for {}, and it never came{}", limit.count(), what_,
                            describe_last_line()));
}

std::string Pending::describe_last_line() const {
  const auto& pipes = *client_->pipes_;
  if (lines_before_ > 0 && pipes.lines() == lines_before_) return {};
  auto line = pipes.last_line();
  if (line.empty()) return "; it has printed nothing";
  const auto object = json::parse(line, nullptr, /*allow_exceptions=*/false);
  constexpr std::size_t longest = 120;
  if (line.size() > longest) line = line.substr(0, longest) + "…";
  if (!object.is_object()) {
    return fmt::format("; it printed a line that is no JSON object: {}", line);
  }
  if (object.contains("id") && object["id"] != request_["id"]) {
    return fmt::format("; it was asked with the id {}, and printed last: {}", request_["id"].dump(),
                       line);
  }
  return fmt::format("; it printed last: {}", line);
}

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
      pipes_(std::make_shared<ClientPipes>(loop, process_, history, plan_.name)) {
  co_spawn(loop.context(), ClientPipes::listen(pipes_), asio::detached);
  translate_ports();
  get_ready();
}

Client::~Client() {
  loop_.call([this] { pipes_->close(); });
}

Command Client::command() const {
  std::vector<std::string> nodes;
  for (const auto& link : lock_links_) nodes.push_back(link->address().text());
  if (plan_.search) nodes.front() = first_address();
  auto environment = client_environment(plan_.name, nodes, storage_link_.address().text());
  environment.insert(plan_.environment.begin(), plan_.environment.end());
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
  ToldPorts ports{{plan_.nodes.front().announced, lock_links_.front()->address().port}};
  for (std::size_t i = 0; i < others.size(); ++i) {
    ports[others[i].announced] = other_links_[i]->address().port;
  }
  for (std::size_t i = 0; i < asked_links_.size(); ++i) {  // they name each other, too
    ports[plan_.search->asked[i].port] = asked_links_[i]->address().port;
  }
  lock_links_.front()->translate(ports);
  for (const auto* links : {&other_links_, &asked_links_}) {
    for (const auto& link : *links) link->translate(ports);
  }
}

void Client::write_line(const std::string& line) {
  loop_.call([&] { pipes_->write_line(line); });
}

std::string Client::last_line() const {
  return pipes_->last_line();
}

void Client::get_ready() {
  for (const auto& request : warm_up_requests()) (void)ask_to_get_ready(request);
  if (plan_.first_renewal_limit.count() > 0) renew_once();
  json ready{{"hello", hello_}};
  const auto lease = plan_.environment.find("LOCK_LEASE_MS");
  if (lease != plan_.environment.end()) ready["lease_ms"] = std::stoll(lease->second);
  history_.add(plan_.name, Kind::ready, ready);
  is_ready_ = true;
}

std::string Client::ask_to_get_ready(json request) {
  // Before the first answer all that there is to wait for is the machine.
  const bool begins = request["op"] == "hello";
  const auto limit = begins && !plan_.is_foreign ? standstill : milliseconds(answer_limit);
  auto outcome = start(std::move(request)).wait(plan_.is_foreign ? start_limit : limit);
  if (outcome != "died") return outcome;
  const auto end = process_.ending(milliseconds(2'000));
  throw ClientFailed(fmt::format("the client {} died at its start, it {}: {}", plan_.command.at(0),
                                 end ? end->text() : "closed its output", log_excerpt(plan_.log)));
}

void Client::renew_once() {
  if (ask_to_get_ready({{"op", "acquire"}, {"key", "warm-up"}}) != "acquired") return;
  std::vector<std::size_t> seen;
  for (const auto& link : lock_links_) seen.push_back(link->commands_seen().size());
  const auto deadline = std::chrono::steady_clock::now() + plan_.first_renewal_limit;
  while (!has_renewed_since(seen) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(milliseconds(1));
  }
  (void)ask_to_get_ready({{"op", "release"}, {"key", "warm-up"}});
}

bool Client::has_renewed_since(const std::vector<std::size_t>& seen) const {
  for (std::size_t i = 0; i < lock_links_.size(); ++i) {
    const auto commands = lock_links_[i]->seen();
    const auto first = commands.begin() + static_cast<std::ptrdiff_t>(seen[i]);
    const bool has = std::any_of(first, commands.end(), [](const SeenCommand& command) {
      return command.is_answered && !command.is_refused && may_use_keys(command.name);
    });
    if (!has && !plan_.nodes[i].is_dead) return false;
  }
  return true;
}

Pending Client::start_acquire(const AcquireRequest& request) {
  return start(to_json(request), request.may_fail);
}

Pending Client::start_release(const ReleaseRequest& request) {
  return start(to_json(request), request.may_fail);
}

Pending Client::start_extend(const ExtendRequest& request) {
  return start(to_json(request));
}

Pending Client::start_work(const WorkRequest& request) {
  return start(to_json(request));
}

Pending Client::start(json request, bool may_fail) {
  request["id"] = next_id_++;
  return {*this, std::move(request), may_fail};
}

void Client::take(const json& request, const json& answer) {
  if (plan_.catch_up) plan_.catch_up();
  const auto operation = request["op"].get<std::string>();
  auto data = answer;
  data["op"] = operation;
  data["id"] = request["id"];
  if (const auto key = request.value("key", std::string()); !key.empty()) data["key"] = key;
  if (operation == "acquire") last_acquire_ = data;
  if (operation == "hello") hello_ = answer;
  history_.add(plan_.name, Kind::answer, data);
  if (answer.value("outcome", json()) == "died") note_death(operation);
}

void Client::fail(const std::string& sentence) const {
  if (plan_.is_foreign && is_ready_) throw Misbehaved(sentence);
  throw ClientFailed(sentence);
}

void Client::note_death(const std::string& operation) {
  if (!plan_.is_foreign || !is_ready_ || over_) return;
  const auto end = process_.ending(milliseconds(2'000));
  throw ProgramDied(plan_.name,
                    fmt::format("{}'s program died in its {}: it {}: {}", plan_.name, operation,
                                end ? end->text() : "closed its output", log_excerpt(plan_.log)));
}

void Client::must_not_have_died() {
  if (!plan_.is_foreign || !is_ready_ || over_) return;
  const auto end = process_.ending(milliseconds(0));
  if (!end) return;
  throw ProgramDied(plan_.name, fmt::format("{}'s program died: it {}: {}", plan_.name, end->text(),
                                            log_excerpt(plan_.log)));
}

std::size_t Client::count_commands() const {
  std::size_t count = 0;
  for (const auto& link : lock_links_) count += link->commands_seen().size();
  return count;
}

std::size_t Client::count_answers() const {
  std::size_t count = 0;
  for (const auto& link : lock_links_) {
    const auto seen = link->seen();
    count += static_cast<std::size_t>(std::count_if(
        seen.begin(), seen.end(), [](const SeenCommand& command) { return command.is_answered; }));
  }
  return count;
}

std::size_t Client::count_key_commands() const {
  std::size_t count = 0;
  for (const auto& link : lock_links_) count += link->count_key_commands();
  return count;
}

bool Client::all_answered() const {
  return std::all_of(lock_links_.begin(), lock_links_.end(),
                     [](const auto& link) { return link->all_answered(); });
}

void Client::cut_off(Direction direction) {
  for (const auto& link : lock_links_) link->cut_off(direction);
}

// A fault is recorded in the history only if it is seen to have happened.
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

void Client::interrupt() {
  history_.add(plan_.name, Kind::fault, {{"what", fault::interrupted}});
  (void)start({{"op", "interrupt"}}).wait();
}

void Client::terminate() {
  over_ = true;
  history_.add(plan_.name, Kind::fault, {{"what", fault::terminated}});
  process_.terminate();
}

void Client::await_end(milliseconds limit) {
  const auto end = ending(limit);
  if (!end) {
    fail(fmt::format("waited {} s for {} to end after SIGTERM",
                     std::chrono::ceil<std::chrono::seconds>(limit).count(), plan_.name));
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
    fail(fmt::format("client {} did not end: {} s after it said goodbye its process still runs",
                     plan_.name, std::chrono::ceil<std::chrono::seconds>(limit).count()));
  }
  if (!end->by_signal && end->number == 0) return;
  const auto how = fmt::format("it {}: {}", end->text(), log_excerpt(plan_.log));
  if (plan_.is_foreign) {
    throw ProgramDied(plan_.name, fmt::format("{}'s program died: {}", plan_.name, how));
  }
  throw ClientFailed(fmt::format("client {} did not end well, {}", plan_.name, how));
}

}  // namespace faults
