# SPDX-License-Identifier: Apache-2.0
# Headers that most files include are compiled once per kind of target: cmake/precompiled/KIND.h, into rg_precompiled_KIND.
# A target names its kind (PRECOMPILED of runglass_module) or takes its folder's RG_PRECOMPILED. Clang accepts a precompiled
# header only from code of the same flags, so everything is position independent and knows of threads. GCC instantiates the
# templates of a precompiled header again in every file, which costs more than it saves: it compiles without.
# ./dev lint compiles without them too (CMAKE_DISABLE_PRECOMPILE_HEADERS), so that each file includes what it uses.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-pthread>)

function(runglass_precompiled_kind kind)
  add_library(rg_precompiled_${kind} OBJECT ${PROJECT_SOURCE_DIR}/cmake/precompiled/empty.cpp)
  target_link_libraries(rg_precompiled_${kind} PRIVATE rg_warnings ${ARGN})
  target_include_directories(rg_precompiled_${kind} PRIVATE ${PROJECT_SOURCE_DIR})
  target_precompile_headers(rg_precompiled_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${kind}.h)
  if(CCACHE AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(rg_precompiled_${kind} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")  # else it never comes from the cache
  endif()
endfunction()

# runglass_precompiled(TARGET KIND)
function(runglass_precompiled target kind)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM rg_precompiled_${kind})
  endif()
endfunction()
