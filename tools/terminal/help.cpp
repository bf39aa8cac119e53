#include "tools/terminal/help.h"

#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <utility>

#include "faults/kit/text_width.h"
#include "tools/terminal/text.h"

namespace terminal {
namespace {

// With the colon of Chinese after Chinese words; it is as wide as a colon and a blank.
std::string with_wide_colons(std::string text) {
  for (auto at = text.find(':'); at != text.npos; at = text.find(':', at + 1)) {
    const bool is_after_chinese = at > 0 && static_cast<unsigned char>(text[at - 1]) >= 0x80;
    if (is_after_chinese) text.replace(at, text.compare(at, 2, ": ") == 0 ? 2 : 1, "：");
  }
  return text;
}

// CLI11 counts bytes, and a Chinese character has three of them in two columns.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const Language& language) {
    for (const auto* word : {"Usage", "OPTIONS", "SUBCOMMAND", "SUBCOMMANDS", "Positionals",
                             "REQUIRED", "Needs", "Excludes", "Env"}) {
      label(word, language(word));
    }
  }

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return with_wide_colons(CLI::Formatter::make_help(app, std::move(name), mode));
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return in_columns(make_option_name(option, is_positional) + make_option_opts(option),
                      make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return in_columns(command->get_display_name(true), command->get_description());
  }

 private:
  [[nodiscard]] std::string in_columns(const std::string& name, const std::string& meaning) const {
    const auto column = get_column_width();
    auto line = padded("  " + name, column);
    const bool is_long = faults::width_in_columns(name) + 2 >= column;
    if (is_long && !meaning.empty()) line += "\n" + std::string(column, ' ');
    return line + meaning + "\n";
  }
};

// A line of a footer. Of an example, what stands after a gap: what the command does.
std::string line_in(const Language& language, const std::string& line) {
  const auto gap = line.rfind("  ");
  if (gap == std::string::npos || gap < line.find_first_not_of(' ')) return language(line);
  const auto meaning = gap + 2;
  return line.substr(0, meaning) + language(line.substr(meaning));
}

// Lines that are no examples: one sentence in several lines, or a sentence in each.
std::string paragraph_in(const Language& language, const std::string& lines) {
  if (lines.empty()) return {};
  std::string joined = lines.substr(0, lines.size() - 1);
  for (auto& letter : joined) letter = letter == '\n' ? ' ' : letter;
  auto sentence = language(joined);
  return sentence == joined ? language(lines) : wrapped(sentence);
}

std::string footer_in(const Language& language, const std::string& footer) {
  std::istringstream lines(footer);
  std::string translated;
  std::string paragraph;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !line.starts_with("  ")) {
      paragraph += line + "\n";
      continue;
    }
    translated += paragraph_in(language, std::exchange(paragraph, {})) + line_in(language, line);
    translated += '\n';
  }
  translated += paragraph_in(language, paragraph);
  if (!translated.empty()) translated.pop_back();  // the formatter adds one
  return translated;
}

void translate(CLI::App& app, const Language& language,
               const std::shared_ptr<HelpFormatter>& formatter) {
  app.formatter(formatter);
  app.description(language(app.get_description()));
  app.footer(footer_in(language, app.get_footer()));
  app.group(language(app.get_group()));
  for (auto* option : app.get_options()) {
    option->description(language(option->get_description()));
    option->group(language(option->get_group()));
    option->default_str(language(option->get_default_str()));
    const auto type = option->get_type_name();
    formatter->label(type, language(type));
  }
  for (auto* command : app.get_subcommands(std::function<bool(CLI::App*)>())) {
    translate(*command, language, formatter);
  }
}

}  // namespace

void translate_help(CLI::App& app, const Language& language) {
  if (language.catalogue().empty()) return;
  translate(app, language, std::make_shared<HelpFormatter>(language));
}

}  // namespace terminal
