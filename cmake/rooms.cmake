# The rooms that replicas, simulated drills and trainers run in, and those that copy bytes. A sanitizer's build optimises these alone, and
# links them before the others: of an inline function that several objects have, the program gets that of the first.
set(GAUNTLET_QUICK_ROOMS
    core
    core_files
    core_math
    core_random
    core_record
    core_sqlite
    models
    flow
    policies
    sim
    score
    study
    study_finish
    study_levers
    study_search
    study_published
    study_store
    study_summary
    study_uncertainty
    real_system
    real_checkpoint
    real_stream
    real_runner
    real_trainer
    real_driver)

# gauntlet_room(<target> [SUBFOLDERS] [FOLDERS <relative paths>...] [LINKS <rooms>...] [USES <third-party targets>...])
#
# A library of this folder's sources: those directly in it, with SUBFOLDERS also those one folder down, and those directly
# in each of FOLDERS. LINKS are the rooms whose headers this one may include, directly; USES are third-party libraries that only its .cpp files name.
# A room of headers alone becomes an interface library.
function(gauntlet_room target)
  cmake_parse_arguments(PARSE_ARGV 1 ROOM "SUBFOLDERS" "" "FOLDERS;LINKS;USES")
  set(patterns "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  if(ROOM_SUBFOLDERS)
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/*/*.cpp")
  endif()
  foreach(folder ${ROOM_FOLDERS})
    list(APPEND patterns "${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp")
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  if(sources)
    add_library(${target} STATIC ${sources})
    # Python's module links the same objects as the program (python/). Nothing overrides a function of ours, so calls stay direct.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                               VISIBILITY_INLINES_HIDDEN ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
    if(GAUNTLET_ROOMS_FIRST AND NOT target IN_LIST GAUNTLET_QUICK_ROOMS)
      target_compile_options(${target} PRIVATE -O0) # the compiler takes half as long
    endif()
    target_link_libraries(${target} PUBLIC house ${ROOM_LINKS} PRIVATE ${ROOM_USES})
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE house ${ROOM_LINKS} ${ROOM_USES})
  endif()
endfunction()

# The commands that have a folder of their own.
set(GAUNTLET_COMMANDS
    commands_new
    commands_run
    commands_sweep
    commands_compare
    commands_tune
    commands_plan
    commands_rank
    commands_scale
    commands_step
    commands_timeline
    commands_topology
    commands_view
    commands_trace
    commands_calibrate
    commands_validate
    commands_explain)

# Drills on real processes.
set(GAUNTLET_REAL_ROOMS
    real_system
    real_certs
    real_checkpoint
    real_nvml
    real_probes
    real_rank
    real_stream
    real_signals
    real_telemetry
    real_runner
    real_agent
    real_fault_disk
    real_watchdog
    real_lab
    real_trainer
    real_checkpointer
    real_clocks
    real_injectors
    real_control
    real_driver
    real_launch)

# Every room that may be joined by cli/, bench/ and the tests that cross rooms.
set(GAUNTLET_ALL_ROOMS
    core
    core_files
    core_math
    core_random
    core_record
    core_sqlite
    models
    flow
    policies
    sim
    score
    config
    study
    study_finish
    study_levers
    study_mpi
    study_search
    study_published
    study_store
    study_summary
    study_uncertainty
    report
    report_page
    report_sections
    report_levers
    report_trace_events
    report_worlds
    shell
    ${GAUNTLET_COMMANDS}
    ${GAUNTLET_REAL_ROOMS})
