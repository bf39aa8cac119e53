#include "tools/field/java_archive.h"

#include <fmt/format.h>
#include <unistd.h>

#include "faults/kit/reaper.h"
#include "faults/kit/redis_binary.h"
#include "faults/kit/temp_dir.h"
#include "faults/world/world.h"
#include "tools/field/locks.h"

namespace field {
namespace {

// Without a log: its lines would go to the adapter's standard output.
void use_once(faults::TestedLock stage, const std::filesystem::path& archive) {
  stage.environment["JDK_JAVA_OPTIONS"] =
      "-XX:ArchiveClassesAtExit=" + archive.native() + " -Xlog:disable";
  faults::Reaper reaper;
  const faults::TempDir directory(reaper);
  faults::History history(directory.path() / "history.jsonl");
  faults::World world(stage, faults::find_redis(), reaper, history, directory.path());
  auto& client = world.client("A");
  (void)client.acquire();
  (void)client.work();
  (void)client.release();
  client.say_bye();
}

}  // namespace

// Made beside its place: a machine that finds half of one crashes.
void make_java_archive(const faults::LockFile& lock) {
  auto part = lock.java_archive();
  part += fmt::format(".{}", getpid());
  std::error_code none;
  std::filesystem::remove(part, none);
  try {
    use_once(lock_named(lock.name), part);
    std::filesystem::rename(part, lock.java_archive(), none);
  } catch (const std::runtime_error&) {
    std::filesystem::remove(part, none);
  }
}

}  // namespace field
