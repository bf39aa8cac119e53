// Results as pictures, by gnuplot (http://www.gnuplot.info).
#pragma once

#include <filesystem>

#include "tools/bench/results/results.h"

namespace bench {

// Writes one SVG for each group into `directory`: bars, medians over the repetitions, with the
// least and the most as whiskers. False if there is no gnuplot, or it failed.
[[nodiscard]] bool draw_plots(const Results& results, const std::filesystem::path& directory);

}  // namespace bench
