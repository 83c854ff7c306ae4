# SPDX-License-Identifier: Apache-2.0
# Warnings and hardening of our own code. Designated initialisers leave fields at their defaults on purpose (missing-field-initializers).
add_library(rg_warnings INTERFACE)
target_compile_options(rg_warnings INTERFACE -Wall -Wextra -Wpedantic -Wno-missing-field-initializers -Werror -fstack-protector-strong)
# What a mutex of model/mutex.h guards is touched with it held only.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(rg_warnings INTERFACE -Wthread-safety)
endif()
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  target_compile_options(rg_warnings INTERFACE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
endif()
