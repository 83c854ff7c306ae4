// SPDX-License-Identifier: Apache-2.0
// References between the tables of a store. Internal to storage.
#pragma once

namespace runglass {

// What must have a row elsewhere, with the rows that name one that is not there.
struct Reference {
  const char* what;
  const char* sql;  // "SELECT id FROM table WHERE …": the rows that point nowhere
};
inline constexpr Reference kReferences[] = {
    {"attempt", "SELECT attempt_id FROM rg_attempt WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"device", "SELECT device_id FROM rg_device WHERE node_id <> 0 AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"rank of attempt", "SELECT attempt_id FROM rg_rank WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"fact of attempt", "SELECT attempt_id FROM rg_fact WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"past attempt", "SELECT attempt_id FROM rg_past WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"past ranks of run", "SELECT run_id FROM rg_past_rank WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"past facts of run", "SELECT run_id FROM rg_past_fact WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"checkpoint of attempt", "SELECT attempt_id FROM rg_checkpoint WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"progress of attempt", "SELECT attempt_id FROM rg_progress WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"series", "SELECT series_id FROM rg_series WHERE attempt_id <> 0 AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"series", "SELECT series_id FROM rg_series WHERE node_id <> 0 AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"series", "SELECT series_id FROM rg_series WHERE device_id <> 0 AND device_id NOT IN (SELECT device_id FROM rg_device)"},
    {"series", "SELECT series_id FROM rg_series WHERE metric NOT IN (SELECT string_id FROM rg_string)"},
    {"track", "SELECT track_id FROM rg_track WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"event", "SELECT event_id FROM rg_event WHERE attempt_id <> 0 AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"event", "SELECT event_id FROM rg_event WHERE node_id <> 0 AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"log line", "SELECT log_id FROM rg_log WHERE attempt_id <> 0 AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"capture", "SELECT capture_id FROM rg_capture WHERE attempt_id IS NOT NULL AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"capture", "SELECT capture_id FROM rg_capture WHERE node_id IS NOT NULL AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"finding", "SELECT finding_id FROM rg_finding WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"telling of finding", "SELECT finding_id FROM rg_finding_told WHERE finding_id NOT IN (SELECT finding_id FROM rg_finding)"},
    {"incident", "SELECT incident_id FROM rg_incident WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"incident",
     "SELECT incident_id FROM rg_incident WHERE attempt_id IS NOT NULL AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"pin", "SELECT pin_id FROM rg_pin WHERE incident_id IS NOT NULL AND incident_id NOT IN (SELECT incident_id FROM rg_incident)"},
    {"label", "SELECT label_id FROM rg_label WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"sample chunk", "SELECT chunk_id FROM rg_chunk WHERE series_id NOT IN (SELECT series_id FROM rg_series)"},
    {"thinned chunk", "SELECT chunk_id FROM rg_thinned WHERE series_id NOT IN (SELECT series_id FROM rg_series)"},
    {"pyramid row", "SELECT pyramid_id FROM rg_pyramid WHERE series_id NOT IN (SELECT series_id FROM rg_series)"},
    {"span chunk", "SELECT chunk_id FROM rg_span_chunk WHERE track_id NOT IN (SELECT track_id FROM rg_track)"},
};

}  // namespace runglass
