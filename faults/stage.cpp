#include "faults/stage.h"

#include <fmt/format.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "faults/errors.h"

namespace faults {
namespace {

using nlohmann::json;

Declared declared_from(const json& object) {
  Declared declared;
  declared.does_not_apply = object.value("does_not_apply", std::string{});
  if (declared.does_not_apply.empty()) declared.claim = object.at("claim");
  for (const auto& name : object.value("broken", std::vector<std::string>{})) {
    declared.broken.push_back(property_from(name));
  }
  declared.boundaries = object.value("at", std::vector<std::string>{});
  return declared;
}

int nodes_from(const json& object) {
  const int nodes = object.value("nodes", 1);
  if (nodes < 1) throw CannotRun("a lock needs a node: \"nodes\" is a number above 0");
  return nodes;
}

Fence fence_from(const json& object) {
  const auto text = object.value("storage", std::string{});
  if (text.empty()) return Fence::reads_and_writes;
  if (text == "fences writes only") return Fence::writes_only;
  throw CannotRun(fmt::format("\"{}\" is not a kind of storage", text));
}

}  // namespace

Stage load_stage(const std::filesystem::path& directory, std::vector<std::string> command) {
  const auto file = directory / "declared.json";
  std::ifstream input(file);
  if (!input) throw CannotRun(fmt::format("cannot read {}", file.native()));
  try {
    const auto object = json::parse(input);
    Stage stage{.name = directory.filename().native(),
                .adds = object.at("adds"),
                .directory = directory,
                .command = std::move(command),
                .commands_on_the_wire = object.at("commands"),
                .declared = {},
                .nodes = nodes_from(object),
                .marker = object.value("marker", std::string{}),
                .keeps_data = object.value("keeps_data", false),
                .storage = fence_from(object)};
    for (const auto& [scenario, entry] : object.at("scenarios").items()) {
      stage.declared[scenario] = declared_from(entry);
    }
    return stage;
  } catch (const json::exception& error) {
    throw CannotRun(fmt::format("{} is not a declaration: {}", file.native(), error.what()));
  }
}

}  // namespace faults
