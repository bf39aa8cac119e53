#include "faults/world/clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "faults/kit/errors.h"
#include "faults/world/read_facts.h"

namespace faults {

using std::chrono::milliseconds;

namespace {

// No verdict is about a lock that is not the one that its lock.json describes.
void must_agree(const TestedLock& lock, const Client& client) {
  if (!lock.facts || lock.directory.empty()) return;
  const auto difference = difference_from(*lock.facts, client.hello());
  if (difference.empty()) return;
  throw CannotRun(fmt::format("{}: {}", lock.name, difference));
}

}  // namespace

Clients::Clients(Setup& setup, core::Address storage, std::function<void()> catch_up)
    : setup_(setup), storage_(std::move(storage)), catch_up_(std::move(catch_up)) {
  set_default_lease(setup.timing.lease());
  set_reply_timeout(std::max(milliseconds(10'000), 2 * setup.timing.wait_limit()));
}

Client& Clients::get(const std::string& name, std::vector<LockNode> nodes) {
  auto& client = clients_[name];
  if (client) return *client;
  auto environment = environment_;
  environment.insert(setup_.lock.environment.begin(), setup_.lock.environment.end());
  if (have_wall_clocks_) environment.merge(wall_clock_of(name));
  nodes.front().announced = announced_;
  const auto some_renewals = 3 * setup_.lock.pace().period(default_lease_);
  client = std::make_unique<Client>(
      setup_.loop, setup_.history, setup_.reaper,
      ClientPlan{.name = name,
                 .command = setup_.started_as ? setup_.started_as(setup_.lock.command)
                                              : setup_.lock.command,
                 .environment = environment,
                 .log = setup_.directory / (name + ".log"),
                 .nodes = std::move(nodes),
                 .search = search_,
                 .storage = storage_,
                 .catch_up = catch_up_,
                 .goes_on = [this] { return setup_.stalls.has_ticked(); },
                 .say = setup_.say,
                 .first_renewal_limit = name == renews_first_ ? some_renewals : milliseconds(0),
                 .is_foreign = setup_.lock.facts.has_value(),
                 // Fifty tries on dead servers, of 5 s each, are some minutes.
                 .patience = setup_.time_waits ? 10 : 1,
                 .only_tries = setup_.lock.only_tries});
  setup_.stalls.watch(client->process().id());
  must_agree(setup_.lock, *client);
  return *client;
}

std::map<std::string, std::string> Clients::wall_clock_of(const std::string& name) {
  if (!clock_files_) clock_files_ = std::make_unique<TempDir>(setup_.reaper);
  const auto directory = clock_files_->path() / name;
  std::filesystem::create_directory(directory);
  auto& clock = clocks_[name] = std::make_unique<Clock>(directory);
  return clock->environment();
}

void Clients::step_wall_clock(Client& client, milliseconds by) {
  auto& clock = *clocks_.at(client.name());
  if (!clock.is_read()) {
    throw NotExercised(client.name() + "'s program does not read the clock that is to jump");
  }
  setup_.history.add(client.name(), Kind::fault, {{"what", fault::stepped}, {"by_ms", by.count()}});
  clock.step(by);
}

void Clients::set_search(ServerSearch search, int announced) {
  search_ = std::move(search);
  announced_ = announced;
}

void Clients::set_default_lease(milliseconds time) {
  default_lease_ = time;
  environment_["LOCK_LEASE_MS"] = std::to_string(time.count());
}

void Clients::set_reply_timeout(milliseconds time) {
  environment_["LOCK_TIMEOUT_MS"] = std::to_string(time.count());
}

void Clients::set_max_hold(milliseconds time) {
  environment_["LOCK_MAX_HOLD_MS"] = std::to_string(time.count());
}

void Clients::shut_links_to(std::size_t node) {
  for (auto& [name, client] : clients_) client->lock_link(node).shut();
}

void Clients::open_links_to(std::size_t node) {
  for (auto& [name, client] : clients_) client->lock_link(node).open();
}

void Clients::redirect_links_to(std::size_t node, const core::Address& address) {
  for (auto& [name, client] : clients_) client->lock_link(node).lead_to(address);
}

void Clients::must_not_have_died() {
  for (auto& [name, client] : clients_) {
    if (client) client->must_not_have_died();
  }
}

void Clients::say_bye() {
  for (auto& [name, client] : clients_) client->say_bye();
}

}  // namespace faults
