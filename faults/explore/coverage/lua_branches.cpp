#include "faults/explore/coverage/lua_branches.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "faults/explore/coverage/lua_words.h"

namespace explore {
namespace {

std::string line_at(std::string_view script, std::size_t place) {
  const auto first = script.rfind('\n', place) + 1;  // npos + 1 is 0
  const auto begin = std::min(script.find_first_not_of(" \t", first), place);
  auto line = script.substr(begin, script.find('\n', place) - begin);
  while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  return std::string(line);
}

// Reads a script word by word, and writes its copy.
class Brancher {
  using Kind = LuaBranch::Kind;

 public:
  explicit Brancher(std::string_view script) : script_(script) {}

  [[nodiscard]] std::optional<BranchedScript> branches() {
    for (const auto& word : lua_words(script_)) {
      if (!take(word)) return std::nullopt;
    }
    if (!blocks_.empty()) return std::nullopt;
    copy_until(script_.size());
    return BranchedScript{.branches = std::move(branches_), .counting = wrapped()};
  }

 private:
  struct Block {
    std::string_view opened_by;
    LuaWord condition;      // of an `if`: that or its last `elseif`; of a loop: its keyword
    bool has_else = false;  // of an `if`
  };

  // False: the word does not fit here.
  [[nodiscard]] bool take(const LuaWord& word) {
    const auto& text = word.text;
    if (text == "if" || text == "for" || text == "while" || text == "function") return open(word);
    if (text == "repeat") return open(word) && mark_after(word, Kind::loop, word);
    if (text == "do") return take_do(word);
    if (text == "then") return is_in("if") && mark_after(word, Kind::if_true, top().condition);
    if (text == "elseif") return is_in("if") && (top().condition = word, true);
    if (text == "else") {
      return is_in("if") && (top().has_else = true) && mark_after(word, Kind::otherwise, word);
    }
    if (text == "end") return take_end(word);
    return text != "until" || (is_in("repeat") && close());
  }

  bool open(const LuaWord& word) {
    blocks_.push_back({.opened_by = word.text, .condition = word});
    return true;
  }

  bool close() {
    blocks_.pop_back();
    return true;
  }

  // Of a loop, whose body begins here, or a block of its own.
  bool take_do(const LuaWord& word) {
    if (!is_in("for") && !is_in("while")) return open(word);
    top().opened_by = "do";
    return mark_after(word, Kind::loop, top().condition);
  }

  bool take_end(const LuaWord& word) {
    if (!is_in("if") && !is_in("do") && !is_in("function")) return false;
    if (is_in("if") && !top().has_else) {
      copy_until(word.at);
      copy_ += "else " + mark(Kind::if_false, top().condition) + " ";
    }
    return close();
  }

  bool mark_after(const LuaWord& word, Kind kind, const LuaWord& keyword) {
    copy_until(word.at + word.text.size());
    copy_ += " " + mark(kind, keyword);
    return true;
  }

  std::string mark(Kind kind, const LuaWord& keyword) {
    branches_.push_back(
        {.kind = kind, .line = keyword.line, .source = line_at(script_, keyword.at)});
    return fmt::format("lab_taken[{}] = true;", branches_.size());
  }

  void copy_until(std::size_t place) {
    copy_ += script_.substr(copied_, place - copied_);
    copied_ = place;
  }

  // Its lines keep their numbers: errors name them.
  [[nodiscard]] std::string wrapped() const {
    const auto flags = copy_.starts_with("#!") ? copy_.find('\n') + 1 : 0;
    return copy_.substr(0, flags) + "local lab_taken = {} local function lab_script() " +
           copy_.substr(flags) +
           "\nend\n"
           "local lab_fine, lab_answer = pcall(lab_script)\n"
           "if not lab_fine and type(lab_answer) ~= 'table' then\n"
           "  lab_answer = {err = tostring(lab_answer)}\n"
           "end\n"
           "local lab_list = {}\n"
           "for lab_number in pairs(lab_taken) do lab_list[#lab_list + 1] = lab_number end\n"
           "return {lab_list, lab_answer}\n";
  }

  [[nodiscard]] Block& top() { return blocks_.back(); }
  [[nodiscard]] bool is_in(std::string_view opened_by) const {
    return !blocks_.empty() && blocks_.back().opened_by == opened_by;
  }

  const std::string_view script_;
  std::vector<Block> blocks_;  // that are open, the innermost last
  std::vector<LuaBranch> branches_;
  std::string copy_;
  std::size_t copied_ = 0;
};

}  // namespace

std::string_view describe_untaken(LuaBranch::Kind kind) {
  switch (kind) {
    case LuaBranch::Kind::if_true: return "never true";
    case LuaBranch::Kind::if_false: return "never false";
    case LuaBranch::Kind::loop: return "never entered";
    case LuaBranch::Kind::otherwise: break;
  }
  return "never taken";
}

std::optional<BranchedScript> branches_of(std::string_view script) {
  return Brancher(script).branches();
}

}  // namespace explore
