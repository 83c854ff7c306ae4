# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.cpp -DFILES=a.toml;b.toml -DHEADER=path.h -DNAMESPACE=name -P embed_rules.cmake: the rule files as one C++ table.
set(body "// Generated from rules/*.toml.\n#include \"${HEADER}\"\n\nnamespace runglass::${NAMESPACE} {\nnamespace {\nconst train_log::RuleText kRules[] = {\n")
foreach(path IN LISTS FILES)
  file(READ "${path}" text)
  cmake_path(GET path FILENAME name)
  string(APPEND body "{\"${name}\", R\"RGRULES(${text})RGRULES\"},\n")
endforeach()
string(APPEND body "};\n}  // namespace\nstd::span<const train_log::RuleText> builtinRules() { return kRules; }\n}  // namespace runglass::${NAMESPACE}\n")
file(WRITE "${OUT}" "${body}")
