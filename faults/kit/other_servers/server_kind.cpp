#include "faults/kit/other_servers/server_kind.h"

#include <fmt/format.h>

#include <asio/ip/tcp.hpp>
#include <chrono>

#include "faults/kit/errors.h"

namespace faults {

std::string ask_server(int port, const std::string& question, std::size_t enough) {
  asio::ip::tcp::iostream stream;
  stream.expires_after(std::chrono::seconds(1));
  stream.connect("127.0.0.1", std::to_string(port));
  stream << question << std::flush;
  std::string answer;
  for (char byte = 0; answer.size() < enough && stream.get(byte);) answer += byte;
  return answer;
}

void run_to_its_end(const Command& command, Reaper& reaper) {
  Process process(command, reaper);
  constexpr std::chrono::seconds limit{60};
  const auto end = process.ending(limit);
  if (end && !end->by_signal && end->number == 0) return;
  throw CannotRun(fmt::format("{} was to make a server's files, and {}; {} says why",
                              command.program.native(), end ? end->text() : "did not end",
                              command.log.native()));
}

}  // namespace faults
