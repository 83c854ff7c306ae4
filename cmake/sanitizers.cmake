# SPDX-License-Identifier: Apache-2.0
# RG_SANITIZE=address|thread, set by the presets.
set(RG_SANITIZE "" CACHE STRING "address, thread or empty")
if(RG_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
elseif(RG_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
