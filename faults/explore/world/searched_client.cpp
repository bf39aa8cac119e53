#include "faults/explore/world/searched_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "faults/explore/world/unix_socket.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

using faults::Kind;
using nlohmann::json;
namespace fault = faults::fault;

// Longer than any run: a search does not ask for a silent server.
constexpr std::chrono::milliseconds command_timeout{600'000};

}  // namespace

SearchedClient::SearchedClient(std::string name, ClientContext& context)
    : name_(std::move(name)), context_(context), connections_(context.servers) {}

SearchedClient::~SearchedClient() = default;

void SearchedClient::launch() {
  const auto sockets = (context_.directory / (name_ + "-")).native();
  auto nodes = connections_.listen(sockets);
  const auto storage = std::move(nodes.back());
  nodes.pop_back();
  lines_ = {};
  warm_counts_.clear();
  process_.reset();
  inside_.reset();
  inside_ = std::make_unique<VirtualProcess>(context_.time, ProcessRole::client);
  // No other client's machine has been up for as long: two that seed random numbers from it differ.
  inside_->start_clocks(std::chrono::hours(name_.front()));
  started_ = context_.time.now();
  auto environment = faults::client_environment(name_, nodes, storage);
  environment["LOCK_LEASE_MS"] = std::to_string(context_.lease.count());
  environment["LOCK_TIMEOUT_MS"] = std::to_string(command_timeout.count());
  environment[sockets_variable] = sockets;
  environment.merge(inside_->environment());
  environment.insert(context_.environment.begin(), context_.environment.end());
  process_ = context_.program.start(environment, log());
  never_block(process_->output());
  connections_.watch(process_->output(), this);
  killed_ = frozen_ = cut_off_ = lost_server_ = lost_reply_ = is_warm_ = false;
  opened_at_cut_.reset();
}

void SearchedClient::set_wall_clock() {
  if (inside_) inside_->set_clock_ahead(context_.time.wall_offset());
}

void SearchedClient::must_live() {
  if (process_->running()) return;
  const auto end = process_->ending(std::chrono::milliseconds(0));
  throw faults::ClientFailed(fmt::format("client {} ended when it should not have, it {}: {}",
                                         name_, end ? end->text() : "is gone",
                                         faults::log_excerpt(log())));
}

void SearchedClient::must_take_part() const {
  inside_->must_take_part("client " + name_);
  context_.program.takes_part();
}

bool SearchedClient::begin() {
  if (!process_ || killed_) launch();
  position_ = {};
  done_ = waits_for_answer_ = follows_program_ = false;
  operation_.clear();
  outcome_.clear();
  seen_.clear();
  connections_.forget_words();
  return !std::exchange(is_warm_, true);
}

std::string SearchedClient::state() const {
  if (killed_) return "dead";
  if (!has_begun()) return "has not begun";
  if (done_) return fmt::format("done: {}", outcome_);
  return fmt::format("{}{}in {}", frozen_ ? "frozen " : "", cut_off_ ? "cut off " : "", operation_);
}

bool SearchedClient::has_given_back() const {
  if (!done_ || killed_ || position_.levels() > 0) return false;
  if (operation_ == "acquire") return outcome_ == "contended";
  constexpr std::array<std::string_view, 7> known{"released", "still_held", "expired", "stolen",
                                                  "not_mine", "not_found",  "not_held"};
  return operation_ == "release" && std::find(known.begin(), known.end(), outcome_) != known.end();
}

void SearchedClient::note_seen(std::string what, std::string channel) {
  seen_.push_back({.at = context_.journal.run_time(),
                   .acts = acts(),
                   .channel = std::move(channel),
                   .what = std::move(what)});
}

void SearchedClient::start() {
  note_seen("begin");
  follows_program_ = true;
  continue_program();
  settle();
}

// Asks for the next operation of its program, if there is one.
void SearchedClient::continue_program() {
  const bool again = operation_ == "release" && outcome_ == "unknown";
  if (again && cut_off_) return;  // it can succeed only after `mend`
  const auto operation = position_.next(context_.task, operation_, outcome_);
  if (operation) return ask(request_for(*operation));
  done_ = true;
  follows_program_ = false;
}

json SearchedClient::request_for(const std::string& operation) const {
  const auto& key = context_.journal.key();
  if (operation == "release") return to_json(faults::ReleaseRequest{.key = key});
  if (operation == "work") return to_json(faults::WorkRequest{.key = key});
  const auto wait = context_.task.wait_in_leases * context_.lease;
  return to_json(faults::AcquireRequest{.wait = wait, .key = key});
}

void SearchedClient::ask(json request) {
  operation_ = request["op"];
  outcome_.clear();
  request["id"] = ++id_;
  waits_for_answer_ = true;
  asked_ = request;
  call_ = context_.journal.record().size();
  context_.journal.add(name_, Kind::call, context_.journal.with_lock_key(request));
  if (!send_line(process_->input(), request.dump())) must_live();
  inside_->notice(STDIN_FILENO);
  if (!follows_program_) settle();
}

void SearchedClient::settle() {
  for (;;) {
    if (!inside_->await_rest(*process_, "client " + name_)) must_live();
    if (inside_->is_refused()) must_take_part();
    const auto asked_before = id_;
    auto readable = connections_.readable();
    const bool has_printed = std::find(readable.begin(), readable.end(), this) != readable.end();
    if (has_printed) take_lines();
    connections_.take(std::move(readable));
    if (id_ == asked_before) return;
  }
}

