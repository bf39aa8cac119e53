// An observer that writes a line for each event, in the form that log collectors read:
//   lock=orders event=acquired waited_ms=3.120
//
// Thread-safety: safe to share; the stream must not be used by others meanwhile.
#pragma once

#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "core/observer.h"

namespace core {

class LogLines : public Observer {
 public:
  // `out` must outlive this. A line that cannot be written is dropped.
  LogLines(std::string lock, std::ostream& out) : lock_(std::move(lock)), out_(out) {}

  void answered(Acquire outcome, Duration waited) noexcept override;
  void failed() noexcept override;
  void released(Release outcome, Duration held) noexcept override;
  void lost(Duration held) noexcept override;
  // Only those that did not succeed: the others are many, and say nothing new.
  void renewed(bool succeeded) noexcept override;
  void degraded(std::string_view reason) noexcept override;

 private:
  void write(std::string_view event, std::string_view name = {}, Duration time = {}) noexcept;

  const std::string lock_;
  std::mutex mutex_;
  std::ostream& out_;  // guarded by mutex_
};

}  // namespace core
