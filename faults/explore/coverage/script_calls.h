// The calls of scripts in a search: each script with its keys and arguments, and the data that its
// server had before. They are made again after the search (script_coverage.h).
//
// Two calls that differ only in what a lock has drawn by chance are one: of hexadecimal numbers of
// 16 digits or more it matters which are equal, not which they are.
//
// Thread-safety: safe to share.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "faults/explore/coverage/stored_keys.h"

namespace explore {

struct ScriptCall {
  std::size_t script = 0;  // in ScriptCalls::scripts
  std::vector<std::string> keys;
  std::vector<std::string> arguments;
  std::vector<StoredKey> before;
};

class ScriptCalls {
 public:
  // More calls than these are not kept.
  static constexpr std::size_t most = 100'000;

  struct Script {
    std::string name;  // its file's, or a part of its digest
    std::string text;
    long calls = 0;  // in all runs
  };

  // A call of the script of that name and text; `call.script` is not read. It is kept if no such
  // call was known.
  void add(const std::string& name, const std::string& text, ScriptCall call);

  // After the search:
  [[nodiscard]] const std::vector<Script>& scripts() const { return scripts_; }
  [[nodiscard]] const std::vector<ScriptCall>& calls() const { return calls_; }
  // True if a call was not kept.
  [[nodiscard]] bool is_full() const { return is_full_; }

 private:
  std::mutex mutex_;
  // All of these are guarded by mutex_.
  std::vector<Script> scripts_;
  std::vector<ScriptCall> calls_;
  std::set<std::string> known_;
  bool is_full_ = false;
};

}  // namespace explore
