#include "faults/explore/stepping/stepper.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "faults/explore/search/last_chance.h"
#include "faults/explore/search/search_report.h"
#include "faults/explore/stepping/moment_view.h"
#include "faults/kit/errors.h"
#include "faults/kit/replace_file.h"
#include "faults/kit/shell_word.h"
#include "faults/running/result_text.h"

namespace explore {
namespace {

constexpr const char* help =
    "  NUMBER        that event happens\n"
    "  (Enter)       the first of them happens\n"
    "  next          clients continue, until a command of one has been carried out\n"
    "  go            every client continues by itself, to the end\n"
    "  back [N]      one step back, or to where it is after step N\n"
    "  timeline      all that has happened\n"
    "  search        every order from here on, with at most one more fault\n"
    "  save FILE     saves the steps: ./lab replay FILE repeats them\n"
    "  quit\n"
    "The first letter of a word is enough.\n"
    "\n"
    "Real clients, a real server, and a time that advances when you say so. A client believes "
    "that\n"
    "it holds the lock; the server says whose it is. Where the two differ, look for the bug. A\n"
    "frozen client does nothing until it is thawed, and its lease runs out.\n";

// The faults that a search from here on may choose.
constexpr unsigned searched_faults = freeze_fault | kill_fault | lose_fault | slow_fault;

std::optional<std::size_t> number_in(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// True if `text` is that word, or a beginning of it.
bool means(const std::string& text, std::string_view word) {
  return !text.empty() && word.starts_with(text);
}

}  // namespace

Stepper::Stepper(const WorldPlan& world, faults::Reaper& reaper, std::ostream& out,
                 faults::Paint paint)
    : world_(world), reaper_(reaper), out_(out), paint_(paint), run_(world, reaper) {}

void Stepper::begin(const std::vector<Schedule::Step>& steps) {
  run_.begin(steps);
  show();
}

std::string Stepper::prompt() const {
  return fmt::format("{}> ", run_.labels().size() + 1);
}

void Stepper::show() {
  constexpr std::size_t lines_shown = 6;
  if (run_.is_over()) {
    out_ << "\n"
         << faults::describe_record(run_.record(), run_.judgement(), paint_) << last_chance()
         << "The run has ended: back, save FILE, or quit.\n";
    return;
  }
  out_ << "\n"
       << end_of_timeline(run_.record(), lines_shown, paint_)
       << describe_moment(run_.moment(), paint_);
}

std::string Stepper::last_chance() const {
  const auto& findings = run_.judgement().findings;
  if (findings.empty()) return {};
  Controller controller(world_, reaper_);
  const auto chance = last_chance_in_time(controller, run_.labels(), findings.front().property);
  return chance ? describe(*chance) + "\n" : "";
}

faults::Verdict Stepper::verdict() const {
  const auto& judgement = run_.judgement();
  if (run_.is_over() || !judgement.findings.empty()) return judgement.verdict;
  return faults::Verdict::not_exercised;
}

bool Stepper::obey(const std::string& line) {
  std::istringstream words(line);
  std::string verb;
  std::string object;  // all of the rest: a file's name may have spaces
  words >> verb;
  std::getline(words >> std::ws, object);
  if (means(verb, "quit")) return false;
  if (verb == "?" || means(verb, "help")) {
    out_ << help;
  } else if (verb.empty()) {
    choose(1);
  } else if (const auto number = number_in(verb)) {
    choose(*number);
  } else if (means(verb, "back")) {
    go_back(number_in(object));
  } else if (means(verb, "next") || means(verb, "go")) {
    run_on(means(verb, "go"));
  } else if (means(verb, "timeline")) {
    out_ << faults::draw_timeline(run_.record(), paint_);
  } else if (verb == "save" || (verb == "s" && !object.empty())) {
    save(object);
  } else if (means(verb, "search")) {
    search_from_here();
  } else {
    out_ << fmt::format("\"{}\" is none of the words here; ? lists them\n", verb);
  }
  return true;
}

void Stepper::choose(std::size_t number) {
  const auto& events = run_.events();
  if (run_.is_over()) {
    out_ << "The run has ended: back, save FILE, or quit.\n";
  } else if (number < 1 || number > events.size()) {
    out_ << fmt::format("there are 1 to {}\n", events.size());
  } else {
    const auto event = events[number - 1];
    out_ << paint_.bold(event.label) << "\n";
    run_.choose(event);
    show();
  }
}

void Stepper::go_back(std::optional<std::size_t> to) {
  auto labels = run_.labels();
  if (labels.empty()) {
    out_ << "this is the beginning: there is no step to take back\n";
  } else if (to && *to >= labels.size()) {
    out_ << fmt::format("this is after step {}: back goes to an earlier one\n", labels.size());
  } else {
    labels.resize(to.value_or(labels.size() - 1));
    begin(steps_from(labels));
  }
}

void Stepper::run_on(bool to_the_end) {
  if (run_.is_over()) return choose(1);
  run_.run_on(to_the_end);
  show();
}

void Stepper::save(const std::filesystem::path& file) {
  if (file.empty()) {
    out_ << "save needs a file: save my-schedule\n";
  } else if (!faults::replace_file(file, to_text(run_.schedule(), "chosen by hand"))) {
    out_ << fmt::format("cannot write {}\n", file.native());
  } else {
    out_ << fmt::format("kept: ./lab replay {}\n", faults::shell_word(file.native()));
  }
}

void Stepper::search_from_here() {
  if (run_.is_over()) return choose(1);
  const SearchPlan plan{.faults = searched_faults,
                        .budget = std::chrono::seconds(20),
                        .workers = OneCpu::count(),
                        .looks_back = true,
                        .after = run_.labels()};
  const auto result = search(world_, plan, reaper_);
  out_ << "\n" << describe_search(result, plan, world_, {}, paint_);
  out_ << "You are where you were.\n";
}

}  // namespace explore
