#include "faults/explore/world/explored_client.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "faults/explore/world/unix_socket.h"
#include "faults/judging/sent_command.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using faults::Kind;
using nlohmann::json;

// Longer than any run: a silent server is a fault of its own, which is not asked for here.
constexpr std::chrono::milliseconds patience{600'000};

std::string first_line_of(const std::filesystem::path& log) {
  std::ifstream file(log);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "it said nothing" : line;
}

std::string in_capitals_or_mark(const faults::Message& message) {
  return message.words.empty() ? "?" : faults::in_capitals(message.words.front());
}

}  // namespace

ExploredClient::ExploredClient(std::string name, Surroundings& around)
    : name_(std::move(name)), around_(around) {}

ExploredClient::~ExploredClient() = default;

void ExploredClient::launch() {
  exchanges_.clear();
  listeners_.clear();
  ready_ = ReadySet();
  said_.clear();
  const auto sockets = (around_.directory / (name_ + "-")).native();
  const auto listen = [&] {
    const auto port = listeners_.size() + 1;
    const auto path = fmt::format("{}{}.sock", sockets, port);
    std::filesystem::remove(path);
    listeners_.push_back(listen_at(path));
    return fmt::format("127.0.0.1:{}", port);
  };
  std::vector<std::string> nodes;
  for (std::size_t i = 0; i < around_.servers.size(); ++i) nodes.push_back(listen());
  process_.reset();
  inside_.reset();
  inside_ = std::make_unique<VirtualProcess>(around_.time, Role::client);
  auto environment = inside_->environment();
  environment.insert(around_.environment.begin(), around_.environment.end());
  environment[sockets_variable] = sockets;
  environment["LOCK_CLIENT"] = name_;
  environment["LOCK_NODES"] = fmt::format("{}", fmt::join(nodes, ","));
  environment["LOCK_STORAGE"] = listen();
  environment["LOCK_LEASE_MS"] = std::to_string(around_.lease.count());
  environment["LOCK_TIMEOUT_MS"] = std::to_string(patience.count());
  process_ = around_.program.start(environment, around_.directory / (name_ + ".log"));
  never_block(process_->output());
  ready_.add(process_->output(), this);
  for (auto& listener : listeners_) ready_.add(listener, &listener);
  killed_ = frozen_ = cut_off_ = lost_server_ = false;
}

void ExploredClient::must_live() {
  if (process_->running()) return;
  const auto end = process_->ending(std::chrono::milliseconds(0));
  throw faults::ClientFailed(fmt::format("client {} ended when it should not have, it {}: {}",
                                         name_, end ? end->text() : "is gone",
                                         first_line_of(around_.directory / (name_ + ".log"))));
}

void ExploredClient::must_take_part() const {
  inside_->must_take_part("client " + name_);
  around_.program.takes_part();
}

bool ExploredClient::begin() {
  const bool is_new = !process_ || killed_;
  if (is_new) launch();
  place_ = {};
  done_ = waits_for_answer_ = false;
  follows_program_ = false;
  doing_.clear();
  outcome_.clear();
  return is_new;
}

std::string ExploredClient::state() const {
  if (killed_) return "dead";
  if (!has_begun()) return "has not begun";
  if (done_) return fmt::format("done: {}", outcome_);
  return fmt::format("{}{}in {}", frozen_ ? "frozen " : "", cut_off_ ? "cut off " : "", doing_);
}

bool ExploredClient::has_given_back() const {
  if (!done_ || killed_) return false;
  if (place_.levels() > 0) return false;
  if (doing_ == "acquire") return outcome_ == "contended";
  constexpr std::array<std::string_view, 6> known{"released", "still_held", "expired",
                                                  "stolen",   "not_mine",   "not_held"};
  return doing_ == "release" && std::find(known.begin(), known.end(), outcome_) != known.end();
}

void ExploredClient::start() {
  follows_program_ = true;
  continue_program();
  settle();
}

// Asks for the next operation of its program, if there is one.
void ExploredClient::continue_program() {
  const bool again = doing_ == "release" && outcome_ == "unknown";
  if (again && cut_off_) return;  // to try once more is in vain until it is mended
  const auto operation = place_.next(around_.task, doing_, outcome_);
  if (!operation) {
    done_ = true;
    follows_program_ = false;
    return;
  }
  json request{{"op", *operation}, {"key", around_.journal.key()}};
  if (*operation == "work") request["amount"] = 1;
  if (*operation == "acquire") {
    request["wait_ms"] = (around_.task.wait_in_leases * around_.lease).count();
  }
  ask(std::move(request));
}

