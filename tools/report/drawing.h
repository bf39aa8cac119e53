// One execution of a scenario as the page draws it: a JSON made of the same picture as the
// terminal's timeline (faults/judging/picture.h).
//
//   verdict, sentence, boundary   in words; boundary is empty outside a sweep
//   findings   [property, sentence], the first of each property
//   lanes      [name, 1 for a server]
//   lines      [ms, fault], or [ms, 0, [text in a lane, ...]]; a text is [lane, kind, text,
//              1 for evidence, the first of its messages (message.h), how many it has]; a message
//              with the same text as the one before comes without it
//   bars       [lane, from line, to line, owner, 1 if mistaken]: a client's belief, or a lock on a
//              server
//   still      [lane, from line, to line, word]: frozen, or gone
//   struck     [line, lane]: the lane that a fault struck
//   collisions [[line, lane] of the lost write, [line, lane] of the write that overwrote it]
//
// Lines and lanes are counted from 0; "to" is not included. Thread-safety: pure functions.
#pragma once

#include <nlohmann/json.hpp>

#include "faults/kit/history.h"
#include "tools/terminal/language.h"

namespace report {

[[nodiscard]] nlohmann::json drawing_of(const faults::Record& record);
// Puts the texts of a drawing into that language: all but the verdict, which is a key.
void translate(nlohmann::json& drawing, const terminal::Language& language);

}  // namespace report
