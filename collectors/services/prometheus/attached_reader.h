// SPDX-License-Identifier: Apache-2.0
// attachedReader: a store together with the series that a Prometheus has of its nodes. Nothing is written into the store.
//
// Attached series come after the store's; their source is "prometheus/...". One that the store has under the same key is the store's. SQL
// and verify() see the store alone.
//
// Threading:  the inner Reader's; `metrics` is shared with other Readers.
// Ownership:  owns the inner Reader.
// Errors:     the inner Reader's; AttachedMetrics' for lists of series and devices and for attached series.
#pragma once

#include <memory>

#include "collectors/services/prometheus/attached_metrics.h"
#include "storage/reader.h"

namespace runglass {

std::unique_ptr<Reader> attachedReader(std::unique_ptr<Reader> inner, std::shared_ptr<AttachedMetrics> metrics);

}  // namespace runglass
