#include "faults/running/adapter_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "faults/kit/errors.h"
#include "faults/kit/temp_dir.h"
#include "faults/scenarios/scenario.h"
#include "faults/world/read_facts.h"
#include "faults/world/world.h"

namespace faults {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

// How long an answer may take here, where nothing disturbs it.
constexpr milliseconds answer_time{15'000};

milliseconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
}

template <typename Words>
bool knows(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Ends the check: the rest cannot be looked at.
class CheckAborted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class AdapterCheck {
 public:
  AdapterCheck(const TestedLock& lock, const RunPlan& plan, Reaper& reaper)
      : lock_(lock),
        directory_(reaper),
        history_(directory_.path() / "history.jsonl"),
        world_(lock, plan.redis, reaper, history_, directory_.path()) {}

  std::vector<CheckedFact> look_at_all() {
    const std::vector<std::pair<const char*, std::function<std::string()>>> checks{
        {"starts, and takes and gives back a lock to warm up", [this] { return start(); }},
        {"says its name, its version and its capabilities", [this] { return say_name(); }},
        {"takes the free lock, and asks a server for it", [this] { return acquire(); }},
        {"writes the key that is declared", [this] { return look_at_key(); }},
        {"gives the lock to one client at a time", [this] { return refuse(); }},
        {"reads, begins and writes under the lock", [this] { return work(); }},
        {"waits for the lock as long as it is told", [this] { return wait(); }},
        {"gives the lock back", [this] { return release(); }},
        {"takes its default lease from LOCK_LEASE_MS", [this] { return take_default_lease(); }},
        {"repeats acquire and release for as long as it is told", [this] { return repeat(); }},
        {"answers a line that it does not know, and continues", [this] { return go_on(); }},
        {"gives back what it holds at SIGTERM, and ends with code 0", [this] { return stop(); }},
        {"says bye, and ends with code 0", [this] { return bye(); }}};
    std::vector<CheckedFact> checked;
    for (const auto& [what, look] : checks) {
      try {
        checked.push_back({what, look()});
      } catch (const std::runtime_error& error) {  // without it the rest cannot be looked at
        checked.push_back({what, error.what()});
        break;
      }
    }
    return checked;
  }

 private:
  std::string start() {
    a_ = &world_.client("A");
    b_ = &world_.client("B");
    return {};
  }

  std::string say_name() {
    const auto& hello = a_->hello();
    if (!hello.contains("name") || !hello["name"].is_string()) return "hello has no \"name\"";
    if (hello.value("version", 0) != 1) {
      return "hello has no \"version\": 1, the protocol's";
    }
    if (!hello.contains("library")) {
      return "hello has no \"library\", the version that is installed: no verdict could name it";
    }
    const auto words = hello.value("capabilities", json::array());
    if (!words.is_array()) return "\"capabilities\" is not a list of words";
    for (const auto& word : words) {
      if (word.is_string() && knows(capability_words(), word.get<std::string>())) continue;
      return fmt::format("{} is no capability; the words are: {}", word.dump(),
                         fmt::join(capability_words(), ", "));
    }
    return difference_from(*lock_.facts, hello);
  }

  // An outcome that lock.json does not know of.
  [[nodiscard]] static std::string undeclared(const char* field,
                                              const std::vector<std::string>& declared,
                                              const std::string& outcome) {
    if (declared.empty() || knows(declared, outcome)) return {};
    return fmt::format("it answered \"{}\", and in lock.json {} is [{}]", outcome, field,
                       fmt::join(declared, ", "));
  }

  std::string acquire() {
    const auto before = a_->count_commands();
    const auto outcome = a_->start_acquire({.lease = world_.timing.long_lease(), .may_fail = true})
                             .wait(answer_time);
    if (outcome == "error")
      throw CheckAborted("the free lock: it answered with an error: " + error());
    if (outcome != "acquired") {
      throw CheckAborted(fmt::format("the lock is free, and it answered \"{}\"", outcome));
    }
    if (a_->count_commands() == before) {
      throw CheckAborted("it answered \"acquired\", and had sent no command to a server");
    }
    return undeclared("acquire_says", lock_.facts->acquire_says, outcome);
  }

  std::string look_at_key() {
    const auto key = lock_.key_on_server();
    if (key.empty()) return {};
    const auto has_it = [&](const std::string& name) {
      return world_.servers.at(0).direct().command({"EXISTS", name}).integer() == 1;
    };
    if (!has_it(key)) {
      const auto keys = world_.servers.at(0).direct().command({"KEYS", "*"});
      std::vector<std::string> names;
      for (std::size_t i = 0; i < keys.parts(); ++i) names.emplace_back(keys.text(i));
      return fmt::format("the key \"{}\" is not on the server; these are: {}", key,
                         names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
    }
    const auto left = world_.servers.at(0).direct().command({"PTTL", key}).integer();
    if (lock_.facts->promises("lease") && left < 0) {
      return fmt::format("it promises a lease, and the key \"{}\" has no time to live", key);
    }
    return differs_from_asked(milliseconds(left));
  }

  // A lease may be rounded; ten times as much is another unit.
  [[nodiscard]] std::string differs_from_asked(milliseconds left) const {
    const auto asked = world_.timing.long_lease();
    const bool is_near = left > asked / 10 && left / 10 < asked;
    if (left < milliseconds(0) || is_near) return {};
    return fmt::format(
        "it was asked for a lease of {} ms, and its key lives for another {} ms: lease_ms is in "
        "milliseconds",
        asked.count(), left.count());
  }

  std::string refuse() {
    const auto outcome = b_->start_acquire({.lease = world_.timing.long_lease(), .may_fail = true})
                             .wait(answer_time);
    if (outcome == "acquired")
      throw CheckAborted("a second client was let in while the first had it");
    if (outcome == "contended" || outcome == "not_acquired") {
      return undeclared("acquire_says", lock_.facts->acquire_says, outcome);
    }
    return fmt::format("to a second client it answered \"{}\", and should say \"contended\"",
                       outcome);
  }

  std::string work() {
    const auto seen = history_.record().size();
    const auto outcome = a_->start_work().wait(answer_time);
    std::string steps;
    const auto record = history_.record();
    for (auto i = seen; i < record.size(); ++i) {
      if (record[i].is(Kind::storage, "A")) steps += record[i].text("what") + " ";
    }
    if (outcome != "done") return fmt::format("work was answered with \"{}\"", outcome);
    if (steps == "read begin write ") return {};
    return fmt::format("the storage was to see \"read begin write\", and saw \"{}\"", steps);
  }

  // B asks while A has the lock, and has to be still waiting when A gives it back.
  std::string wait() {
    const auto limit = world_.timing.wait_limit();
    waiting_.emplace(
        b_->start_acquire({.lease = world_.timing.long_lease(), .wait = limit, .may_fail = true}));
    WaitFor::answer(*waiting_, limit / 4);
    if (!waiting_->answered()) return {};
    const auto outcome = waiting_->wait(answer_time);
    waiting_.reset();
    return fmt::format("its wait_ms was {}, and it answered \"{}\" without waiting so long",
                       limit.count(), outcome);
  }

  std::string release() {
    const auto outcome = a_->start_release({.may_fail = true}).wait(answer_time);
    if (outcome == "error") return "it answered with an error: " + error();
    if (!knows(release_words(), outcome)) {
      return fmt::format("\"{}\" is no outcome of a release; the words are: {}", outcome,
                         fmt::join(release_words(), ", "));
    }
    if (outcome != "released" && outcome != "no_outcome") {
      return fmt::format("it holds the lock, and answered \"{}\"", outcome);
    }
    auto next = waiting_ ? waiting_->wait(answer_time) : std::string();
    if (next != "acquired") next = ask_for_long(*b_);  // its wait may have ended before A released
    if (next != "acquired") {
      return fmt::format("after its release a second client answered \"{}\"", next);
    }
    return undeclared("release_says", lock_.facts->release_says, outcome);  // B keeps it
  }

  // On a key of its own, if it is known how that is called: B has the lock.
  std::string take_default_lease() {
    const std::string name = "lease";
    const auto key = lock_.facts->key_of(name);
    const bool is_known = !key.empty() && key != lock_.key_on_server();
    if (!is_known || !lock_.facts->promises("lease")) return {};
    const auto outcome = a_->start_acquire({.may_fail = true, .key = name}).wait(answer_time);
    if (outcome != "acquired") return fmt::format("it answered \"{}\"", outcome);
    const milliseconds left(world_.servers.at(0).direct().command({"PTTL", key}).integer());
    (void)a_->start_release({.may_fail = true, .key = name}).wait(answer_time);
    const auto asked = world_.clients.default_lease();
    if (left <= 2 * asked) return {};
    return fmt::format(
        "LOCK_LEASE_MS is {}, and the key \"{}\" lives for another {} ms: if that cannot be set, "
        "\"lease\" in lock.json says it as \"shortest_ms\"",
        asked.count(), key, left.count());
  }

  // On a key of its own: B has the lock.
  std::string repeat() {
    const std::string name = "repeat";
    constexpr milliseconds time{400};  // far longer than a pair, also on a busy machine
    const auto commands_before = a_->count_commands();
    const auto start = std::chrono::steady_clock::now();
    const auto outcome =
        a_->start_request({{"op", "repeat"}, {"key", name}, {"for_ms", time.count()}})
            .wait(answer_time);
    const milliseconds took = since(start);
    if (outcome == "error") return "it answered with an error: " + error();
    if (outcome != "done") return fmt::format("it answered \"{}\", not \"done\"", outcome);
    if (took < time / 2) {
      return fmt::format("its for_ms was {}, and it answered after {} ms", time.count(),
                         took.count());
    }
    const auto wrong = wrong_pairs(static_cast<long>(a_->count_commands() - commands_before));
    if (!wrong.empty()) return wrong;
    const auto next = ask_for_long(*b_, name);
    if (next != "acquired") {
      return fmt::format("after its last pair a second client answered \"{}\"", next);
    }
    (void)b_->start_release({.may_fail = true, .key = name}).wait(answer_time);
    return {};
  }

  // A has sent so many commands for its pairs.
  [[nodiscard]] std::string wrong_pairs(long commands) const {
    const auto pairs = counted_pairs();
    if (pairs < 1) return "\"pairs\" is no number above 0, and the lock was free all the time";
    if (!lock_.stands_on_redis() || commands >= 2 * pairs) return {};
    return fmt::format("its \"pairs\" are {}, and it had sent {} commands: each pair has two",
                       pairs, commands);
  }

  // The pairs in A's last answer; 0: it has no such number.
  [[nodiscard]] long counted_pairs() const {
    const auto record = history_.record();
    const auto last = std::find_if(record.rbegin(), record.rend(), [](const Event& event) {
      return event.is(Kind::answer, "A") && event.data.contains("pairs");
    });
    const bool is_number = last != record.rend() && last->data["pairs"].is_number_integer();
    return is_number ? last->data["pairs"].get<long>() : 0;
  }

  std::string go_on() {
    a_->write_line("this is no request");
    const auto outcome = a_->start_request({{"op", "dance"}}).wait(answer_time);
    if (outcome == "died") throw CheckAborted("it died of a line that it does not know");
    if (outcome != "error") {
      return fmt::format("an unknown operation is answered with an error, not with \"{}\"",
                         outcome);
    }
    return {};
  }

  std::string stop() {
    b_->terminate();
    try {
      b_->await_end(answer_time);
    } catch (const ClientFailed&) {
      throw CheckAborted("it got SIGTERM, and continues: it should release what it holds and end");
    }
    const auto record = history_.record();
    const auto end = std::find_if(record.rbegin(), record.rend(), [](const Event& event) {
      return event.is(Kind::fault, "B") && event.text("what") == fault::ended;
    });
    if (end->text("how") != "exited with code 0") {
      return fmt::format("at SIGTERM it {}, and should end with code 0", end->text("how"));
    }
    const auto said = b_->last_line().find("stopped") != std::string::npos;
    if (ask_for_long(*a_) != "acquired") {
      return "it ended at SIGTERM, and did not give its lock back: nobody gets it";
    }
    return said ? "" : "at SIGTERM it did not print {\"event\":\"stopped\"} last";
  }

  std::string bye() {
    a_->say_bye(answer_time);
    return {};
  }

  std::string ask_for_long(Client& client, const std::string& key = std::string(lock_key)) {
    return client
        .start_acquire({.lease = world_.timing.long_lease(),
                        .wait = world_.timing.wait_limit(),
                        .may_fail = true,
                        .key = key})
        .wait(answer_time);
  }

  // The error in the last answer that has one.
  [[nodiscard]] std::string error() const {
    const auto record = history_.record();
    const auto last = std::find_if(record.rbegin(), record.rend(), [](const Event& event) {
      return event.kind == Kind::answer && event.data.contains("error");
    });
    return last == record.rend() ? "it does not say which" : last->text("error");
  }

  const TestedLock& lock_;
  const TempDir directory_;
  History history_;
  World world_;
  Client* a_ = nullptr;
  Client* b_ = nullptr;
  std::optional<Pending> waiting_;  // B's second acquire
};

// Lets the next one in, with the library's own defaults, when its holder was killed?
CheckedFact check_killed_holder(const TestedLock& lock, const RunPlan& plan, Reaper& reaper) {
  const bool is_too_long =
      lock.facts->default_lease > Timing::usual_long_lease;  // to be waited for
  const auto used = is_too_long ? lock : with_default_lease(lock);
  CheckedFact checked{.what = fmt::format("lets the next one in when its holder is killed, after "
                                          "a lease of {} ms",
                                          used.pace().lease.count()),
                      .wrong = {}};
  const auto result = run_scenario(used, *find_scenario("killed_holder"), plan, reaper);
  if (result.verdict() != Verdict::holds) checked.wrong = result.shown().judgement.sentence();
  return checked;
}

bool all_right(const std::vector<CheckedFact>& checked) {
  return std::all_of(checked.begin(), checked.end(),
                     [](const CheckedFact& each) { return each.wrong.empty(); });
}

}  // namespace

std::vector<CheckedFact> check_adapter(const TestedLock& lock, const RunPlan& plan,
                                       Reaper& reaper) {
  auto checked = AdapterCheck(lock, plan, reaper).look_at_all();
  if (all_right(checked) && lock.facts->promises("lease")) {
    checked.push_back(check_killed_holder(lock, plan, reaper));
  }
  return checked;
}

}  // namespace faults
