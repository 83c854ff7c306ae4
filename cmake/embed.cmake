# SPDX-License-Identifier: Apache-2.0
# runglass_embed(OUT variable NAME n HEADER h NAMESPACE s TYPE T FUNCTION f FILES …): texts as a source n.cpp that defines s::f(), a table of
# T{name, text}. Its path is in the variable.
function(runglass_embed)
  cmake_parse_arguments(E "" "OUT;NAME;HEADER;NAMESPACE;TYPE;FUNCTION" "FILES" ${ARGN})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${E_NAME}.cpp)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_texts.cmake)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} "-DOUT=${source}" "-DFILES=${E_FILES}" -DHEADER=${E_HEADER} -DNAMESPACE=${E_NAMESPACE} -DTYPE=${E_TYPE}
            -DFUNCTION=${E_FUNCTION} -P ${script}
    DEPENDS ${E_FILES} ${script} VERBATIM)
  add_custom_target(rg_embedded_${E_NAME} DEPENDS ${source})
  add_dependencies(rg_generated rg_embedded_${E_NAME})
  set(${E_OUT} ${source} PARENT_SCOPE)
endfunction()
set(RG_RESOURCES ${PROJECT_SOURCE_DIR}/resources)
