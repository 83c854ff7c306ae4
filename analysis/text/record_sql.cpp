// SPDX-License-Identifier: Apache-2.0
#include "analysis/text/record_sql.h"

namespace runglass {

std::string sqlText(std::string_view text) {
  std::string out = "'";
  for (const char c : text)
    if (static_cast<unsigned char>(c) >= 0x20) out += c == '\'' ? "''" : std::string(1, c);
  return out + "'";
}

std::string runIs(std::string_view run_uuid) { return "run_id = (SELECT run_id FROM run WHERE run_uuid = " + sqlText(run_uuid) + ")"; }

std::string findingIs(const Finding& finding, std::string_view run_uuid) {
  return "(" + runIs(run_uuid) + " AND kind = " + sqlText(finding.kind) + " AND subject = " + sqlText(finding.subject) +
         " AND first_step IS " + (finding.first_step ? std::to_string(*finding.first_step) : "NULL") + ")";
}

}  // namespace runglass
