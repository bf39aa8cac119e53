// What is around the lanes in the picture of a run: the title, the verdict, what the colours mean.
//
// `drawing` is in the reader's language already; the other words are put into it here. Each
// function draws from `y` downwards and returns where it ended. Thread-safety: none needed, they
// change `svg` alone.
#pragma once

#include <nlohmann/json.hpp>

#include "tools/pictures/svg.h"
#include "tools/terminal/language.h"

namespace pictures {

// The stage, the scenario, how to run it, and what happens in it.
[[nodiscard]] double draw_head(Svg& svg, const nlohmann::json& setting,
                               const nlohmann::json& drawing, const terminal::Language& language);

// The verdict in a box.
[[nodiscard]] double draw_verdict(Svg& svg, const nlohmann::json& drawing, double y,
                                  const terminal::Language& language);

// What bars and colours mean, in one line: only what the drawing has.
[[nodiscard]] double draw_key(Svg& svg, const nlohmann::json& drawing, double y,
                              const terminal::Language& language);

// "violated: B's write at 307 ms was overwritten by ...".
[[nodiscard]] std::string verdict_of(const nlohmann::json& drawing,
                                     const terminal::Language& language);

}  // namespace pictures
