// SPDX-License-Identifier: Apache-2.0
#include "model/issue_catalog.h"

#include <algorithm>
#include <array>

namespace runglass {
namespace {
using enum Severity;

// One section per recording component; findIssue() sorts all rows once.
constexpr std::array kIssues = {
    // --- store ---
    IssueInfo{"store.damaged_chunk", kError,
              "A chunk's checksum does not match: the disk or a copy damaged it. Other data is unaffected; restore the file from a copy to "
              "get it back."},
    IssueInfo{"export.gap", kError,
              "The store that this one was exported from had damaged chunks; their data is missing here. Export again after the source was "
              "restored from a copy to get it."},
    IssueInfo{"store.series_continued", kError,
              "The file is damaged where a series or track lies, so that it takes no further data. What is recorded from then on is in "
              "another one, whose labels or name say \"after damage\". Run `runglassctl verify`, then restore or repair the file."},
    IssueInfo{"store.table_rebuilt", kError,
              "A table of the store was damaged, so that the store could not be opened for writing. It was rebuilt from the rows that can "
              "be read; the source names the table or what of it is lost. Names of lost rows read \"lost\". Run `runglassctl verify`, "
              "check the disk, and make a clean store with `runglassctl repair` when the run has ended."},
    IssueInfo{"store.lost_in_repair", kError,
              "This store was made by `runglassctl repair` from a damaged one. The source names rows, samples or a table that could not be "
              "read and are missing here. The count is an upper bound of the rows; the detail marks an unknown number. Restore the damaged "
              "store from a backup to get them back."},
    IssueInfo{"store.row_refused", kError,
              "The file refused rows of a table: they break one of its rules, or a page is damaged. They are kept as SQL in the store's "
              "-ingest.bad file up to its size limit (64 MiB); all else was stored. Run `runglassctl verify`."},
    IssueInfo{"store.batch_set_aside", kError,
              "A batch was received but could not be recorded. Its content is kept in the store's -ingest.bad file up to its size limit "
              "(64 MiB); all other batches are stored. The detail names the batch and the reason."},
    IssueInfo{"store.not_recorded", kError,
              "Something that the hub itself was to record, such as a note or a scraped sample, could not be recorded; the reason is in "
              "the detail."},
    IssueInfo{"store.batches_lost", kError,
              "Acknowledged batches were neither in the store nor in its journal after a power cut or damage of the disk. The detail names "
              "the stream and how many; the agent has deleted them."},
    IssueInfo{"store.journal_damaged", kError,
              "Parts of the journal were unreadable; all other records were replayed. store.batches_lost counts what is missing. The file "
              "as it was is kept beside the store: check the disk."},
    IssueInfo{"store.journal_foreign", kError,
              "The journal beside this store belongs to another store, as when a file is replaced while its journal stays. Nothing of it "
              "was replayed; it is kept beside the store."},
    IssueInfo{"store.journal_left_out", kWarning,
              "The journal was damaged in its newest, unsynced part, as a power cut leaves it. Batches behind the damage were not "
              "replayed, so that no stream has a hole: agents that still have them in their spools send them again, from the damage on."},
    IssueInfo{"store.journal_torn", kWarning,
              "The journal ended in the middle of a record, as a kill or power cut leaves it. That batch was never acknowledged; its agent "
              "sends it again."},
    IssueInfo{"store.too_many_issues", kError,
              "The store holds 20,000 different issues; further ones are counted here. Mostly one broken source: look at those with the "
              "largest counts."},
    IssueInfo{"store.logs_forgotten", kWarning,
              "The store held more log lines than its cap allows (20 million unless set otherwise). The oldest plain ones went, then the "
              "oldest warnings and worse; incidents' ranges are kept. Events are not affected."},
    IssueInfo{"store.retention_skipped", kError,
              "Pages of a table are damaged, so that retention can neither read nor delete some of its rows. They stay; all others are "
              "deleted as configured. The detail names the series or rows. Run `runglassctl verify`, then `runglassctl repair`."},
    IssueInfo{"store.reader_blocks", kWarning,
              "A process has held a snapshot of the store for long: an SQL shell in a transaction, or a paused pipe. Until it ends, the "
              "-wal file grows; at 2 GiB new data is refused. The detail names the process."},
    IssueInfo{"store.catalogue_unread", kError,
              "The rows of an attempt could not be read, so that its series and tracks were restarted. What was recorded before is still "
              "there; run runglassctl verify."},
    IssueInfo{
        "store.thinned", kInfo,
        "Scalars of ranks are older than their retention, or the store reached its cap: of each 16 steps one stays, with outliers and the "
        "summaries of all. Losses and other scalars of the whole run are kept. The relation thinned_series names the series."},
    IssueInfo{"store.over_cap", kError,
              "The store reached its cap (--max-store-gib), less the room for the next commit of its open series, and nothing more may be "
              "deleted, so that new samples, spans and plain log lines, and "
              "then scalars of ranks, are refused, and at last all data, which agents spool. Raise the cap, or delete old runs with "
              "runglassctl delete."},
    IssueInfo{"spans.overlap", kInfo,
              "Spans of one track and depth overlapped, so that they do not fit one row. They are kept whole, on overflow lanes below the "
              "others."},
    // --- traces ---
    IssueInfo{"trace.too_many_steps", kWarning,
              "A trace names more than a million steps; the later ones have no length of their own. Their spans are kept."},
    IssueInfo{"trace.too_many_names", kWarning,
              "The spans of a trace have more than 60,000 different names, or 16 MiB of them: its writer puts numbers into names. Those of "
              "the later spans are kept without their numbers (\"copy 17\" as \"copy #\")."},
    IssueInfo{"kineto.broken_event", kWarning,
              "Text inside a trace is no event: some PyTorch versions wrote names with raw quotes. What lies between it and the next event "
              "is left out; all others are kept."},
    IssueInfo{"kineto.no_time", kWarning, "Events without a begin, or with a negative or overflowing duration, are left out."},
    IssueInfo{"kineto.too_many_tracks", kWarning,
              "A trace names more than 65,536 threads and streams; spans on the later ones are left out."},
    IssueInfo{"kineto.flow", kInfo,
              "A trace draws arrows between spans. They are not kept one by one: the relation flow finds launches by their correlation and "
              "forward and backward operators by their sequence number."},
    IssueInfo{"kineto.not_kept", kInfo,
              "A trace also holds asynchronous events, objects or samples. They are not kept; the original file has them."},
    IssueInfo{"kineto.odd_counter", kWarning,
              "Values of counters or sizes of allocations that are no numbers, or of too many series, are left out."},
    IssueInfo{"kineto.too_many_instants", kWarning, "A trace holds more than 100,000 instant events; the later ones are left out."},
    IssueInfo{"chrome_trace.broken_event", kWarning,
              "Text inside a trace is no event. What lies between it and the next event is left out; all others are kept."},
    IssueInfo{"chrome_trace.no_time", kWarning, "Events without a time, or with one beyond 64 bits of nanoseconds, are left out."},
    IssueInfo{"chrome_trace.bad_duration", kWarning,
              "Spans that end before they begin, or whose end is missing or beyond 64 bits. They are kept where they begin, with no "
              "length: sums of durations lack what they would have added or taken away."},
    IssueInfo{"chrome_trace.too_many_tracks", kWarning, "A trace names more than 65,536 threads; spans on the later ones are left out."},
    IssueInfo{"chrome_trace.unmatched_end", kWarning,
              "Ends without a begin on their thread: the trace began too late, or lost events. They are left out."},
    IssueInfo{"chrome_trace.never_ended", kWarning,
              "Begins without an end: what ran when the trace stopped. They are kept as spans that are still open."},
    IssueInfo{"chrome_trace.closed_later", kInfo,
              "A trace has grown since the last import and ends spans that were open then. Both are kept; import it into a new store to "
              "have the ended ones only."},
    IssueInfo{"chrome_trace.too_many_open", kWarning,
              "More begins without an end than fit in 64 MiB. Those beyond are left out, as are their ends: the writer lost its ends."},
    IssueInfo{"chrome_trace.too_many_instants", kWarning, "A trace holds more than 100,000 instant events; the later ones are left out."},
    IssueInfo{"chrome_trace.flow", kInfo, "A trace also holds arrows between spans. They are not kept so far; the original file has them."},
    IssueInfo{"chrome_trace.not_kept", kInfo,
              "A trace also holds asynchronous events, objects, samples or memory dumps. They are not kept; the original file has them."},
    IssueInfo{"chrome_trace.odd_counter", kWarning, "Values of counters that are no numbers, or beyond 4,096 series, are left out."},
    IssueInfo{"chrome_trace.late_names", kInfo,
              "A very large trace names its rows behind its events. Rows that were recorded by then keep their numbers for names and have "
              "no rank."},
    IssueInfo{"chrome_trace.odd_sizes", kWarning,
              "The YAML file with a job's sizes holds lines that are no `key: value`, keys that come twice or sizes that are no numbers "
              "from 1. The other lines hold."},
    IssueInfo{"chrome_trace.sizes_disagree", kWarning,
              "The sizes of a job do not multiply to its world size, or ranks of its trace lie outside of them: the YAML file may be of "
              "another job. Both are stored as they are."},
    IssueInfo{"chrome_trace.coordinates_disagree", kWarning,
              "A trace puts one rank in two places of the parallel layout. The first one is kept: check how its writer numbers ranks."},
    IssueInfo{"nsys.no_time", kWarning,
              "Rows of a report whose begin or end is no whole number of ns, whose end comes before their begin, or beyond 64 bits, are "
              "left out."},
    IssueInfo{"nsys.too_many_tracks", kWarning,
              "A report names more than 65,536 threads and streams; spans on the later ones are left out."},
    IssueInfo{"nccl_flight_recorder.bad_entry", kWarning, "Entries of a dump that are not dictionaries are left out."},
    IssueInfo{"nccl_flight_recorder.no_time", kWarning,
              "Entries of a dump have neither the time they were made nor the one they began, so they have no place on the timeline and "
              "are left out."},
    IssueInfo{"nccl_flight_recorder.odd_end", kWarning,
              "Entries are marked as completed, but their end is missing or before their begin: they are shown without length. Their "
              "arguments hold the times as written."},
    IssueInfo{"nccl_flight_recorder.too_many_groups", kWarning,
              "A dump names more than 65,536 process groups; collectives of the later ones are left out."},
    IssueInfo{"nccl_flight_recorder.large_part", kWarning,
              "A collective's arguments, or one of a dump's facts, are larger than 1 MiB and were not kept. The original file has them."},
    IssueInfo{
        "nccl_flight_recorder.other_rank", kWarning,
        "A dump's file name gives another rank than its process groups do; the groups are believed. The files may have been renamed."},
    IssueInfo{
        "nccl_flight_recorder.no_rank", kWarning,
        "Neither the name of a dump nor its process groups contain its rank. Name the files as PyTorch does, with the rank at the end."},
    IssueInfo{"nccl_flight_recorder.no_entries", kInfo,
              "A dump holds no collective: its rank called none while the recorder was on. Alone it shows no hang; import the dumps of all "
              "ranks, which show whether others wait for it."},
    IssueInfo{"nccl_flight_recorder.trailing_bytes", kInfo,
              "Bytes follow the end of a dump, as when a shorter dump is written over a longer one. They were not read."},
    IssueInfo{"xpu_timer.broken_trace", kWarning,
              "Traces of a timeline are not laid out as any known build of xpu_timer writes them and are left out."},
    IssueInfo{"xpu_timer.no_time", kWarning,
              "Traces of a timeline begin outside the years 2001 to 2100; they have no place and are left out."},
    IssueInfo{"xpu_timer.no_names", kInfo,
              "Kernels of a timeline are shown by their codes: their names are in the .timeline.meta file of the same rank, which must be "
              "in the folder of the timeline, unpacked."},
    IssueInfo{"xpu_timer.other_rank", kWarning,
              "A timeline's file name gives another rank than its content does; the content is believed. The files may have been renamed."},
    IssueInfo{"nccl_inspector.broken_line", kWarning, "Lines of an NCCL Inspector log are no JSON objects and are left out."},
    IssueInfo{"nccl_inspector.no_context", kWarning,
              "Records of an NCCL Inspector log do not name their communicator: since format v4.3 it is in the dump_stats line before "
              "them, which was cut away or filtered out. They are left out."},
    IssueInfo{"nccl_inspector.no_number", kWarning,
              "Operations have no number in their communicator, so they have no place on a curve; those with times are on the timeline."},
    IssueInfo{"nccl_inspector.not_kept", kInfo,
              "Proxy traces and other records are counted; only collectives and point-to-point operations are kept."},
    IssueInfo{"nccl_inspector.dropped", kWarning,
              "The plugin overwrote records before it wrote them. Dump more often (NCCL_INSPECTOR_DUMP_THREAD_INTERVAL_MICROSECONDS) or "
              "give it a larger ring (NCCL_INSPECTOR_DUMP_COLL_RING_SIZE)."},
    IssueInfo{"nccl_inspector.too_many_names", kWarning,
              "A log names more than 16,384 communicators, or kinds of operations; those beyond are left out."},
    IssueInfo{"nccl_inspector.no_rank", kInfo,
              "A log numbers a process within each communicator but does not record its rank in the job, unless one communicator is named "
              "as that of all, or is the only one. Such operations are shown by host and process. Files named NAME_rank_N.log contain it."},
    // --- client ---
    IssueInfo{"client.ring_full", kError,
              "A trainer reported faster than the agent read, or no agent ran: these records are lost, the trainer was not slowed. Start "
              "the agent before the job, or give the ring more room with RUNGLASS_RING_BYTES."},
    IssueInfo{"client.names_full", kWarning,
              "A trainer used more than 4,095 different names for spans and scalars; the later ones have no name. Keep step numbers and "
              "addresses out of names."},
    IssueInfo{"client.torn_record", kWarning, "A trainer died while it wrote a record; that record is lost, everything before it is here."},
    IssueInfo{"client.bad_ring", kWarning,
              "A file in the ring directory is not a ring this agent can read: another version of librunglass, damaged, or of an owner or "
              "mode that another user could have written it with. Use the librunglass of the same release as the agent; remove files that "
              "your trainers did not make."},
    IssueInfo{"client.duplicate_rank", kError,
              "Two live processes of one attempt claim the same rank: their steps and scalars are mixed. Check RANK in the launcher, or "
              "give each job a run name of its own."},
    IssueInfo{"client.no_step", kWarning,
              "A trainer reported a scalar outside any step and without a step number; it cannot be placed on a curve and was left out."},
    IssueInfo{"client.unknown_record", kWarning,
              "A trainer wrote records of a kind this agent does not know; they are left out. Its librunglass is newer than the agent."},
    IssueInfo{"client.gpu_pool_empty", kError,
              "More GPU work was under way than the tracer had events for; these operations are not on the timeline, the trainer was not "
              "slowed. Raise RUNGLASS_CUDA_EVENTS."},
    IssueInfo{"client.gpu_in_capture", kInfo,
              "GPU work inside a CUDA graph capture is not timed one by one; the graph's launches are, in traced steps."},
    IssueInfo{"client.gpu_trace_stopped", kError,
              "The CUDA driver refused the tracer's events, as it does after a GPU fault: from here on this process has no GPU spans. Look "
              "for the fault itself in the log and in the device's Xid events."},
    IssueInfo{"client.gpu_op_failed", kWarning,
              "Some GPU operations could not be timed: their stream belongs to another context than the thread's, or is gone."},
    IssueInfo{"client.gpu_unfinished", kInfo, "A process ended with work still on its GPU; those operations have no end and are left out."},
    IssueInfo{"client.gpu_exact_unavailable", kWarning,
              "Exact mode was asked for and is not possible in this process; kernels are timed by events as before. Reasons (in the "
              "detail): a profiler that is already there, no CUPTI, or one whose records the tracer does not know."},
    IssueInfo{"client.gpu_exact_lost", kWarning,
              "In exact mode some kernels or copies have no record or no times: CUPTI had no buffer left, or they had not ended when it "
              "was switched off. Trace fewer steps at a time."},
    IssueInfo{"client.gpu_recent_unavailable", kWarning,
              "The last seconds of GPU work were to be kept, and shared memory has no room for them. Make /dev/shm larger or set "
              "RUNGLASS_CUDA_RECENT_BYTES."},
    IssueInfo{"client.bad_recent_ring", kWarning,
              "The file that holds a trainer's last seconds of GPU work makes no sense and was not read; the fault is in the detail."},
    // --- capture ---
    IssueInfo{"capture.over_budget", kWarning,
              "A node has recorded as many captures as it may in an hour; this piece was left out. Raise [source.capture] hourly_mib, or "
              "look at who asks so often."},
    IssueInfo{"capture.bad_dump", kWarning,
              "A flight-recorder dump was not read: it is too large, damaged, or holds what no dump holds. What and where is in the "
              "detail; nothing in it was executed."},
    // --- wire ---
    IssueInfo{"wire.absurd_time", kWarning,
              "Times were in the far future or before 1970; they are replaced by the time of sending or arrival, or are absent. Check the "
              "clock of the node."},
    IssueInfo{"wire.bad_batch", kError,
              "A batch did not match its checksum or its session and was refused; the agent sends it again after it reconnects. If it "
              "repeats, look at the agent's version and the network."},
    IssueInfo{"wire.bad_payload", kError,
              "A batch's content could not be decoded from some byte on; the part before it is stored. Update the agent or the hub so that "
              "both are of one version."},
    IssueInfo{"wire.clock_skew", kWarning,
              "A node's clock differs from the hub's by more than 100 ms; its times are corrected. Check NTP or PTP there."},
    IssueInfo{"wire.gap", kError,
              "Batches of an agent are missing: its spool was full, or it lost them. Which and why is in the detail; enlarge "
              "agent.spool_mib if hubs are away for long."},
    IssueInfo{"wire.foreign_node", kError,
              "An agent whose certificate or token is for one node sent records of another; they are not stored. A mistake in its "
              "configuration, or a node that was taken over."},
    IssueInfo{"wire.foreign_run", kWarning,
              "An agent sent records of a run that has its ranks on other nodes: ends, layouts, ranks or progress of theirs, or data of a "
              "run in which its node has no rank and of which it follows no shared file. They are not stored; the rest of the batch is. "
              "The source names the agent and the run, the detail what was refused."},
    IssueInfo{"wire.agent_identity", kError,
              "An agent came with the uuid of another node's agent, or with another certificate or token, and was refused. Mostly a state "
              "directory that was copied with a machine's image. If a node was replaced: runglassctl agent forget NODE."},
    IssueInfo{"wire.two_agents", kWarning,
              "Two agents that record the same node were connected at a time: its host and GPU metrics are stored twice. Stop one of them, "
              "disable the sources that both have, or connect it to another hub."},
    IssueInfo{"wire.too_many_leases", kError,
              "An agent asked for more shared files than a hub grants to one; it does not follow the rest."},
    IssueInfo{"wire.too_many_issues", kError,
              "An agent reported more different issues than a hub keeps of one agent; the rest is counted here."},
    IssueInfo{"wire.too_many_records", kError,
              "A batch holds more records than any agent of ours puts into one; the rest of it was left out."},
    IssueInfo{"wire.empty_record", kWarning, "Events without a kind and a message were left out: the agent is broken."},
    IssueInfo{"wire.too_many_ids", kError,
              "An agent's session defines more series, tracks or devices than a hub takes; those beyond are not stored."},
    IssueInfo{"wire.unknown_id", kError,
              "Records refer to series or nodes that were never defined and are not stored: the agent is broken or damaged data was sent."},
    IssueInfo{"wire.not_an_agents", kError,
              "An agent sent records that only a hub sends to replicas: findings, notes, totals. It was left out: the agent is broken or "
              "not what it says."},
    IssueInfo{"mirror.refused", kWarning,
              "The source hub of this replica sent a record without its owner, such as an incident of an unknown run; it was left out."},
    IssueInfo{"store.refused", kError,
              "The hub could not take data, mostly because its disk was full; agents kept it in their spools and sent it again. Make room "
              "or set a size cap before the spools are full, too."},
    // --- agent ---
    IssueInfo{"agent.recorder_full", kError,
              "A source recorded faster than the agent could seal; the newest records were dropped. Lower its rate."},
    IssueInfo{"agent.source_absent", kInfo, "This source has nothing to read on this machine; everything else works."},
    IssueInfo{"agent.source_failed", kWarning,
              "A source could not start; the reason is in the detail. Its data is missing until the agent restarts."},
    IssueInfo{"agent.spool_damaged", kWarning,
              "Parts of the agent's spool were damaged, or its end was unfinished, as after a kill or power cut. They are left out, all "
              "other batches are delivered. A damaged file is kept in the spool as segment-*.rgs.corrupt; the detail names them."},
    IssueInfo{"agent.log_limit", kWarning,
              "A source wrote more than 10,000 log lines a second for longer than ten seconds. Lines beyond that were not kept; warnings "
              "and worse have as much room again for themselves. Its own file still has them."},
    IssueInfo{"agent.text_cut", kWarning, "A text of more than 64 KiB was cut to that length."},
    IssueInfo{"agent.new_identity", kWarning,
              "The agent's uuid was in use by another node, so it took a new one: the state directory was copied. What waited in a copied "
              "spool may be stored twice: leave the state directory out of images."},
    IssueInfo{"agent.unclean_end", kWarning,
              "The agent ended without a goodbye (killed, crash, power). Up to a second of data before that may be missing between the two "
              "times."},
    // --- import ---
    IssueInfo{"import.unknown_kind", kInfo, "The file is of no kind that can be imported; docs/ lists the kinds. Nothing of it was read."},
    IssueInfo{"tfevents.bad_data_crc", kError,
              "A record's checksum is wrong, so the record was skipped: the disk or a copy damaged the file. Records around it are kept."},
    IssueInfo{
        "tfevents.bad_length_crc", kError,
        "A record's length is damaged, so nothing after it can be found in this file. Copy the file again from where it was written."},
    IssueInfo{"tfevents.malformed", kWarning,
              "A record's checksum is right but its content is not an event as TensorBoard writes them; it was skipped."},
    IssueInfo{"tfevents.not_scalar", kInfo,
              "Values that are histograms, images, texts or tensors: they are counted, only scalars are kept."},
    IssueInfo{"tfevents.record_too_large", kInfo, "Records of more than 16 MiB (graphs, media) hold no scalars and were passed over."},
    IssueInfo{"tfevents.too_many_tags", kError,
              "The file holds more than a million different tags; points of those beyond were not stored. Keep step numbers and addresses "
              "out of tags."},
    IssueInfo{"hf_trainer_state.no_step", kWarning,
              "Entries of log_history have no whole-number step, so they have no place on a curve and were skipped."},
    IssueInfo{"megatron_golden.not_a_number", kInfo,
              "Values written as text: the exporter's mark for steps at which a metric was not logged. They are absent, not zero."},
    IssueInfo{"megatron_golden.bad_step", kWarning, "Values whose step is not a whole number were skipped."},
    IssueInfo{"import.truncated", kWarning,
              "The file ends in the middle of a record: it was cut off or is still being written. Everything before is imported; import it "
              "again when it has grown."},
    IssueInfo{"import.file_time", kInfo, "The tool prints no time: its values have the time at which the file was last written."},
    IssueInfo{
        "import.no_time", kWarning,
        "The tool prints no time, and the time of the file is unknown: its values are left out, its events are recorded without a time."},
    IssueInfo{"import.implausible_value", kWarning,
              "Values that cannot be of their metric are refused: a share above 150 %, a temperature above 200 °C. The detail shows the "
              "metric and the first value. Usually the column or its unit was read wrongly, or the sensor failed."},
    IssueInfo{"nvidia_smi.unsupported", kInfo,
              "Values that the tool printed as not available: this device or driver does not have them. They are absent, not zero; the "
              "detail names the fields."},
    IssueInfo{"nvidia_smi.denied", kInfo, "Values that the tool was not permitted to read. They are absent; run it as root to have them."},
    IssueInfo{"nvidia_smi.lost", kWarning, "Values that were missing because the device was lost or waited for a reset when it was asked."},
    IssueInfo{"nvidia_smi.unknown", kInfo, "Values that the tool left empty or could not read, without a reason. They are absent."},
    IssueInfo{"nvidia_smi.text", kInfo,
              "Fields whose values are words, such as modes and states. Only numbers and yes or no become curves; the original file has "
              "the words."},
    IssueInfo{"nvidia_smi.unreadable_value", kWarning,
              "A known field was printed with something that is not a number; that value is missing."},
    IssueInfo{
        "nvidia_smi.ragged_row", kWarning,
        "Rows have more or fewer fields than their header, as when two programs write into one file or a line was cut; they are left out."},
    IssueInfo{"nvidia_smi.no_time", kWarning,
              "Rows without a readable time are left out: none is invented. Query the column timestamp; run dmon and pmon with -o DT."},
    IssueInfo{"nvidia_smi.no_time_zone", kInfo,
              "nvidia-smi prints the machine's local time without its zone: it is taken as UTC. If the machine ran in another zone, all "
              "values are shifted by that many hours against other sources."},
    IssueInfo{"nvidia_smi.no_device", kWarning,
              "Rows do not name their GPU, so that all are kept as one device. Query index or uuid as well."},
    IssueInfo{"nvidia_smi.repeated_column", kInfo, "A column was queried twice; its first values are kept."},
    IssueInfo{"nvidia_smi.too_many", kWarning, "The file has more devices, fields or series than are read; those beyond are left out."},
    IssueInfo{"measurement.bad_line", kWarning, "Lines of a table that cannot be read are left out; the detail shows the first one."},
    IssueInfo{"measurement.too_many", kWarning, "The file has more devices or series than are read; those beyond are left out."},
    IssueInfo{"amd_smi.absent", kInfo, "Values that amd-smi or rocm-smi printed as not available. They are absent, not zero."},
    IssueInfo{"amd_smi.ragged_row", kWarning, "Rows with more or fewer fields than their header are left out."},
    IssueInfo{"amd_smi.too_many", kWarning, "The file has more devices or series than are read; those beyond are left out."},
    IssueInfo{"rocpd.no_time", kWarning, "Spans whose begin or end is no whole number, or whose end is before their begin, are left out."},
    IssueInfo{"rocpd.too_many_tracks", kWarning, "The trace has more threads and streams than are read; spans beyond are left out."},
    IssueInfo{"npu_smi.absent", kInfo, "Values that npu-smi printed as not available. They are absent, not zero."},
    IssueInfo{"csv.absent", kInfo, "Fields that are empty or marked as absent (N/A, -). They are absent, not zero."},
    IssueInfo{"csv.unreadable_value", kWarning,
              "Fields of a column of numbers that hold something else; those values are missing. The detail shows the first one."},
    IssueInfo{"csv.ragged_row", kWarning,
              "Records have more or fewer fields than the header; they are left out. Texts with separators in them must be quoted."},
    IssueInfo{"csv.no_time", kWarning, "Records whose time cannot be read are left out; the detail shows the first one."},
    IssueInfo{"csv.no_time_zone", kInfo,
              "Times without a zone are taken as UTC. A layout of your own (--map) can say another zone with zone_minutes."},
    IssueInfo{"csv.no_device", kWarning, "Records do not name their device, where the layout expects it; they are left out."},
    IssueInfo{"csv.missing_column", kInfo, "Columns that the layout knows are not in this file; the others are imported."},
    IssueInfo{"csv.too_long", kWarning,
              "Fields of more than 64 KiB, or beyond 4,096 in a record, were cut or left out: probably a quote is missing."},
    IssueInfo{"csv.too_many", kWarning, "The file has more series or events than are read; those beyond are left out."},
    IssueInfo{"prometheus_text.bad_line", kWarning,
              "Lines that are neither samples nor comments of the Prometheus text format are left out; the detail shows the first one."},
    IssueInfo{"prometheus_text.no_time", kInfo,
              "Samples without a time, as an exporter's page has them. None is invented: the run has no clock, and the n-th sample of a "
              "series stands at step n."},
    IssueInfo{"prometheus_text.blank", kInfo, "DCGM's markers for absent values. They are absent, not huge."},
    IssueInfo{"prometheus_text.exemplar", kInfo, "Exemplars (single traced values behind a sample) are counted and not kept."},
    IssueInfo{"prometheus_text.too_many", kWarning,
              "The file holds more than 65,536 series, or more than a million samples without a time; those beyond are left out."},
    IssueInfo{"import.no_line_end", kInfo,
              "The last line has no end. It is imported; if the file was cut just there, its last number may lack digits."},
    IssueInfo{"mlperf_power.bad_line", kWarning, "Lines that are no power readings as MLPerf writes them are left out."},
    IssueInfo{"dlrover.bad_line", kWarning, "Lines that are no training events as DLRover writes them are left out."},
    IssueInfo{"dlrover.no_time_zone", kInfo,
              "DLRover prints local times without a zone: they are taken as UTC. If the machine ran in another zone, the run is shifted by "
              "that many hours against other sources."},
    IssueInfo{"dlrover.unmatched", kInfo, "Ends without a begin, as when the file begins in the middle of a step; they have no duration."},
    IssueInfo{"dlrover.too_many", kWarning,
              "The file holds more than 4,096 names of values, or 10,000 begins without their ends; what is beyond is left out."},
    // --- scraped exporters ---
    IssueInfo{"scrape.failed", kWarning,
              "Scrapes that brought nothing: no connection, no answer in time, or an answer that is no metrics; the reason is in the "
              "detail. Nothing is stored for them: the curves have a gap."},
    IssueInfo{
        "scrape.too_large", kWarning,
        "Answers of more than 32 MiB after unpacking, or of more than 200,000 samples, are refused as a whole. Filter at the exporter."},
    IssueInfo{"scrape.bad_line", kWarning,
              "Lines that are neither samples nor comments of the Prometheus text format are left out; the detail shows the first one."},
    IssueInfo{"scrape.too_many_series", kWarning,
              "The target exposes more series than its most_series allows (or all targets more than two million): later ones are refused, "
              "the others continue. Usually a label holds ids or times."},
    IssueInfo{"scrape.long_labels", kWarning,
              "Samples with more than 64 labels, 4 KiB of them, or a name of more than 200 bytes are refused."},
    IssueInfo{"scrape.repeated_sample", kWarning, "A page holds the same name and labels twice; the first value is kept."},
    IssueInfo{"scrape.blank_value", kInfo, "DCGM's markers for absent values. They are absent, not huge."},
    IssueInfo{"scrape.implausible_value", kWarning,
              "Values that cannot be of their metric are refused: a share above 150 %, a temperature above 200 °C. The detail shows the "
              "first sample. Usually the exporter has another unit, or the sensor failed."},
    IssueInfo{"scrape.absurd_time", kWarning,
              "Samples that say they are more than five minutes ahead of the hub's clock; the time of the scrape counts instead."},
    IssueInfo{"scrape.writer_behind", kError,
              "The store took samples more slowly than they were scraped: scrapes were left out until it caught up. Scrape more rarely."},
    // --- asked from Prometheus ---
    IssueInfo{"prometheus.unavailable", kWarning,
              "The query API did not answer, or refused; the detail has the reason. The time is queried again once it answers."},
    IssueInfo{
        "prometheus.partial_answer", kWarning,
        "A storage node behind the query API did not answer, so that samples may be missing. Import the same time again once it is back."},
    IssueInfo{"prometheus.warning", kWarning,
              "The query API answered with a warning; the detail shows the first one. Thanos marks partial answers so."},
    IssueInfo{"prometheus.unreadable_sample", kWarning, "Samples of an answer whose time or value is no number are left out."},
    IssueInfo{"prometheus.blank_value", kInfo, "DCGM's markers for absent values. They are absent, not huge."},
    IssueInfo{"prometheus.implausible_value", kWarning,
              "Values that cannot be of their metric are refused: a share above 150 %, a temperature above 200 °C. The detail shows the "
              "first sample. Usually the exporter has another unit, or the sensor failed."},
    IssueInfo{
        "prometheus.conflicting_sample", kWarning,
        "Two exporters report different values of one metric of one device at the same time; the first one is kept. Usually two of them "
        "run on a machine under one job name."},
    IssueInfo{
        "prometheus.no_node", kWarning,
        "Series that name no machine, neither by Hostname nor by instance, are left out. Keep these labels when metrics are relabelled."},
    IssueInfo{"prometheus.too_many_series", kWarning,
              "More than two million series, or one million GPUs, are refused. Name nodes or a selector."},
    IssueInfo{"prometheus.silent_node", kWarning,
              "Prometheus has no metrics of this node in the window: it is not scraped, or under another name. The detail has the node."},
    // --- received data (remote_write, OTLP) ---
    IssueInfo{
        "receive.too_many_series", kWarning,
        "The sender has as many series as one may have: samples of further ones are refused, the others continue. Usually a label holds "
        "ids or times. A series without samples for a day gives its place back."},
    IssueInfo{"receive.new_series_too_fast", kWarning,
              "New series came faster than a sender may add them; their samples were refused with 429, so that the sender can send them "
              "again."},
    IssueInfo{"receive.absurd_time", kWarning,
              "Samples without a valid time, or more than ten minutes ahead of the hub's clock, are refused."},
    IssueInfo{"receive.unnamed_series", kWarning, "Series without the label __name__, and OTLP metrics without a name, are refused."},
    IssueInfo{"receive.late_delta", kWarning,
              "Increments of a time before the newest one of their series are refused: the total at that time is stored already. Send "
              "cumulative values, or from one process only."},
    IssueInfo{"receive.too_many_tracks", kWarning,
              "The sender has as many resources, tracks or runs as one may have: spans, log lines and samples of further ones are refused. "
              "Usually an attribute of the resource holds ids or times."},
    IssueInfo{
        "receive.too_old", kWarning,
        "Spans and log lines of more than a day before the first request of their sender, or of a time of which more are stored than are "
        "compared, are refused: they may be stored already."},
    IssueInfo{"receive.blank_value", kInfo, "DCGM's markers for absent values. They are absent, not huge."},
    IssueInfo{"receive.implausible_value", kWarning,
              "Values that cannot be of their metric are refused: a share above 150 %, a temperature above 200 °C. The detail shows the "
              "first sample. Usually the exporter has another unit, or the sensor failed."},
    // --- Kubernetes ---
    IssueInfo{"kubernetes.bad_object", kWarning,
              "Parts of the data are no objects of the Kubernetes API, or a fault in a ConfigMap is no JSON; they were skipped. The detail "
              "has the first reason."},
    IssueInfo{"kubernetes.too_large", kWarning,
              "Objects of more than 2 MiB, or nested more than 64 deep, were skipped; the API server stores none of that size."},
    IssueInfo{"kubernetes.left_out", kWarning,
              "More than 65,536 objects at a time, or more than 16,384 facts of one: the later ones are left out. Select namespaces."},
    // --- training logs ---
    IssueInfo{
        "train_log.long_line", kWarning,
        "A line is longer than 1 MiB: its first MiB was read, the rest was skipped. Usually a progress bar or a dump without line ends."},
    IssueInfo{"train_log.no_time_zone", kInfo,
              "The log prints times without a time zone: they are taken as UTC. If the machine ran in another zone, the whole run is "
              "shifted by that many hours against other sources; steps and values are not affected."},
    IssueInfo{"train_log.generic", kInfo,
              "No rule file matches this trainer. The generic rule read lines with a loss: names and numbers are as printed, units and the "
              "meaning of a step are unknown. To state them, add a rule of your own (docs/formats/log_rules.md)."},
    IssueInfo{"train_log.no_year", kInfo,
              "The log prints times without a year (glog). The year is assumed: that of its dated lines; without any, the last one in "
              "which the line is older than the file, so that a copy that took a new date may be a year off."},
    IssueInfo{"train_log.no_step", kInfo,
              "A line holds values but nothing says to which step they belong, usually because it comes before the first step. They are "
              "not recorded; a rule with a step capture would record them."},
    IssueInfo{
        "train_log.unreadable_value", kWarning,
        "A known metric was printed with something that is not a number. That value is missing from its curve; the detail shows the text."},
    IssueInfo{"train_log.too_many_series", kError,
              "The log seems to hold thousands of different metric names; those beyond the limit were not recorded. Restrict the rule with "
              "keep, or report the file."},
    IssueInfo{"train_log.too_many_events", kWarning,
              "One kind of event occurs thousands of times; those beyond the limit are counted here but not listed."},
    IssueInfo{
        "train_log.too_many_log_lines", kWarning,
        "The log holds thousands of error lines; those beyond the limit are counted here but were not kept. The original file has them."},
    IssueInfo{"train_log.too_many_restarts", kWarning,
              "The step number goes back more than a thousand times; later values stay in the last attempt. The file may hold many runs "
              "mixed line by line: split it."},
    IssueInfo{"train_log.bad_rule", kWarning,
              "A rule file of yours cannot be used and was left out; the detail names the file, the place and the reason. Built-in rules "
              "work as before."},
    // --- kernel logs ---
    IssueInfo{"kernel_log.no_time_zone", kInfo,
              "The log prints times without a time zone (dmesg -T): they are taken as UTC. If the machine ran in another zone, its events "
              "are shifted by that many hours against other sources."},
    IssueInfo{
        "kernel_log.no_year", kWarning,
        "The log prints times without a year (classic syslog). The year is assumed: the last one in which the line is older than the file. "
        "A copy that took a new date may be a year off. Export the log with journalctl -k -o short-iso, or dmesg --time-format iso."},
    IssueInfo{"kernel_log.mixed_clocks", kWarning,
              "Lines of one log have different clocks: some since boot, some of the day. Those unlike the first are kept without a time."},
    IssueInfo{"kernel_log.long_line", kWarning, "Lines of more than 1 MiB are cut; no kernel writes such lines."},
    IssueInfo{"kernel_log.too_many_events", kError,
              "The log has more faults than are kept: a file's first 100,000, or 2,000 at once and 50 a second on a live node. The others "
              "are counted here; the original log has them."},
    IssueInfo{"kernel_log.too_many_lines", kWarning,
              "The log holds more lines than are kept: a file's first 50,000, or 10,000 at once and 100 a second on a live node. Faults "
              "are kept apart from them; the original log has all."},
    IssueInfo{"kernel_log.too_many_devices", kWarning,
              "A log names more than 4,096 hosts, or devices; events of those beyond belong to no device. The log may be damaged."},
    IssueInfo{"kernel_log.overwritten", kError,
              "The kernel wrote faster than the agent read: its ring buffer overwrote records that were never seen. Enlarge it with "
              "log_buf_len= on the kernel's command line."},
    // --- the hub's analyses of live runs ---
    IssueInfo{"watch.analysis_failed", kWarning,
              "An analysis of a live run failed; the reason is in the detail. It runs again in the next round; its earlier findings stay."},
    IssueInfo{"watch.too_many_findings", kWarning,
              "An analysis has more findings for one run than are kept; the later ones are left out. Its thresholds fit this run badly."},
    // --- alerts ---
    IssueInfo{"alert.not_told", kError,
              "An alert reached none of its targets; the detail has their answers. It is in the history all the same. `runglassctl alert "
              "test` tries the targets."},
    IssueInfo{"alert.held_back", kWarning, "A rule exceeded most_per_hour. The delayed notifications are sent as one message later."},
    IssueInfo{"alert.too_many_causes", kWarning, "More than 20,000 causes hold at once. Further ones are counted here and not sent."},
    IssueInfo{"alert.deadman", kWarning,
              "The heartbeat of the dead man's switch cannot be sent; the reason is in the detail. Data is stored all the same, unless the "
              "detail says otherwise."},
    // --- network ---
    IssueInfo{"ethernet.too_many_counters", kWarning,
              "The driver of a network interface has more than 65,536 counters of its own; its pauses and discards are not recorded."},
    IssueInfo{"rdma.saturated", kWarning,
              "An error counter of an RDMA port is at its maximum and no longer counts: further errors of its kind are not seen. "
              "`perfquery -R` resets it."},
    // --- tailed files ---
    IssueInfo{"trainer_output.too_many_files", kWarning,
              "The trainers of a node have more output files open than an agent tails; the others are not read. Name the important ones in "
              "[source.train_log] paths."},
    IssueInfo{"follow.unreadable", kWarning,
              "A file that the agent follows cannot be read; the reason is in the detail. It is tried again at every poll; check its "
              "permissions and the disk."},
    IssueInfo{"follow.no_files", kInfo,
              "A path in the agent's configuration named no file when the agent started; the detail names it. The agent looks again all "
              "the time: files that appear later are read."},
    IssueInfo{"follow.replaced", kInfo,
              "Another file took the name of a followed one (rotation). The old one was read to its end, the new one from its start."},
    IssueInfo{"follow.truncated", kInfo,
              "A followed file became shorter or was rewritten in place. It is read again from its start; lines that were cut away before "
              "the agent saw them are missing."},
};
}  // namespace

std::span<const IssueInfo> issueCatalog() { return kIssues; }

bool meansMissingData(std::string_view code) {
  return code == "store.damaged_chunk" || code == "export.gap" || code == "store.lost_in_repair";
}

const IssueInfo* findIssue(std::string_view code) {
  static const auto kSorted = [] {
    auto sorted = kIssues;
    std::sort(sorted.begin(), sorted.end(), [](const IssueInfo& a, const IssueInfo& b) { return a.code < b.code; });
    return sorted;
  }();
  const auto it = std::lower_bound(kSorted.begin(), kSorted.end(), code, [](const IssueInfo& i, std::string_view c) { return i.code < c; });
  return it != kSorted.end() && it->code == code ? &*it : nullptr;
}

}  // namespace runglass
