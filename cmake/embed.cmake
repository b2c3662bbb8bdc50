# Writes a source file that holds other files, as the function embedded(name) that HEADER declares in NAMESPACE:
# cmake -DOUT=assets.cc -DHEADER=assets.h -DNAMESPACE=nearkin::server "-DFILES=a;b" -P embed.cmake
set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  get_filename_component(name ${file} NAME)
  string(APPEND arrays "constexpr unsigned char kFile${number}[] = {\n${bytes}\n};\n")
  string(APPEND table "  if (name == \"${name}\") return {reinterpret_cast<const char*>(kFile${number}), sizeof kFile${number}};\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Written by cmake/embed.cmake.
#include \"${HEADER}\"

namespace ${NAMESPACE} {
namespace {

${arrays}
}  // namespace

std::string_view embedded(std::string_view name) {
${table}  return {};
}

}  // namespace ${NAMESPACE}
")
