#include "faults/kit/sentinels.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "core/redis/server.h"
#include "faults/kit/errors.h"
#include "faults/kit/link.h"
#include "faults/kit/redis_process.h"
#include "faults/kit/temp_dir.h"

namespace faults {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds look_again{5};

// True once `condition` is; false if that takes longer than `limit`.
template <typename Condition>
bool comes_true(milliseconds limit, Condition condition) {
  const auto deadline = steady_clock::now() + limit;
  while (!condition()) {
    if (steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(look_again);
  }
  return true;
}

}  // namespace

class Sentinel {
 public:
  Sentinel(const RedisBinary& binary, Loop& loop, History& history, Reaper& reaper,
           const std::string& name, const std::filesystem::path& logs, const core::Address& master)
      : directory_(reaper),
        door_(socket_in(directory_.path()), {.connect = standstill, .command = standstill}),
        front_(loop, history, "sentinels", name, door_.address(), Link::Notes::none),
        process_(start_redis({.binary = binary,
                              .arguments = {write_configuration(master).native(), "--sentinel",
                                            "--dir", directory_.path().native()},
                              .environment = {},
                              .log = logs / (name + ".log")},
                             door_, reaper)) {}

  [[nodiscard]] core::Address address() const { return front_.address(); }

  [[nodiscard]] bool knows_replica_and_others() {
    const auto info = door_.command({"INFO", "sentinel"});
    return info.text().find("status=ok") != std::string_view::npos &&
           info.text().find("slaves=1,sentinels=3") != std::string_view::npos;
  }

  [[nodiscard]] bool names(const core::Address& address) {
    const auto master = door_.command({"SENTINEL", "get-master-addr-by-name", "lock"});
    return master.text(0) == address.host && master.text(1) == std::to_string(address.port);
  }

 private:
  // A Sentinel keeps what it learns in its configuration file, and does not start without one.
  [[nodiscard]] std::filesystem::path write_configuration(const core::Address& master) const {
    auto path = directory_.path() / "sentinel.conf";
    std::ofstream file(path);
    file << fmt::format(
        "sentinel announce-ip {}\n"
        "sentinel announce-port {}\n"
        "sentinel monitor lock {} {} 2\n"
        "sentinel down-after-milliseconds lock {}\n"
        "sentinel failover-timeout lock 2000\n",
        front_.address().host, front_.address().port, master.host, master.port,
        Sentinels::silence.count());
    if (!file.flush()) throw CannotRun(fmt::format("cannot write {}", path.native()));
    return path;
  }

  TempDir directory_;
  core::Server door_;
  Link front_;
  std::unique_ptr<Process> process_;
};

Sentinels::Sentinels(const RedisBinary& binary, Loop& loop, History& history, Reaper& reaper,
                     const std::filesystem::path& logs, const core::Address& master) {
  for (const auto* name : {"sentinel1", "sentinel2", "sentinel3"}) {
    sentinels_.push_back(
        std::make_unique<Sentinel>(binary, loop, history, reaper, name, logs, master));
  }
}

Sentinels::~Sentinels() = default;

std::vector<core::Address> Sentinels::addresses() const {
  std::vector<core::Address> addresses;
  for (const auto& sentinel : sentinels_) addresses.push_back(sentinel->address());
  return addresses;
}

void Sentinels::await_each_other() {
  const bool known = comes_true(standstill, [this] {
    return std::all_of(sentinels_.begin(), sentinels_.end(),
                       [](auto& sentinel) { return sentinel->knows_replica_and_others(); });
  });
  if (known) return;
  throw Stalled(fmt::format("waited {} s for three Sentinels to find the replica and each other",
                            standstill / std::chrono::seconds(1)));
}

bool Sentinels::all_name(const core::Address& address) {
  return std::all_of(sentinels_.begin(), sentinels_.end(),
                     [&](auto& sentinel) { return sentinel->names(address); });
}

void Sentinels::await_master(const core::Address& address) {
  if (comes_true(milliseconds(10'000), [&] { return all_name(address); })) return;
  // An election that failed is held again much later: nothing of that is the lock's doing.
  throw Stalled(
      "waited 10 s for three Sentinels to agree that the replica is the master, and they did not");
}

}  // namespace faults
