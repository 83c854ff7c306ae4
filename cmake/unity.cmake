# SPDX-License-Identifier: Apache-2.0
# Neighbours in a target's list of sources are compiled together, up to RG_UNITY_BYTES of source, so that headers are read and templates
# instantiated once for all of them. The limit bounds what a change of one of them costs. A file-local name is unique within its target.
# ./dev lint compiles file by file, so that each still includes what it uses.
option(RG_UNITY "Compile small sources together" ON)
set(RG_UNITY_BYTES 24000 CACHE STRING "Source bytes that are compiled together")

# runglass_unity(TARGET)
function(runglass_unity target)
  if(NOT RG_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(group 0)
  set(bytes 0)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "[.]cpp$" OR NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${source})  # what is generated stands alone
      continue()
    endif()
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    if(bytes GREATER RG_UNITY_BYTES)
      math(EXPR group "${group} + 1")
      set(bytes ${size})
    endif()
    set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