void SearchedClient::take_lines() {
  const auto received = receive_all(process_->output());
  if (received.ended) must_live();
  auto& journal = context_.journal;
  for (const auto& line : lines_.feed(received.bytes)) {
    if (line.is_event) journal.add(name_, Kind::told, journal.with_lock_key(line.object));
    if (line.id == id_ && waits_for_answer_) take_answer(line.object);
  }
}

void SearchedClient::take_answer(const json& answer) {
  waits_for_answer_ = false;
  const auto what = fmt::format("{}'s answer to {}", name_, operation_);
  if (const auto error = faults::error_in(answer); error && operation_ != "let_go") {
    throw faults::ClientFailed(fmt::format("{} was an error: {}", what, *error));
  }
  outcome_ = faults::outcome_in(answer, what);
  gets_tokens_ = gets_tokens_ || answer.contains("fencing_token");
  auto noted = answer;
  noted["op"] = operation_;
  if (asked_.contains("key")) noted["key"] = asked_["key"];
  context_.journal.add(name_, Kind::answer, context_.journal.with_lock_key(std::move(noted)));
  // The lock was refused to the thread that holds it; after a fault it may have lost it.
  const bool was_inside = operation_ == "acquire" && position_.levels() > 0;
  if (was_inside && outcome_ == "contended" && !context_.journal.has_fault()) {
    context_.journal.must_have_got_in(call_);
  }
  if (follows_program_) continue_program();
}

void SearchedClient::deliver(ClientConnection& connection) {
  const auto reply = std::move(connection.replies.front());
  connection.replies.pop_front();
  note_seen(content_of(reply), name_of(connection));
  (void)send_all(connection.client, reply.message.bytes);
  inside_->notice(connection.client_descriptor);
  settle();
}

void SearchedClient::lose_reply(ClientConnection& connection) {
  lost_reply_ = true;
  note_seen("breaks", name_of(connection));
  const auto broken =
      connections_.hang_up_if([&](const auto& other) { return &other == &connection; });
  inside_->notice(broken.front());
  settle();
}

void SearchedClient::lose_server(std::size_t server) {
  if (cut_off_) {
    lost_server_ = connections_.lose_server(server) || lost_server_;
    return;
  }
  const auto broken =
      connections_.hang_up_if([server](const auto& one) { return one.server == server; });
  lost_server_ = lost_server_ || !broken.empty();
  if (!broken.empty()) note_seen(fmt::format("loses server {}", server + 1));
  if (broken.empty() || frozen_) return;  // a frozen client sees it after `thaw`
  for (const auto descriptor : broken) inside_->notice(descriptor);
  settle();
}

void SearchedClient::note_fault(std::string_view what) {
  context_.journal.add(name_, Kind::fault, {{"what", what}});
}

void SearchedClient::freeze() {
  frozen_ = true;
  note_fault(fault::frozen);
}

void SearchedClient::thaw() {
  note_fault(fault::thawed);
  note_seen("thaw");
  frozen_ = false;
  notice_time();
  inside_->notice_all_descriptors();
  settle();
}

void SearchedClient::cut_off() {
  cut_off_ = true;
  opened_at_cut_ = connections_.opened();
  note_fault(fault::unreachable);
}

void SearchedClient::mend() {
  note_fault(fault::reachable);
  note_seen("mend");
  cut_off_ = false;
  connections_.hang_up_if([](const auto& one) { return one.is_lost; });
  inside_->notice_all_descriptors();
  if (follows_program_ && !waits_for_answer_) continue_program();
  settle();
}

void SearchedClient::kill() {
  killed_ = true;
  if (!context_.killed_only_stops) process_->kill();
  // A client connects to the storage once, and the storage does not notice a death.
  connections_.hang_up_if([&](const auto& connection) {
    return !context_.killed_only_stops || !connection.is_of_storage();
  });
  note_fault(fault::killed);
}

void SearchedClient::resume_after_run() {
  killed_ = frozen_ = cut_off_ = lost_server_ = lost_reply_ = follows_program_ = false;
  opened_at_cut_.reset();
  connections_.hang_up_if([](const auto& one) { return one.is_lost; });
  notice_time();
  inside_->notice_all_descriptors();
  settle();
}

void SearchedClient::notice_time() {
  if (!process_ || killed_ || frozen_) return;
  while (inside_->wake_next_due()) {
    note_seen("timer");
    settle();
  }
}

std::vector<Duration> SearchedClient::deadlines() const {
  std::vector<Duration> all;
  for (const auto& [thread, deadline] : deadlines_by_thread()) all.push_back(deadline);
  std::sort(all.begin(), all.end());
  return all;
}

void SearchedClient::discard() {
  connections_.hang_up_if([](const auto& /*any*/) { return true; });
  process_.reset();
  killed_ = frozen_ = cut_off_ = waits_for_answer_ = false;
}

std::map<std::size_t, Duration> SearchedClient::deadlines_by_thread() const {
  return process() != 0 ? inside_->deadlines_by_thread() : std::map<std::size_t, Duration>{};
}

std::optional<Duration> SearchedClient::next_deadline() const {
  return process_ && !killed_ ? inside_->next_deadline() : std::nullopt;
}

}  // namespace explore
