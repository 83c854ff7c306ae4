// SPDX-License-Identifier: Apache-2.0
// The virtual tables of a store: each reads through the Reader and is independent of chunk formats.
//
// Threading:  specs are immutable; cursors live on the connection's thread.
// Ownership:  static storage.
// Units:      columns exactly as named in the contract; docs/formats/schema.md, "Relations".
// Errors:     an unknown series or a damaged chunk ends the query with the Reader's message.
// Cost:       one series or track decoded at a time.
#pragma once

#include "storage/sql/virtual_table.h"

namespace runglass::sql {

extern const TableSpec kSampleTable;     // sample(series_id [, t0_ns, t1_ns])
extern const TableSpec kBinTable;        // bin(series_id, t0_ns, t1_ns, bins)
extern const TableSpec kScalarTable;     // without superseded points
extern const TableSpec kScalarAllTable;  // with superseded points, marked
extern const TableSpec kStepTable;
extern const TableSpec kStepPartTable;
extern const TableSpec kSpanTable;
extern const TableSpec kSpanInTable;  // span_in(t0_ns, t1_ns)
extern const TableSpec kFlowTable;
extern const TableSpec kLogSearchTable;  // log_search(words)

}  // namespace runglass::sql
