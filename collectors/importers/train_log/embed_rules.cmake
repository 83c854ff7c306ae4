# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=file.cpp -DFILES=a.toml;b.toml -P embed_rules.cmake: the rule files as one C++ table.
set(body "// Generated from rules/*.toml.\n#include \"collectors/importers/train_log/rule_set.h\"\n\nnamespace runglass::train_log {\nnamespace {\nconst RuleText kRules[] = {\n")
foreach(path IN LISTS FILES)
  file(READ "${path}" text)
  cmake_path(GET path FILENAME name)
  string(APPEND body "{\"${name}\", R\"RGRULES(${text})RGRULES\"},\n")
endforeach()
string(APPEND body "};\n}  // namespace\nstd::span<const RuleText> builtinRules() { return kRules; }\n}  // namespace runglass::train_log\n")
file(WRITE "${OUT}" "${body}")
