#include "faults/explore/world/process_template.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "faults/explore/preload/shared_page.h"
#include "faults/explore/world/unix_socket.h"
#include "faults/kit/errors.h"

namespace explore {
namespace {

void await(const faults::Descriptor& source) {
  pollfd input{.fd = source.get(), .events = POLLIN, .revents = 0};
  if (poll(&input, 1, static_cast<int>(faults::standstill.count())) > 0) return;
  throw faults::Stalled("a client's program does not load");
}

}  // namespace

ProcessTemplate::ProcessTemplate(faults::Command command, const std::filesystem::path& directory,
                                 faults::Reaper& reaper)
    : reaper_(reaper) {
  const auto path = directory / "template.sock";
  const auto listener = listen_at(path);
  command.environment[template_variable] = path.native();
  // So that no process of it has to resolve a function.
  command.environment.emplace("LD_BIND_NOW", "1");
  process_ = std::make_unique<faults::Process>(command, reaper);
  await(listener);
  if (auto accepted = accept_from(listener)) socket_ = std::move(accepted->socket);
}

std::unique_ptr<faults::Process> ProcessTemplate::begin(
    const std::map<std::string, std::string>& environment, const std::filesystem::path& log) {
  std::string variables;
  for (const auto& [name, value] : environment) variables += name + '=' + value + '\0';
  auto to_process = faults::make_pipe();
  auto from_process = faults::make_pipe();
  const auto its_log = faults::open_log(log);
  const auto to_reaper = reaper_.pipe();
  send(variables,
       {to_process.read.get(), from_process.write.get(), its_log.get(), to_reaper.get()});
  const auto id = answer();
  if (id < 0) return nullptr;
  return std::make_unique<faults::Process>(
      faults::BegunProcess{
          .id = id, .input = std::move(to_process.write), .output = std::move(from_process.read)},
      reaper_);
}

void ProcessTemplate::send(const std::string& variables, const std::array<int, 4>& descriptors) {
  static_assert(std::tuple_size_v<std::decay_t<decltype(descriptors)>> == Beginning::count);
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof descriptors)> beside{};
  iovec bytes{.iov_base = const_cast<char*>(variables.data()), .iov_len = variables.size()};
  msghdr message{};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = beside.data();
  message.msg_controllen = beside.size();
  auto* header = CMSG_FIRSTHDR(&message);
  *header = {
      .cmsg_len = CMSG_LEN(sizeof descriptors), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  std::memcpy(CMSG_DATA(header), descriptors.data(), sizeof descriptors);
  const bool fits = variables.size() <= Beginning::most_bytes;
  if (fits && sendmsg(socket_.get(), &message, MSG_NOSIGNAL) > 0) return;
  throw faults::CannotRun(fmt::format("cannot begin a client: {}",
                                      fits ? std::strerror(errno) : "its variables are too long"));
}

pid_t ProcessTemplate::answer() {
  await(socket_);
  std::int32_t begun = 0;
  const auto size = recv(socket_.get(), &begun, sizeof begun, 0);
  if (size == sizeof begun) return begun;
  throw faults::CannotRun("cannot begin a client: its program has ended");
}

}  // namespace explore