void ExploredClient::ask(json request) {
  doing_ = request["op"];
  outcome_.clear();
  request["id"] = ++id_;
  waits_for_answer_ = true;
  asked_ = request;
  auto noted = request;
  if (noted.contains("key") && noted["key"] == around_.journal.key())
    noted["key"] = faults::lock_key;
  call_ = around_.journal.record().size();
  around_.journal.add(name_, Kind::call, std::move(noted));
  if (!send_line(process_->input(), request.dump())) must_live();
  inside_->notice(STDIN_FILENO);
  if (!follows_program_) settle();
}

void ExploredClient::settle() {
  for (;;) {
    if (!inside_->await_rest(*process_, "client " + name_)) must_live();
    const auto asked_before = id_;
    take_what_is_ready();
    if (id_ == asked_before) return;
  }
}

void ExploredClient::take_what_is_ready() {
  const auto is_ready = [this](const void* tag) {
    return std::find(found_.begin(), found_.end(), tag) != found_.end();
  };
  found_ = ready_.ready();
  if (is_ready(this)) take_lines();
  const bool has_connected = std::any_of(listeners_.begin(), listeners_.end(),
                                         [&](const auto& listener) { return is_ready(&listener); });
  if (has_connected) {
    take_connections();
    found_ = ready_.ready();
  }
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    // A client that hangs up takes back what has not been sent.
    const bool has_hung_up = is_ready(&*at) && !take_commands(*at);
    at = has_hung_up ? hang_up_on(at) : std::next(at);
  }
}

void ExploredClient::take_lines() {
  const auto received = receive_all(process_->output());
  if (received.ended) must_live();
  said_ += received.bytes;
  for (auto end = said_.find('\n'); end != std::string::npos; end = said_.find('\n')) {
    const auto line = json::parse(said_.substr(0, end), nullptr, /*allow_exceptions=*/false);
    said_.erase(0, end + 1);
    if (!line.is_object()) continue;
    if (line.contains("event")) {
      auto told = line;
      if (told.value("key", "") == around_.journal.key()) told["key"] = faults::lock_key;
      around_.journal.add(name_, Kind::told, std::move(told));
    }
    if (line.contains("id") && line["id"] == id_ && waits_for_answer_) take_answer(line);
  }
}

void ExploredClient::take_answer(const json& answer) {
  waits_for_answer_ = false;
  if (const auto error = answer.find("error"); error != answer.end() && doing_ != "let_go") {
    throw faults::ClientFailed(
        fmt::format("{}'s answer to {} was an error: {}", name_, doing_, error->dump()));
  }
  const auto outcome = answer.find("outcome");
  outcome_ = outcome != answer.end() && outcome->is_string() ? outcome->get<std::string>() : "";
  auto noted = answer;
  noted["op"] = doing_;
  if (asked_.contains("key")) noted["key"] = around_.journal.in_words(asked_["key"]);
  around_.journal.add(name_, Kind::answer, std::move(noted));
  // The lock was refused to the thread that has it; behind a fault it may no longer have it.
  const bool was_inside = doing_ == "acquire" && place_.levels() > 0;
  if (was_inside && outcome_ == "contended" && !around_.journal.has_fault()) {
    around_.journal.must_have_got_in(call_);
  }
  if (follows_program_) continue_program();
}

void ExploredClient::take_connections() {
  for (std::size_t i = 0; i < listeners_.size(); ++i) {
    while (auto accepted = accept_from(listeners_[i])) {
      const bool is_storage = i + 1 == listeners_.size();
      auto& exchange = exchanges_.emplace_back();
      exchange.server = is_storage ? Exchange::storage : i;
      exchange.client = std::move(accepted->socket);
      exchange.client_descriptor = accepted->descriptor;
      ready_.add(exchange.client, &exchange);
      if (!is_storage) around_.servers[i]->connect(exchange);
    }
  }
}

