# How everything of ours is compiled and linked: target `house` carries it to every room, test and benchmark.
include(CheckLinkerFlag)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Release or Debug" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# -O2 whoever calls CMake, never -march=native: the same bytes on any x86-64, and valgrind must know every instruction.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE}")
endif()

add_library(house INTERFACE)
target_include_directories(house INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(house INTERFACE "GAUNTLET_VERSION=\"${PROJECT_VERSION}\"")
target_compile_options(
  house
  INTERFACE -Wall
            -Wextra
            -Wpedantic
            -Wconversion
            -Werror
            # A fused multiply-add rounds once where two operations round twice: bytes would depend on the compiler.
            -ffp-contract=off
            # Messages name sources as in the repository, not as on the machine that built them.
            "-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=")

# A twentieth of g++'s time goes into collecting what a unit of this size can leave until the compiler ends.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(house INTERFACE "SHELL:--param ggc-min-heapsize=1048576")
endif()

if(GAUNTLET_SANITIZE)
  set(sanitizers "-fsanitize=${GAUNTLET_SANITIZE}" -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(house INTERFACE ${sanitizers})
  target_link_options(house INTERFACE ${sanitizers})
endif()

# The address sanitizer adds two million addresses to the program. At a fixed place they need no relocation: a start, of which tests have
# thousands, takes two thirds of the time.
if(GAUNTLET_SANITIZE MATCHES "address")
  target_link_options(house INTERFACE "$<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-no-pie>")
endif()

foreach(linker mold lld)
  check_linker_flag(CXX "-fuse-ld=${linker}" CAN_LINK_WITH_${linker})
  if(CAN_LINK_WITH_${linker})
    target_link_options(house INTERFACE "-fuse-ld=${linker}")
    break()
  endif()
endforeach()

# Of an inline function that several objects have, the program gets that of the first. A sanitizer's build compiles tests without
# optimisation, so the rooms come first: mold takes libraries in any order.
if(GAUNTLET_SANITIZE AND CAN_LINK_WITH_mold)
  set(GAUNTLET_ROOMS_FIRST ON)
  set(CMAKE_CXX_LINK_EXECUTABLE
      "<CMAKE_CXX_COMPILER> <FLAGS> <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> <LINK_LIBRARIES> <OBJECTS> -o <TARGET>")
endif()
