// The numbers of a real lock, as Prometheus reads them; the rules and the dashboard ask for nothing
// else.
#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <thread>

#include "core/error.h"
#include "core/testing/eventually.h"
#include "core/testing/scripted_lock.h"
#include "core/wrappers/fallback_lock.h"
#include "core/wrappers/observed_lock.h"
#include "faults/testing/redis_test.h"
#include "production/exporter/prometheus_observer.h"
#include "stage6_reentrant/lock.h"

namespace {

using core::Acquire;
using core::eventually;
using core::ObservedLock;
using core::Release;
using exporter::PrometheusObserver;
using testing::HasSubstr;

// The text that Prometheus reads.
std::string text_of(const prometheus::Registry& registry) {
  return prometheus::TextSerializer().Serialize(registry.Collect());
}

std::set<std::string> names_in(const std::string& text) {
  static const std::regex name("redis_lock_[a-z_]+");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
    names.insert(at->str());
  }
  return names;
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

class Exporter : public faults::RedisTest {
 protected:
  prometheus::Registry registry;
  std::shared_ptr<PrometheusObserver> numbers =
      std::make_shared<PrometheusObserver>("orders", registry);
};

TEST_F(Exporter, CountsAHold) {
  stage6::Lock lock(server(), "lock:order:4711", {.lease = std::chrono::seconds(60)});
  ObservedLock observed(lock, numbers);
  { const std::lock_guard guard(observed); }
  const auto text = text_of(registry);
  EXPECT_THAT(text, HasSubstr("redis_lock_attempts_total{lock=\"orders\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("redis_lock_answers_total{lock=\"orders\",outcome=\"acquired\"} 1\n"));
  EXPECT_THAT(text,
              HasSubstr("redis_lock_releases_total{lock=\"orders\",outcome=\"released\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("redis_lock_wait_seconds_count{lock=\"orders\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("redis_lock_hold_seconds_count{lock=\"orders\"} 1\n"));
}

TEST_F(Exporter, CountsAHolderThatLostIt) {
  stage6::Lock lock(server(), "lock:order:4711", {.lease = std::chrono::seconds(60)});
  ObservedLock observed(lock, numbers);
  ASSERT_EQ(observed.try_acquire(), Acquire::acquired);
  ASSERT_TRUE(lock.force_release());
  EXPECT_EQ(observed.release(), Release::expired);
  EXPECT_THAT(text_of(registry),
              HasSubstr("redis_lock_releases_total{lock=\"orders\",outcome=\"expired\"} 1\n"));
}

TEST_F(Exporter, CountsWhatHasDegraded) {
  core::UnreachableLock lock;
  core::FallbackLock safe(lock, "exporter", core::WhenAway::degrade(), numbers);
  { const std::lock_guard guard(safe); }
  EXPECT_THAT(text_of(registry), HasSubstr("redis_lock_degraded_total{lock=\"orders\"} 1\n"));
}

TEST_F(Exporter, CountsAServerThatIsAway) {
  core::UnreachableLock lock;
  ObservedLock observed(lock, numbers);
  EXPECT_THROW((void)observed.try_acquire(), core::Unreachable);
  EXPECT_THAT(text_of(registry), HasSubstr("redis_lock_failures_total{lock=\"orders\"} 1\n"));
}

TEST_F(Exporter, CountsRenewalsAndTheirEnd) {
  const auto is_told = [this](const std::string& metric) {
    const std::regex wanted(metric + " [1-9][0-9]*\n");
    return std::regex_search(text_of(registry), wanted);
  };
  const std::string renewals = R"(redis_lock_renewals_total\{lock="orders",outcome=)";
  stage6::Lock lock(server(), "lock:order:4711",
                    {.default_lease = core::longest_wait,
                     .renew_every = std::chrono::milliseconds(10),
                     .observer = numbers});
  ObservedLock observed(lock, numbers);
  ASSERT_EQ(observed.try_acquire(), Acquire::acquired);
  eventually("a renewal is counted", [&] { return is_told(renewals + R"("renewed"\})"); });
  refuse("hget");
  eventually("a failed one is, too", [&] { return is_told(renewals + R"("failed"\})"); });
  EXPECT_FALSE(is_told(R"(redis_lock_lost_total\{lock="orders"\})"));
  accept("hget");
  ASSERT_TRUE(lock.force_release());
  eventually("the loss is counted",
             [&] { return is_told(R"(redis_lock_lost_total\{lock="orders"\})"); });
}

TEST_F(Exporter, SharesARegistry) {
  PrometheusObserver others("invoices", registry);
  others.attempted();
  EXPECT_THAT(text_of(registry), HasSubstr("redis_lock_attempts_total{lock=\"invoices\"} 1\n"));
  EXPECT_THAT(text_of(registry), HasSubstr("redis_lock_attempts_total{lock=\"orders\"} 0\n"));
}

TEST_F(Exporter, HasAllThatRulesAndDashboardAskFor) {
  const auto exported = names_in(text_of(registry));
  for (const auto* file : {"alerts.yml", "alerts_test.yml", "dashboard.json"}) {
    const auto asked = names_in(read(std::filesystem::path(EXPORTER_DIRECTORY) / file));
    EXPECT_THAT(asked, testing::Not(testing::IsEmpty()));
    EXPECT_THAT(exported, testing::IsSupersetOf(asked)) << file;
  }
}

}  // namespace
