#include "faults/explore/stepping/step_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "faults/explore/stepping/moment_json.h"
#include "faults/explore/stepping/tried_branches.h"
#include "faults/judging/timeline.h"
#include "faults/kit/errors.h"
#include "step_page.h"

namespace explore {
namespace {

using nlohmann::json;
using Labels = std::vector<std::string>;

constexpr const char* loopback = "127.0.0.1";
constexpr const char* json_type = "application/json";
// Everything that the page needs is in it.
constexpr const char* policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; connect-src 'self'";

// One file: the page, with the parts that it shares with the report.
std::string whole_page() {
  std::string html(page::html);
  const auto put = [&](std::string_view mark, std::string_view part) {
    html.replace(html.find(mark), mark.size(), part);
  };
  put("/* moment.css */", page::moment_css);
  put("<!-- moment.html -->", page::moment_html);
  put("/* language.js */", page::language_script);
  put("/* moment.js */", page::moment_script);
  return html;
}

// True if `steps` is `now` and one more step.
bool is_one_more(const Labels& steps, const Labels& now) {
  return steps.size() == now.size() + 1 && std::equal(now.begin(), now.end(), steps.begin());
}

}  // namespace

class StepServer::Pages {
 public:
  Pages(const WorldPlan& world, const std::vector<Schedule::Step>& steps, faults::Reaper& reaper,
        PageLanguage language)
      : language_(std::move(language)), lock_(world.stage.name), run_(world, reaper) {
    if (language_.texts.empty()) language_ = {.texts = "{}", .translate = std::identity()};
    run_.begin(steps);
    tried_.add(run_.labels());
    // One request at a time: there is one run.
    server_.new_task_queue = [] { return new httplib::ThreadPool(1); };
    server_.set_keep_alive_max_count(1);
    port_ = server_.bind_to_any_port(loopback);
    if (port_ < 0) throw faults::CannotRun("no port is free on 127.0.0.1");
    answer_requests();
  }

  [[nodiscard]] std::string address() const {
    return fmt::format("http://{}:{}/", loopback, port_);
  }
  void serve() { server_.listen_after_bind(); }
  void stop() { server_.stop(); }

 private:
  void answer_requests() {
    server_.set_default_headers(
        {{"Content-Security-Policy", policy}, {"Cache-Control", "no-store"}});
    // Another site's name may lead here, too.
    server_.set_pre_routing_handler([this](const auto& request, auto& response) {
      const auto host = request.get_header_value("Host");
      if (host == fmt::format("{}:{}", loopback, port_) ||
          host == fmt::format("localhost:{}", port_)) {
        return httplib::Server::HandlerResponse::Unhandled;
      }
      response.status = 403;
      return httplib::Server::HandlerResponse::Handled;
    });
    server_.Get("/", [](const auto&, auto& response) {
      response.set_content(whole_page(), "text/html; charset=utf-8");
    });
    server_.Get("/texts", [this](const auto&, auto& response) {
      response.set_content(std::string(language_.texts), json_type);
    });
    server_.Get("/moment", [this](const auto&, auto& response) { answer(response); });
    // A page of another site cannot send that type unasked.
    server_.Post("/steps", [this](const auto& request, auto& response) {
      if (request.get_header_value("Content-Type") != json_type)
        return refuse(response, "not JSON");
      go_to(request.body, response);
    });
  }

  static void refuse(httplib::Response& response, const std::string& why) {
    response.status = 409;
    response.set_content(json{{"error", why}}.dump(), json_type);
  }

  void answer(httplib::Response& response) { response.set_content(moment().dump(), json_type); }

  void go_to(const std::string& body, httplib::Response& response) {
    const auto before = run_.labels();
    try {
      go_to(json::parse(body).at("steps").get<Labels>());
      answer(response);
    } catch (const json::exception&) {
      refuse(response, "not a list of steps");
    } catch (const faults::CannotRun& error) {
      run_.begin(steps_from(before));
      refuse(response, language_.translate(error.what()));
    }
  }

  void go_to(const Labels& steps) {
    const auto& events = run_.events();
    const auto next = std::find_if(events.begin(), events.end(), [&](const Event& event) {
      return is_one_more(steps, run_.labels()) && event.label == steps.back();
    });
    if (!run_.is_over() && next != events.end()) {
      run_.choose(Event(*next));
    } else {
      run_.begin(steps_from(steps));
    }
    tried_.add(run_.labels());
  }

  // `moment` in the reader's language.
  [[nodiscard]] json texts_of(const json& moment) const {
    json texts = json::object();
    const auto add = [&](const std::string& text) { texts[text] = language_.translate(text); };
    for (const auto& event : moment["events"]) add(event["label"]);
    for (const auto& branch : tried_.all()) std::for_each(branch.begin(), branch.end(), add);
    for (const auto& finding : moment["broken"]) {
      add(finding["property"]);
      add(finding["sentence"]);
    }
    return texts;
  }

  [[nodiscard]] json moment() {
    json object{{"lock", lock_},
                {"steps", run_.labels()},
                {"over", run_.is_over()},
                {"broken", to_json(run_.judgement())},
                {"events", to_json(run_.events())},
                {"timeline", language_.translate(faults::draw_timeline(run_.record(), {}))},
                {"tried", tried_.all()}};
    object["texts"] = texts_of(object);
    if (run_.is_over()) return object;
    const auto now = run_.moment();
    object["now_ms"] = now.now.count();
    object.update(to_json(now.snapshot));
    return object;
  }

  PageLanguage language_;
  const std::string lock_;
  SteppedRun run_;
  TriedBranches tried_;
  httplib::Server server_;
  int port_ = -1;
};

StepServer::StepServer(const WorldPlan& world, const std::vector<Schedule::Step>& steps,
                       faults::Reaper& reaper, PageLanguage language)
    : pages_(std::make_unique<Pages>(world, steps, reaper, std::move(language))) {}

StepServer::~StepServer() = default;

std::string StepServer::address() const {
  return pages_->address();
}

void StepServer::serve() {
  pages_->serve();
}

void StepServer::stop() {
  pages_->stop();
}

}  // namespace explore
