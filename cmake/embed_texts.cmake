# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.cpp -DFILES=a.toml;b.toml -DHEADER=x.h -DNAMESPACE=n -DTYPE=T -DFUNCTION=f -P embed_texts.cmake: text files as a C++
# table of T{name, text}, returned by n::f().
set(body "// Generated.\n#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\nnamespace {\nconst ${TYPE} kTexts[] = {\n")
foreach(path IN LISTS FILES)
  file(READ "${path}" text)
  cmake_path(GET path FILENAME name)
  string(APPEND body "{\"${name}\", R\"RGTEXT(${text})RGTEXT\"},\n")
endforeach()
string(APPEND body "};\n}  // namespace\nstd::span<const ${TYPE}> ${FUNCTION}() { return kTexts; }\n}  // namespace ${NAMESPACE}\n")
file(WRITE "${OUT}" "${body}")
