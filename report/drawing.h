// One telling of a story as the page draws it: a JSON made of the same picture as the terminal's
// timeline (faults/judging/picture.h).
//
//   verdict, sentence, boundary   in words; boundary is empty outside a sweep
//   findings   [property, sentence], the first of each property
//   lanes      [name, 1 for a server]
//   lines      [ms, fault], or [ms, 0, [what is said in a lane]]: [lane, kind, text,
//              1 for evidence, the first messages that it stands for (message.h), how many it
//              stands for]; a message whose text was just said comes without it
//   bars       [lane, from line, to line, owner, 1 if mistaken]: who believes, what a server holds
//   still      [lane, from line, to line, word]: frozen, or gone
//   struck     [line, lane]: where a fault fell
//   collisions [[line, lane] of the write that was lost, [line, lane] of the one that buried it]
//
// Lines and lanes are counted from 0; "to" is not included. Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>

#include "faults/judging/history.h"

namespace report {

[[nodiscard]] nlohmann::json drawing_of(const faults::Record& record);

}  // namespace report
