// The Chinese pages. Each has the commands, the code, the tables and the outside links of an
// English page; the comments after commands are Chinese. Each begins with a comment that says which
// English text it was last compared with:
//
//   <!-- english: 1c2d3e4f 5a6b7c8d … -->
//
// The comment has one number for each section of the English page. A test names the sections that
// have changed since; `./lab record --compared PAGE` writes the comment again.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/book/pages.h"

namespace book {

struct Translation {
  std::filesystem::path english;
  std::filesystem::path chinese;
  bool in_short = false;  // says less than the English page: need not have its tables and commands
};

// README.md, the lessons, the challenges, and most of docs/.
[[nodiscard]] std::vector<Translation> translations();

// One line for each thing that the two pages must share and do not.
[[nodiscard]] std::vector<std::string> differences(const Page& english, const Page& chinese);

// The headings of the English sections that are new or changed since the pages were compared.
[[nodiscard]] std::vector<std::string> changed_sections(const Page& english,
                                                        const std::string& chinese);

// The Chinese page with a comment that names the English text as it is now.
[[nodiscard]] std::string marked_as_compared(const Page& english, const std::string& chinese);

}  // namespace book
