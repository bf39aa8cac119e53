#include "tools/servers/redis_option.h"

#include "tools/servers/catalogue.h"

namespace servers {

void add_redis_option(CLI::App& line, std::string& chosen) {
  line.add_option_function<std::string>(
      "--redis",
      [&chosen](const std::string& name) {
        use(name);
        chosen = name;
      },
      "on which server: a name that ./lab servers shows");
}

}  // namespace servers
