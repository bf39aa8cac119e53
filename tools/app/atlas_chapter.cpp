#include "tools/app/atlas_chapter.h"

#include <filesystem>

#include "faults/explore/atlas/table_text.h"
#include "tools/book/documents.h"

namespace app {

void write_atlas_chapter(const std::vector<atlas::Finding>& all) {
  const auto chapter = std::filesystem::path(LAB_SOURCE_DIR) / "docs" / "atlas.md";
  auto text = book::read_file(chapter);
  for (const auto& block : atlas::blocks_of_chapter(all)) {
    text = book::with_block(text, block.marker, block.text);
  }
  book::write_file(chapter, text);
}

}  // namespace app
