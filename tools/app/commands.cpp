#include "tools/app/commands.h"

#include "faults/kit/interrupt.h"
#include "tools/servers/redis_option.h"
#include "tools/terminal/console.h"

namespace app {

void add_shared_flags(CLI::App& lab, Shared& shared) {
  shared.options.runs = LAB_SOURCE_DIR "/runs";
  lab.add_flag("--no-color", shared.no_color, "no colour, as with NO_COLOR");
  lab.add_option("--lang", shared.language, "the language: en, or zh; otherwise that of LANG");
  lab.add_option("--runs", shared.options.runs, "where to keep what a run leaves")
      ->default_str("runs/, beside ./lab");
  servers::add_redis_option(lab, shared.options.redis);
  lab.add_flag_callback(
      "--no-predict", [&shared] { shared.predict = false; },
      "do not ask what will happen, in the tour and in learn");
}

void choose_look(Shared& shared) {
  shared.options.paint = terminal::paint_for_output(!shared.no_color);
  shared.options.language = shared.language.empty() ? terminal::Language::of_environment()
                                                    : terminal::Language::named(shared.language);
}

int with_reaper(const terminal::Language& language,
                const std::function<int(faults::Reaper&)>& work) {
  faults::Reaper reaper;
  const faults::Interrupt interrupt(reaper, language(faults::Interrupt::says));
  return work(reaper);
}

CLI::Option* add_json_flag(CLI::App& line, Shared& shared) {
  return line.add_flag("--json", shared.options.json, "for a machine to read");
}

CLI::Option* add_time_option(CLI::App& line, std::string& time) {
  time = "real";
  return line
      .add_option("--time", time,
                  "real, or virtual: it advances when no process has anything to do")
      ->check(CLI::IsMember({"real", "virtual"}))
      ->capture_default_str();
}

CLI::Option* add_facts_option(CLI::App& line, std::filesystem::path& facts) {
  return line
      .add_option("--facts", facts,
                  "a file with fields of a lock.json (field/README.md): what cannot be seen of the "
                  "client, such as its times")
      ->check(CLI::ExistingFile);
}

void add_server_option(CLI::App& line, std::string& server) {
  server = "127.0.0.1:6379";
  line.add_option("--server", server, "HOST:PORT, unix:PATH, or a URL (redis://, rediss://)")
      ->capture_default_str()
      ->envname("REDIS_URL");
}

}  // namespace app
