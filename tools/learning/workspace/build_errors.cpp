// The errors of a compiler and a linker, in terms of the learner's own files.
#include <fmt/format.h>

#include <regex>
#include <sstream>
#include <vector>

#include "tools/learning/workspace/build.h"

namespace learning {
namespace {

namespace fs = std::filesystem;

bool is_of_the_linker(const std::string& line) {
  return line.find("undefined reference") != std::string::npos ||
         line.find("multiple definition") != std::string::npos;
}

bool is_error(const std::string& line) {
  // "The linker has failed" is no error of its own.
  if (line.starts_with("collect2: ") || line.find("linker command failed") != std::string::npos) {
    return false;
  }
  return line.find(": error: ") != std::string::npos ||
         line.find(": fatal error: ") != std::string::npos || is_of_the_linker(line);
}

void erase_all(std::string& line, const std::string& part) {
  for (auto at = line.find(part); at != std::string::npos; at = line.find(part, at)) {
    line.erase(at, part.size());
  }
}

// The words of a compiler or a linker that works in `made`, with the learner's own files by their
// names alone.
class OwnWords {
 public:
  OwnWords(const fs::path& workspace, const fs::path& made) {
    const auto copy = fs::absolute(workspace).lexically_normal();
    const auto from_made = copy.lexically_proximate(fs::absolute(made).lexically_normal());
    directories_ = {fs::absolute(made).native() + "/" + from_made.native() + "/",
                    fs::absolute(workspace).native() + "/", copy.native() + "/",
                    from_made.native() + "/"};
  }

  [[nodiscard]] std::string of(std::string line) const {
    static const std::regex linker("^\\S*ld: ");
    static const std::regex object("CMakeFiles/my_lock\\.dir[^:;]*/([^/:;]+\\.cpp)\\.o: ?");
    static const std::regex place("^([^/\\s:]+:[0-9]+): (?=undefined|multiple)");
    line = std::regex_replace(line, linker, "");
    line = std::regex_replace(line, object, "$1: ");
    for (const auto& directory : directories_) erase_all(line, directory);
    return std::regex_replace(line, place, "$1: error: ");
  }

 private:
  std::vector<std::string> directories_;
};

// The place in the learner's files that the compiler names before an error in somebody else's:
// "lock.cpp:32:49:   required from here", or one file that another is included from.
class WhereFrom {
 public:
  void read(const std::string& line) {
    static const std::regex required("^([^/\\s:]+:[0-9]+(:[0-9]+)?): +required from");
    static const std::regex included(" from ([^/\\s:]+:[0-9]+)[,:]");
    const bool is_of_something_new =
        line.starts_with("In file included from") || line.find(": warning: ") != std::string::npos;
    if (is_of_something_new) place_.clear();
    std::smatch match;
    if (std::regex_search(line, match, required)) place_ = match[1];
    if (place_.empty() && std::regex_search(line, match, included)) place_ = match[1];
  }

  // "lock.cpp:32:49: error: ... (in /usr/include/...)"; `error` itself if there is no such place.
  [[nodiscard]] std::string lead(const std::string& error) const {
    static const std::regex parts("^(/[^:]+:[0-9]+)(:[0-9]+)?(: (fatal )?error: .*)$");
    std::smatch match;
    if (place_.empty() || !std::regex_match(error, match, parts)) return error;
    return fmt::format("{}{} (in {})", place_, match[3].str(), match[1].str());
  }

 private:
  std::string place_;
};

// Adds what a learner cannot know of how a workspace is built: which class a missing function is
// of.
std::string with_what_is_missing(const std::string& error) {
  const bool not_there = error.find("undefined reference to `stage") != std::string::npos;
  return not_there ? error + " (declared in your lock.h, and to be written in your lock.cpp)"
                   : error;
}

}  // namespace

Built first_error_in(const std::string& output, const fs::path& workspace, const fs::path& made) {
  const OwnWords own_words(workspace, made);
  Built built;
  WhereFrom where_from;
  std::istringstream lines(output);
  bool in_excerpt = false;
  for (std::string said; std::getline(lines, said);) {
    const auto line = own_words.of(said);
    if (is_error(line) && built.error.empty()) {
      built.error = where_from.lead(line);
      in_excerpt = built.error == line;  // only of the learner's files
      built.error = with_what_is_missing(built.error);
    } else if (is_error(line)) {
      ++built.more;
      in_excerpt = false;
    } else if (in_excerpt && line.find(" | ") != std::string::npos) {
      built.excerpt += line + "\n";
    } else {
      where_from.read(line);
      in_excerpt = false;
    }
  }
  return built;
}

}  // namespace learning
