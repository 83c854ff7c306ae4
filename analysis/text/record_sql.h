// SPDX-License-Identifier: Apache-2.0
// Conditions for SQL that leaves its store, in reports and on evidence cards: runs and findings by their identity, because another
// store, as an exported slice or a replica, gives other numbers to its rows.
//
// Threading:  pure.
#pragma once

#include <string>
#include <string_view>

#include "model/findings.h"

namespace runglass {

// 'it''s'; no control characters.
std::string sqlText(std::string_view text);
// "run_id = (SELECT run_id FROM run WHERE run_uuid = '…')": of every relation with that column; an alias goes before it.
std::string runIs(std::string_view run_uuid);
// Of the relation `finding`: the key that the store keeps unique.
std::string findingIs(const Finding& finding, std::string_view run_uuid);

}  // namespace runglass
