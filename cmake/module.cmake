# SPDX-License-Identifier: Apache-2.0
# runglass_module(NAME n RANK r SOURCES … [DEPS modules…] [GROUP g] [LINK libs…] [PUBLIC_LINK libs…])
# One static library `rg_<n>`. A dependency must have a lower rank, or belong to the same GROUP (parts of one module).
function(runglass_module)
  cmake_parse_arguments(M "" "NAME;RANK;GROUP" "SOURCES;DEPS;LINK;PUBLIC_LINK" ${ARGN})
  add_library(rg_${M_NAME} STATIC ${M_SOURCES})
  set_target_properties(rg_${M_NAME} PROPERTIES RG_RANK "${M_RANK}" RG_GROUP "${M_GROUP}" POSITION_INDEPENDENT_CODE ON)
  target_include_directories(rg_${M_NAME} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(rg_${M_NAME} PRIVATE rg_warnings)
  foreach(dep IN LISTS M_DEPS)
    get_target_property(dep_rank rg_${dep} RG_RANK)
    get_target_property(dep_group rg_${dep} RG_GROUP)
    if(NOT dep_rank LESS M_RANK AND NOT (M_GROUP AND dep_group STREQUAL M_GROUP))
      message(FATAL_ERROR "layering: ${M_NAME} (rank ${M_RANK}) may not depend on ${dep} (rank ${dep_rank}); an arrow may only point down")
    endif()
    target_link_libraries(rg_${M_NAME} PUBLIC rg_${dep})
  endforeach()
  target_link_libraries(rg_${M_NAME} PRIVATE ${M_LINK} PUBLIC ${M_PUBLIC_LINK})
endfunction()

# runglass_test(NAME n SOURCES … [LINK libs…] [ENVIRONMENT k=v…]): one GoogleTest program, each TEST a ctest case.
function(runglass_test)
  cmake_parse_arguments(T "" "NAME" "SOURCES;LINK;ENVIRONMENT" ${ARGN})
  add_executable(${T_NAME} ${T_SOURCES})
  target_link_libraries(${T_NAME} PRIVATE rg_warnings GTest::gmock_main ${T_LINK})
  target_include_directories(${T_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${T_NAME} PRIVATE
    RG_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" RG_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data" RG_BIN_DIR="${CMAKE_BINARY_DIR}/bin" RG_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${T_NAME} DISCOVERY_TIMEOUT 60 DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300 ENVIRONMENT "QT_QPA_PLATFORM=offscreen;${T_ENVIRONMENT}")
endfunction()

# runglass_bench(NAME n SOURCES … [LINK libs…]): a Google Benchmark program bin/bench_<n>, run by ./dev bench.
function(runglass_bench)
  cmake_parse_arguments(B "" "NAME" "SOURCES;LINK" ${ARGN})
  add_executable(bench_${B_NAME} ${B_SOURCES})
  target_link_libraries(bench_${B_NAME} PRIVATE rg_warnings benchmark::benchmark ${B_LINK})
  target_include_directories(bench_${B_NAME} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(bench_${B_NAME} PRIVATE RG_BIN_DIR="${CMAKE_BINARY_DIR}/bin" RG_SHARED_DATA="${PROJECT_SOURCE_DIR}/../shared/data")
endfunction()
