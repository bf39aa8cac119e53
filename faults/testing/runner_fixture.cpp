// A runner for the reaper's tests to kill: it starts a server and a stopped child, makes a
// directory, says what they are, and waits. "interruptible" as its argument: with an Interrupt.
// "stalls": says where its history is, and only detects stalls.
#include <fmt/format.h>
#include <unistd.h>

#include <iostream>
#include <optional>
#include <string_view>

#include "faults/kit/history.h"
#include "faults/kit/interrupt.h"
#include "faults/kit/loop.h"
#include "faults/kit/process.h"
#include "faults/kit/reaper.h"
#include "faults/kit/redis_server.h"
#include "faults/kit/stall_detector.h"
#include "faults/kit/temp_dir.h"

int main(int argc, char** argv) {
  faults::Reaper reaper;
  std::optional<faults::Interrupt> interrupt;
  if (argc > 1 && std::string_view(argv[1]) == "interruptible") interrupt.emplace(reaper);
  const faults::TempDir directory(reaper);
  faults::History history(directory.path() / "history.jsonl");
  if (argc > 1 && std::string_view(argv[1]) == "stalls") {
    faults::StallDetector detector(history, std::chrono::milliseconds(50));
    detector.start();
    std::cout << (directory.path() / "history.jsonl").native() << std::endl;
    for (;;) pause();
  }
  faults::Loop loop;
  faults::RedisServer redis(faults::find_redis(), loop, history, reaper, "redis",
                            directory.path() / "redis.log");
  faults::Process stopped({.program = "/bin/cat",
                           .arguments = {"cat"},
                           .environment = {},
                           .log = directory.path() / "cat.log"},
                          reaper);
  stopped.freeze();
  std::cout << fmt::format("{}\n{}\n{}\n", redis.process().id(), stopped.id(),
                           directory.path().native())
            << fmt::format("{}\n",
                           std::filesystem::path(redis.address().unix_path).parent_path().native())
            << std::flush;
  for (;;) pause();
}
