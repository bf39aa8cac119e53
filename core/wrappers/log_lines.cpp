#include "core/wrappers/log_lines.h"

#include <fmt/format.h>

#include <exception>

namespace core {

void LogLines::answered(Acquire outcome, Duration waited) noexcept {
  write(outcome == Acquire::unknown ? "unknown_acquire" : to_string(outcome), "waited_ms", waited);
}

void LogLines::failed() noexcept {
  write("failed");
}

void LogLines::released(Release outcome, Duration held) noexcept {
  write(outcome == Release::unknown ? "unknown_release" : to_string(outcome), "held_ms", held);
}

void LogLines::lost(Duration held) noexcept {
  write("lost", "held_ms", held);
}

void LogLines::renewed(bool succeeded) noexcept {
  if (!succeeded) write("renewal_failed");
}

void LogLines::degraded(std::string_view reason) noexcept {
  write(fmt::format("degraded reason=\"{}\"", reason));
}

void LogLines::write(std::string_view event, std::string_view name, Duration time) noexcept {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  try {
    auto line = fmt::format("lock={} event={}", lock_, event);
    if (!name.empty()) line += fmt::format(" {}={:.3f}", name, Milliseconds(time).count());
    const std::lock_guard guard(mutex_);
    out_ << line << '\n' << std::flush;
  } catch (const std::exception&) {  // NOLINT: see the declaration
  }
}

}  // namespace core
