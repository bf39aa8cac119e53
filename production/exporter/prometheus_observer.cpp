#include "production/exporter/prometheus_observer.h"

#include "core/outcome.h"

namespace exporter {
namespace {

using prometheus::Counter;
using prometheus::Histogram;
using prometheus::Labels;
using prometheus::Registry;

// In seconds: from a local pair of commands to a lease of the usual length.
const Histogram::BucketBoundaries boundaries{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                                             0.5,   1,      2.5,   5,    10,    30,   60};

Counter& counter(Registry& registry, const std::string& name, const std::string& help,
                 const Labels& labels) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry).Add(labels);
}

Histogram& histogram(Registry& registry, const std::string& name, const std::string& help,
                     const Labels& labels) {
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry).Add(labels,
                                                                                   boundaries);
}

Labels with_outcome(const std::string& lock, std::string_view outcome) {
  return {{"lock", lock}, {"outcome", std::string(outcome)}};
}

double in_seconds(core::Observer::Duration time) {
  return std::chrono::duration<double>(time).count();
}

}  // namespace

PrometheusObserver::PrometheusObserver(const std::string& lock, Registry& registry)
    : attempts_(counter(registry, "redis_lock_attempts_total", "Times that a thread has asked.",
                        {{"lock", lock}})),
      failures_(counter(registry, "redis_lock_failures_total",
                        "Questions that no server answered, or that it refused.",
                        {{"lock", lock}})),
      losses_(counter(registry, "redis_lock_lost_total", "Holders that were told of a loss.",
                      {{"lock", lock}})),
      renewals_(counter(registry, "redis_lock_renewals_total", "Renewals.",
                        with_outcome(lock, "renewed"))),
      failed_renewals_(counter(registry, "redis_lock_renewals_total", "Renewals.",
                               with_outcome(lock, "failed"))),
      degraded_(counter(registry, "redis_lock_degraded_total",
                        "Acquisitions for one process alone, while the server was away.",
                        {{"lock", lock}})),
      waits_(histogram(registry, "redis_lock_wait_seconds",
                       "Time from the first question to having the lock.", {{"lock", lock}})),
      holds_(histogram(registry, "redis_lock_hold_seconds",
                       "Time from having the lock to its release.", {{"lock", lock}})) {
  for (std::size_t i = 0; i < acquire_outcomes; ++i) {
    answers_[i] = &counter(registry, "redis_lock_answers_total", "Answers to those who asked.",
                           with_outcome(lock, core::to_string(static_cast<core::Acquire>(i))));
  }
  for (std::size_t i = 0; i < release_outcomes; ++i) {
    releases_[i] = &counter(registry, "redis_lock_releases_total", "Releases.",
                            with_outcome(lock, core::to_string(static_cast<core::Release>(i))));
  }
}

void PrometheusObserver::attempted() noexcept {
  attempts_.Increment();
}

void PrometheusObserver::answered(core::Acquire outcome, Duration waited) noexcept {
  answers_.at(static_cast<std::size_t>(outcome))->Increment();
  if (outcome == core::Acquire::acquired) waits_.Observe(in_seconds(waited));
}

void PrometheusObserver::failed() noexcept {
  failures_.Increment();
}

void PrometheusObserver::released(core::Release outcome, Duration held) noexcept {
  releases_.at(static_cast<std::size_t>(outcome))->Increment();
  if (outcome != core::Release::not_held) holds_.Observe(in_seconds(held));
}

void PrometheusObserver::lost(Duration /*held*/) noexcept {
  losses_.Increment();
}

void PrometheusObserver::renewed(bool succeeded) noexcept {
  (succeeded ? renewals_ : failed_renewals_).Increment();
}

void PrometheusObserver::degraded(std::string_view /*reason*/) noexcept {
  degraded_.Increment();
}

}  // namespace exporter
