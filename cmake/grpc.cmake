# gauntlet_grpc(NAME): the library NAME_proto of the messages and services in NAME.proto. What protoc writes is compiled apart, by its
# own standards.
set(Protobuf_USE_STATIC_LIBS ON)
find_package(Protobuf REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(gRPC CONFIG REQUIRED)

# Programs hold gRPC, protobuf and Abseil themselves. As shared libraries these are 48 files to find, map and relocate before a program
# starts, of 73 (docs/performance.md).
get_property(found DIRECTORY PROPERTY IMPORTED_TARGETS)
list(FILTER found INCLUDE REGEX "^(gRPC|absl)::")
foreach(target ${found})
  get_target_property(shared ${target} IMPORTED_LOCATION_NONE)
  string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${shared}")
  if(archive MATCHES "\\.a$" AND EXISTS "${archive}")
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION_NONE "${archive}")
  endif()
endforeach()

function(gauntlet_grpc name)
  set(generated "${CMAKE_CURRENT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${generated}")
  set(outputs)
  foreach(ending pb.cc pb.h grpc.pb.cc grpc.pb.h)
    list(APPEND outputs "${generated}/${name}.${ending}")
  endforeach()
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND protobuf::protoc "--proto_path=${CMAKE_CURRENT_SOURCE_DIR}" "--cpp_out=${generated}" "--grpc_out=${generated}"
            "--plugin=protoc-gen-grpc=$<TARGET_FILE:gRPC::grpc_cpp_plugin>" ${name}.proto
    DEPENDS ${name}.proto protobuf::protoc gRPC::grpc_cpp_plugin
    VERBATIM)
  add_library(${name}_proto STATIC ${outputs})
  target_include_directories(${name}_proto SYSTEM PUBLIC "${generated}")
  target_link_libraries(${name}_proto PUBLIC gRPC::grpc++ protobuf::libprotobuf)
endfunction()
