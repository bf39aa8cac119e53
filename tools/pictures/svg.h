// Writes SVG: shapes with a class each; what a class looks like, in a light and in a dark page, is
// in style.css, which every picture carries inside.
//
// All numbers are pixels of a picture that is as wide as it is made, if nothing scales it.
// Thread-safety: a value.
#pragma once

#include <string>
#include <string_view>

namespace pictures {

inline constexpr double picture_width = 900;

struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
};

class Svg {
 public:
  explicit Svg(double width = picture_width) : width_(width) {}

  void rectangle(std::string_view name, const Box& box, double radius = 0);
  void circle(std::string_view name, double x, double y, double radius);
  void line(std::string_view name, double x1, double y1, double x2, double y2);
  void path(std::string_view name, const std::string& shape);
  // One line of text whose middle is at `y`.
  void text(std::string_view name, double x, double y, std::string_view words);
  // Anything else, as SVG.
  void add(std::string_view shapes) { shapes_ += shapes; }

  // The whole file. A person who cannot see it gets `title` and `description` read out; `style` is
  // added to what every picture has.
  [[nodiscard]] std::string finish(double height, std::string_view title,
                                   std::string_view description, std::string_view style = {}) const;

 private:
  double width_;
  std::string shapes_;
};

}  // namespace pictures
