// The tour as a program of its own, `lab_tour`: the script ./lab shows it while the program `lab`,
// which can do all the rest as well, is being built for the first time.
#pragma once

namespace app {

// Its `main`. Returns the exit code.
[[nodiscard]] int tour_program(int argc, char** argv);

}  // namespace app
