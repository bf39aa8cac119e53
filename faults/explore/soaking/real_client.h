// A client of a round in real time: goes through its program, pass after pass, with pauses that its
// dice choose; and now and then they put a fault in its way.
//
// A fault is put at a boundary of an operation: at the reply that the dice choose the client is
// frozen, killed or loses its connection. If the operation ends before, there was no fault.
//
// Thread-safety: none; the round's thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "faults/explore/search/dice.h"
#include "faults/explore/world/program.h"
#include "faults/kit/history.h"
#include "faults/world/world.h"

namespace explore {

// The things that the clients of one round share.
struct RoundSettings {
  const Program& program;
  std::chrono::microseconds lease;
  unsigned faults = 0;  // the kinds that may happen (Fault)
  int faults_left = 0;  // so many may still happen
  int faults_thrown = 0;
  long passes = 0;  // that have come to their end
};

class RealClient {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Starts it. `passes`: so many times it goes through its program. Throws CannotRun.
  RealClient(faults::World& world, faults::History& history, RoundSettings& settings,
             std::string name, int passes, std::uint64_t seed);
  RealClient(const RealClient&) = delete;
  RealClient& operator=(const RealClient&) = delete;

  // Does what is due, and returns at once. Throws NotExercised, Misbehaved, CannotRun.
  void look(Time now);
  // It has done all of its passes, and rests; or it is dead.
  [[nodiscard]] bool is_over() const { return dead_ || (passes_left_ == 0 && !pending_); }
  [[nodiscard]] bool is_dead() const { return dead_; }
  [[nodiscard]] int passes_left() const { return passes_left_; }

 private:
  void go_on(Time now);
  void ask(const std::string& operation);
  void take(const std::string& outcome, Time now);
  // Puts a fault in the way of that operation, if the dice say so.
  void throw_for(const std::string& operation, Time now);
  void arm(unsigned kind, const std::string& operation, Time now);
  void strike(Time now);
  void cut_off(Time now);
  void mend();
  [[nodiscard]] faults::Link& some_link(const std::string& operation);

  faults::World& world_;
  faults::History& history_;
  RoundSettings& settings_;
  faults::Client& client_;
  Dice dice_;
  int passes_left_;
  ProgramPlace place_;
  std::string last_;     // the operation before
  std::string outcome_;  // of that
  std::optional<faults::Pending> pending_;
  Time asked_at_;
  Time goes_on_at_;
  std::optional<faults::Fault> armed_;
  unsigned armed_kind_ = 0;
  std::optional<Time> thaws_at_;
  std::optional<Time> mends_at_;
  bool dead_ = false;
};

}  // namespace explore