std::list<Exchange>::iterator ExploredClient::hang_up_on(std::list<Exchange>::iterator exchange) {
  hang_up(exchange->client);
  ready_.remove(exchange->client);
  if (!exchange->is_of_storage()) around_.servers[exchange->server]->disconnect(*exchange);
  return exchanges_.erase(exchange);
}

void ExploredClient::hang_up_on_all() {
  while (!exchanges_.empty()) hang_up_on(exchanges_.begin());
}

bool ExploredClient::take_commands(Exchange& exchange) const {
  const auto received = receive_all(exchange.client);
  exchange.from_client.feed(received.bytes);
  while (auto command = exchange.from_client.next()) {
    exchange.commands.push_back({.message = *command,
                                 .command = in_capitals_or_mark(*command),
                                 .label = label_of(*command, exchange)});
  }
  return !received.ended;
}

std::string ExploredClient::label_of(const faults::Message& command,
                                     const Exchange& exchange) const {
  auto name = in_capitals_or_mark(command);
  if (exchange.is_of_storage()) return name;
  const auto& server = *around_.servers[exchange.server];
  const bool is_script = name == "EVAL" || name == "EVALSHA";
  if (is_script && command.words.size() > 1) name = server.name_of_script(command.words[1]);
  return around_.servers.size() == 1 ? name : fmt::format("{} to {}", name, server.name());
}

void ExploredClient::deliver(Exchange& exchange) {
  const auto answer = std::move(exchange.answers.front());
  exchange.answers.pop_front();
  (void)send_all(exchange.client, answer.message.bytes);
  inside_->notice(exchange.client_descriptor);
  settle();
}

void ExploredClient::lose(Exchange& exchange) {
  const auto descriptor = exchange.client_descriptor;
  hang_up_on(std::find_if(exchanges_.begin(), exchanges_.end(),
                          [&](const Exchange& other) { return &other == &exchange; }));
  inside_->notice(descriptor);
  settle();
}

void ExploredClient::lose_all_to(std::size_t server) {
  if (cut_off_) return lose_unseen(server);
  std::vector<int> broken;
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    if (at->server == server) broken.push_back(at->client_descriptor);
    at = at->server == server ? hang_up_on(at) : std::next(at);
  }
  lost_server_ = lost_server_ || !broken.empty();
  if (broken.empty() || frozen_) return;  // one that is frozen sees it when that ends
  for (const auto descriptor : broken) inside_->notice(descriptor);
  settle();
}

void ExploredClient::lose_unseen(std::size_t server) {
  for (auto& exchange : exchanges_) {
    if (exchange.server != server) continue;
    around_.servers[server]->disconnect(exchange);
    exchange.is_lost = lost_server_ = true;
  }
}

void ExploredClient::freeze() {
  frozen_ = true;
  around_.journal.add(name_, Kind::fault, {{"what", faults::fault::frozen}});
}

void ExploredClient::thaw() {
  around_.journal.add(name_, Kind::fault, {{"what", faults::fault::thawed}});
  frozen_ = false;
  look_at_time();
  inside_->look_around();
  settle();
}

void ExploredClient::cut_off() {
  cut_off_ = true;
  around_.journal.add(name_, Kind::fault, {{"what", faults::fault::unreachable}});
}

void ExploredClient::mend() {
  around_.journal.add(name_, Kind::fault, {{"what", faults::fault::reachable}});
  cut_off_ = false;
  for (auto at = exchanges_.begin(); at != exchanges_.end();) {
    at = at->is_lost ? hang_up_on(at) : std::next(at);
  }
  inside_->look_around();
  if (follows_program_ && !waits_for_answer_) continue_program();
  settle();
}

void ExploredClient::kill() {
  process_->kill();
  killed_ = true;
  hang_up_on_all();
  around_.journal.add(name_, Kind::fault, {{"what", faults::fault::killed}});
}

void ExploredClient::look_at_time() {
  if (!process_ || killed_ || frozen_) return;
  while (inside_->wake_next_due()) settle();
}

void ExploredClient::discard() {
  hang_up_on_all();
  process_.reset();
  killed_ = frozen_ = cut_off_ = waits_for_answer_ = false;
}

std::optional<Duration> ExploredClient::next_deadline() const {
  return process_ && !killed_ ? inside_->next_deadline() : std::nullopt;
}

}  // namespace explore
