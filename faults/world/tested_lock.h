// A lock as the kit sees it: a client program, and what is declared about it.
//
// Beside a stage stand its wrong turns: the same lock with one mistake, in STAGE/wrong_turns/NAME/,
// which holds only the files that differ, or its variants: a choice that the lock leaves to its
// user, made otherwise, in STAGE/variants/NAME/. To the kit both are stages like any other.
//
// The declaration is written once, in `declared.json` beside the lock. The stage's tests, the
// tables and the reports compare runs with it. A variant that changes a few lines of another names
// it in "differs_from", has a lock.diff, and declares only what differs.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "faults/judging/verdict.h"
#include "faults/kit/fence.h"
#include "faults/kit/redis_binary.h"
#include "faults/world/lock_facts.h"
#include "faults/world/lock_file.h"
#include "faults/world/timing.h"

namespace faults {

// The declaration of one stage under one scenario.
struct Declared {
  std::string claim;                    // the test's name, "Subject.WhatItClaims"
  std::vector<Property> broken;         // empty: it holds
  std::string does_not_apply;           // if set: why this scenario does not fit this lock
  std::vector<std::string> boundaries;  // of a sweep: the boundaries at which it breaks
};

struct TestedLock {
  std::string name;  // its directory, such as "stage3_set_nx_px", or "stage3_set_nx_px/WRONG_TURN"
  std::string adds;  // what it adds to its predecessor; of a wrong turn: what is wrong
  std::filesystem::path directory;                  // where its sources are
  std::vector<std::string> command;                 // its client program and arguments
  std::map<std::string, int> commands_on_the_wire;  // by operation: acquire, release
  std::map<std::string, Declared> declared;         // by scenario
  int nodes = 1;                                    // how many Redis masters it locks on
  std::string marker;       // a key that every master has when a world starts; empty: none
  bool keeps_data = false;  // do its servers write every change to disk before they answer?
  Fence storage = Fence::reads_and_writes;
  std::filesystem::path turned_from;   // of a wrong turn, a variant, a learner's: its stage's place
  std::filesystem::path scripts_from;  // of a variant beside its stage: its stage's place
  // Of a variant that differs from another: the changed files, which the build makes; the other's.
  std::vector<std::filesystem::path> changed_from = {};
  bool is_variant = false;
  std::string needs = {};   // the oldest server that knows its commands: "Redis 8.4"; empty: any
  bool only_tries = false;  // a learner's: an acquire that is not asked to wait tries once
  // The facts known of a foreign lock. A stage has none: its declaration says which scenarios
  // apply.
  std::optional<LockFacts> facts = {};
  bool at_default_lease = false;  // a foreign one's: see `with_default_lease`
  std::string facts_text = {};    // of a --client: its facts as its user gave them, a line of JSON
  std::map<std::string, std::string> environment = {};  // its client's, beyond what the kit sets

  // The directories of its files: a wrong turn's own before its stage's.
  [[nodiscard]] std::vector<std::filesystem::path> directories() const;
  // Does it stand on Redis? Of servers of another kind only clients, links and processes are known.
  [[nodiscard]] bool stands_on_redis() const { return !facts || facts->server == "redis"; }
  // The key on a server of the lock that scenarios are about; empty: not known, or there is none.
  [[nodiscard]] std::string key_on_server() const;
  // True if its client finds the master by itself, with Sentinels or in a Cluster. Every client on
  // core::Server does; a foreign one says so.
  [[nodiscard]] bool finds_servers() const { return !facts || facts->promises("discovery"); }
  // How long its leases are, and how soon it renews them.
  [[nodiscard]] Pace pace() const;
};

// The lock in a directory of field/, as if it were a stage: on `nodes` servers (0: its default),
// and as a variant, unless that is empty. Throws CannotRun if it has no such variant.
[[nodiscard]] TestedLock tested_lock_of(const LockFile& lock, int nodes = 0,
                                        const std::string& variant = {});

// A foreign lock whose short leases are the one that a user gets who names none; the same lock,
// where it has none.
[[nodiscard]] TestedLock with_default_lease(TestedLock lock);

// Reads `directory`/declared.json. Throws CannotRun, naming the file and what is wrong with it.
[[nodiscard]] TestedLock load_tested_lock(const std::filesystem::path& directory,
                                          std::vector<std::string> command);

// Throws CannotRun if that server is too old to know the lock's commands.
void must_suit(const RedisBinary& redis, const TestedLock& lock, Reaper& reaper);

// A script of a stage: its file's name, and its text.
struct ScriptFile {
  std::string name;
  std::string text;
};

// The scripts of `stage`; none of a foreign lock, whose scripts are in its library. A server that
// has been in use for a while knows them; to one that does not, the first call of a script is sent
// twice.
[[nodiscard]] std::vector<ScriptFile> scripts_of(const TestedLock& stage);

// The wrong turns of `stage`, by name. What one does not declare it has from its stage, except for
// the scenarios: it has those that show what is wrong. Its client lies beside its stage's. Throws
// CannotRun.
[[nodiscard]] std::vector<TestedLock> load_wrong_turns(const TestedLock& stage);
// The same of its variants.
[[nodiscard]] std::vector<TestedLock> load_variants(const TestedLock& stage);

}  // namespace faults
