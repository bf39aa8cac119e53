// An observer that counts for Prometheus (https://prometheus.io), by prometheus-cpp.
//
//   prometheus::Exposer exposer("127.0.0.1:9464");                  // where Prometheus asks
//   auto registry = std::make_shared<prometheus::Registry>();
//   auto numbers = std::make_shared<exporter::PrometheusObserver>("orders", *registry);
//   exposer.RegisterCollectable(registry);
//   core::ObservedLock observed(lock, numbers);
//
// The label `lock` names a kind of lock, such as "orders", not a key: each label is a time series
// of its own, and keys are too many. production/exporter/README.md lists the metrics.
//
// Thread-safety: safe to share. An event costs a few atomic additions, and no lock of all threads.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <string>
#include <string_view>

#include "core/observer.h"

namespace exporter {

class PrometheusObserver : public core::Observer {
 public:
  // `registry` must outlive this. Throws std::invalid_argument if a metric of that name is there
  // and is of another kind.
  PrometheusObserver(const std::string& lock, prometheus::Registry& registry);

  void attempted() noexcept override;
  void answered(core::Acquire outcome, Duration waited) noexcept override;
  void failed() noexcept override;
  void released(core::Release outcome, Duration held) noexcept override;
  void lost(Duration held) noexcept override;
  void renewed(bool succeeded) noexcept override;
  void degraded(std::string_view reason) noexcept override;

 private:
  static constexpr std::size_t acquire_outcomes = 3;
  static constexpr std::size_t release_outcomes = 6;

  // Each counts one outcome, in the order of core/outcome.h.
  std::array<prometheus::Counter*, acquire_outcomes> answers_{};
  std::array<prometheus::Counter*, release_outcomes> releases_{};
  prometheus::Counter& attempts_;
  prometheus::Counter& failures_;
  prometheus::Counter& losses_;
  prometheus::Counter& renewals_;
  prometheus::Counter& failed_renewals_;
  prometheus::Counter& degraded_;
  prometheus::Histogram& waits_;  // of those that got the lock
  prometheus::Histogram& holds_;
};

}  // namespace exporter
