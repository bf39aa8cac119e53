// Text inside XML: in a drawing, in a report for a machine.
//
// Thread-safety: a pure function.
#pragma once

#include <string>
#include <string_view>

namespace terminal {

// `text` without the characters that mean something in XML. It has no form for most control
// characters: they become spaces.
[[nodiscard]] std::string xml_text(std::string_view text);

}  // namespace terminal
