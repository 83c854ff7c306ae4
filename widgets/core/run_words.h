// SPDX-License-Identifier: GPL-3.0-or-later
// A run's summary as text.
//
// Threading:  any thread.
// Units:      as RunSummary.
// Errors:     none: an unknown value is kAbsentText.
#pragma once

#include <QString>

#include "analysis/run_summary/run_summary.h"

namespace runglass {

// "MFU 41.2 %" when its source is known, else "1.03 M tokens/s" or "870 tokens/s per GPU"; kAbsentText.
QString throughputText(const Throughput& throughput);
QString throughputWhy(const Throughput& throughput);  // source and rule, one or two sentences
QString layoutText(const Layout& layout);             // "TP 2 · PP 2 · DP 2 (8 ranks)"; kAbsentText when unknown

}  // namespace runglass
