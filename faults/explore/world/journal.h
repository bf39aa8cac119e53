// Writes the history of one run in virtual time, as judges read it.
//
// The lock has another key in each run, so that no run sees what an earlier one left; in the
// history it is `lock` (faults::lock_key).
//
// Thread-safety: none; one thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "faults/explore/virtual_time/virtual_time.h"
#include "faults/kit/history.h"
#include "faults/kit/resp.h"

namespace explore {

class Journal {
 public:
  explicit Journal(const VirtualTime& time) : time_(time) {}

  // A new run: the lock's key is `key` from now on. `on_server` is its name there; empty if that is
  // the same, or not known.
  void begin(std::string key, std::string on_server);
  [[nodiscard]] const std::string& key() const { return key_; }

  // The time since the run began.
  [[nodiscard]] Duration run_time() const { return time_.now() - start_; }

  void add(std::string process, faults::Kind kind, nlohmann::json data);
  // The acquire that was called at that place of the record was refused, and should not have been.
  void must_have_got_in(std::size_t call);
  // True if a fault has happened in this run.
  [[nodiscard]] bool has_fault() const;
  // Nothing is written between `pause` and `resume`.
  void pause() { paused_ = true; }
  void resume() { paused_ = false; }
  [[nodiscard]] bool is_open() const { return !paused_; }

  // The same with the lock's key as the history names it: in any word, or as the field `key`.
  [[nodiscard]] std::string in_words(const faults::Message& message) const;
  [[nodiscard]] std::string in_words(std::string text) const;
  [[nodiscard]] nlohmann::json with_lock_key(nlohmann::json fields) const;

  [[nodiscard]] const faults::Record& record() const { return record_; }

 private:
  const VirtualTime& time_;
  std::string key_;
  std::string key_on_server_;
  Duration start_{0};
  faults::Record record_;
  bool paused_ = true;
};

}  // namespace explore
