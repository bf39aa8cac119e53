#include "faults/kit/loop.h"

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <thread>

namespace faults {

struct Loop::Running {
  asio::io_context context;
  asio::executor_work_guard<asio::io_context::executor_type> work = asio::make_work_guard(context);
  std::thread thread{[this] { context.run(); }};
};

Loop::Loop() : running_(std::make_unique<Running>()) {}

Loop::~Loop() {
  running_->context.stop();
  running_->thread.join();
}

asio::io_context& Loop::context() {
  return running_->context;
}

void Loop::post(std::function<void()> task) {
  asio::post(running_->context, std::move(task));
}

}  // namespace faults
