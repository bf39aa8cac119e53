#include "tools/pictures/svg.h"

#include <fmt/format.h>

#include "pictures_parts.h"  // made by CMake: parts::style
#include "tools/terminal/xml_text.h"

namespace pictures {
namespace {

// From the middle of a small letter to the line that it stands on, in CSS' em.
constexpr double to_baseline = 0.35;

// Hatching, for a belief that is wrong.
constexpr std::string_view hatching =
    "<defs><pattern id=\"mistaken\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">"
    "<rect class=\"hatch-ground\" width=\"8\" height=\"8\"/>"
    "<path class=\"hatch\" d=\"M-2,2 L2,-2 M-2,10 L10,-2 M6,10 L10,6\"/></pattern></defs>\n";

}  // namespace

void Svg::rectangle(std::string_view name, const Box& box, double radius) {
  const auto round = radius > 0 ? fmt::format(" rx=\"{:g}\"", radius) : std::string();
  shapes_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"{}/>\n", name,
      box.x, box.y, box.width, box.height, round);
}

void Svg::circle(std::string_view name, double x, double y, double radius) {
  shapes_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:g}\"/>\n", name, x,
                         y, radius);
}

void Svg::line(std::string_view name, double x1, double y1, double x2, double y2) {
  shapes_ +=
      fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n",
                  name, x1, y1, x2, y2);
}

void Svg::path(std::string_view name, const std::string& shape) {
  shapes_ += fmt::format("<path class=\"{}\" d=\"{}\"/>\n", name, shape);
}

void Svg::text(std::string_view name, double x, double y, std::string_view words) {
  shapes_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" dy=\"{}em\">{}</text>\n",
                         name, x, y, to_baseline, terminal::xml_text(words));
}

std::string Svg::finish(double height, std::string_view title, std::string_view description,
                        std::string_view style) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:.0f}\" "
             "width=\"{0:g}\" height=\"{1:.0f}\" role=\"img\" aria-labelledby=\"title about\">\n"
             "<title id=\"title\">{2}</title>\n<desc id=\"about\">{3}</desc>\n",
             width_, height, terminal::xml_text(title), terminal::xml_text(description)) +
         fmt::format("<style>{}{}</style>\n{}", parts::style, style, hatching) +
         fmt::format(
             "<rect class=\"page\" x=\"0.5\" y=\"0.5\" width=\"{:g}\" height=\"{:.0f}\" "
             "rx=\"8\"/>\n",
             width_ - 1, height - 1) +
         shapes_ + "</svg>\n";
}

}  // namespace pictures
