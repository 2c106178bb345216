# gauntlet_embed(<target> HEADER <header> FILES <function> <file> [<function> <file>...])
#
# Adds to the target a source, made at build time, that defines each `std::string_view function()` of the header as the
# bytes of its file.
if(CMAKE_SCRIPT_MODE_FILE)
  set(source "#include \"${HEADER}\"\n\nnamespace gauntlet {\nnamespace {\n")
  set(functions "")
  separate_arguments(FILES UNIX_COMMAND "${FILES}")
  list(LENGTH FILES last)
  math(EXPR last "${last} - 1")
  foreach(i RANGE 0 ${last} 2)
    math(EXPR next "${i} + 1")
    list(GET FILES ${i} function)
    list(GET FILES ${next} file)
    file(READ "${file}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND source "const unsigned char ${function}_bytes[] = {\n${bytes}};\n")
    string(APPEND functions "std::string_view ${function}() {\n"
           "  return {reinterpret_cast<const char*>(${function}_bytes), sizeof ${function}_bytes};\n}\n")
  endforeach()
  file(WRITE "${OUT}" "${source}}  // namespace\n\n${functions}}  // namespace gauntlet\n")
  return()
endif()

set(GAUNTLET_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(gauntlet_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 EMBED "" "HEADER" "FILES")
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded.cpp")
  set(files ${EMBED_FILES})
  list(FILTER files INCLUDE REGEX "/")
  list(JOIN EMBED_FILES " " words)
  add_custom_command(
    OUTPUT "${out}"
    COMMAND "${CMAKE_COMMAND}" "-DHEADER=${EMBED_HEADER}" "-DFILES=${words}" "-DOUT=${out}" -P "${GAUNTLET_EMBED_SCRIPT}"
    DEPENDS ${files} "${GAUNTLET_EMBED_SCRIPT}"
    VERBATIM)
  target_sources(${target} PRIVATE "${out}")
endfunction()
