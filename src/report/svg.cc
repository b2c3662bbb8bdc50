#include "report/svg.h"

#include "report/text.h"

namespace nearkin {
namespace {

std::string svg_element(const Picture& picture, const PictureText& text, const std::string& kind) {
  const std::string id = text.id + '-' + kind;
  const std::string view = " viewBox=\"0 0 " + coordinate(picture.width) + ' ' + coordinate(picture.height) + '"';
  const std::string role = " role=\"img\" aria-labelledby=\"" + id + "-title\" aria-describedby=\"" + id + "-text\"";
  return "<svg class=\"nk " + kind + '"' + view + role + ">\n<title id=\"" + id + "-title\">" + escape(text.title) +
         "</title>\n<desc id=\"" + id + "-text\">" + escape(text.description) + "</desc>\n" + picture.elements + "</svg>\n";
}

}  // namespace

std::string svg_place(double x, double y) { return coordinate(x) + ' ' + coordinate(y); }

std::string svg_path(std::string_view kind, std::string_view path) {
  return "<path class=\"" + std::string(kind) + "\" d=\"" + std::string(path) + "\"/>\n";
}

std::string svg_text(double x, double y, std::string_view kind, std::string_view text) {
  std::string out = "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + '"';
  if (!kind.empty()) out += " class=\"" + std::string(kind) + '"';
  return out + '>' + escape(text) + "</text>\n";
}

std::string both_widths(const Picture& wide, const Picture& narrow, const PictureText& text) {
  return svg_element(wide, text, "wide") + svg_element(narrow, text, "narrow");
}

}  // namespace nearkin
