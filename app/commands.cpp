#include "app/commands.h"

#include "faults/kit/interrupt.h"

namespace app {

int with_reaper(const std::function<int(faults::Reaper&)>& work) {
  faults::Reaper reaper;
  const faults::Interrupt interrupt(reaper);
  return work(reaper);
}

void add_json_flag(CLI::App& line, Shared& shared) {
  line.add_flag("--json", shared.options.json, "for a machine to read");
}

}  // namespace app
