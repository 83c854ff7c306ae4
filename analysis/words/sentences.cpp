// SPDX-License-Identifier: Apache-2.0
#include "analysis/words/sentences.h"

#include <algorithm>
#include <array>

#include "analysis/words/render.h"
#include "model/result.h"

namespace runglass::words {
namespace {

// Sorted by id. analysis/words/render.h explains the syntax.
constexpr auto kTemplates = std::to_array<Template>({
    {"cause_all_ranks", "all ranks"},
    {"cause_collections", "garbage collections"},
    {"cause_computing", "slower computing on {who}"},
    {"cause_data", "waits for data on {who}"},
    {"cause_host", "host time on {who}"},
    {"cause_link", "slower transfers through {port}"},
    {"cause_links", "slower transfers"},
    {"cause_loads", "uneven loads"},
    {"cause_rank", "rank {rank}"},
    {"cause_replica", "data-parallel replica {replica}"},
    {"cause_stage", "stage {stage}"},
    {"compare_after", "after"},
    {"compare_after_step", "After it, the run"},
    {"compare_attempt", "attempt {number}"},
    {"compare_attempt_first", "Attempt {number}"},
    {"compare_before", "before"},
    {"compare_before_step", "before step {step}"},
    {"compare_faster", "{b} is {change} faster than {a}: {mean_a} → {mean_b} a step[; {part}][; {longer}]."},
    {"compare_few_steps", "Too few steady steps to show a difference: {steps_a} and {steps_b}."},
    {"compare_global_batch", "global batch size {a} → {b}: step times are not comparable"},
    {"compare_longer_work", "own work of rank {rank}[ on {node}] is {change} longer"},
    {"compare_no_steps", "{name} has no steady steps with a duration."},
    {"compare_no_token", "no comparison per token: batch size and sequence length are not known of both"},
    {"compare_not_comparable", "Step times of {a} and {b} are not comparable: {reason}."},
    {"compare_part", "{part} {delta} of {whole}"},
    {"compare_same", "No difference beyond the noise: {mean_a} and {mean_b} a step (95 %: {low} to {high})."},
    {"compare_same_per_token",
     "No difference per token beyond the noise between {a} and {b} ({token_a} → {token_b} ns); "
     "step times are not comparable."},
    {"compare_sequence", "sequence length {a} → {b}: step times are not comparable"},
    {"compare_side", "{name}[, steps {first} to {last}]"},
    {"compare_slower", "{b} is {change} slower than {a}: {mean_a} → {mean_b} a step[; {part}][; {longer}]."},
    {"compare_token_less",
     "{b} takes {change} less time per token than {a} ({token_a} → {token_b} ns); step times "
     "are not comparable."},
    {"compare_token_longer",
     "{b} takes {change} longer per token than {a} ({token_a} → {token_b} ns); step times are "
     "not comparable."},
    {"compare_world", "world size {a} → {b}: step times are not comparable"},
    {"cost_none_now", "no other rank waits for it"},
    {"cost_none_past", "no other rank waited for it"},
    {"cost_now", "costs {cost} of every step"},
    {"cost_past", "cost {cost} of every step"},
    {"cost_up_to_now", "costs up to {cost} of every step"},
    {"cost_up_to_past", "cost up to {cost} of every step"},
    {"evicted", "{who} was evicted: {text}[; {others|# other pod|# other pods} after it]"},
    {"exit_code", "exit code {code}"},
    {"fault_at", "{where}: {what}[, {times} times][; {symptoms}]"},
    {"fault_counted", "{count} {kind}"},
    {"fault_device", "{device} of {node}[ (rank {rank})]"},
    {"fault_explained", "Explained by another fault since: {what}"},
    {"fault_gpu", "GPU {gpu} of {node}[ (rank {rank})]"},
    {"fault_hub", "{nodes} nodes fell silent within 10 s: the hub or the network, not the nodes"},
    {"fault_link_flap", "A network link of {where} went down and came up again[ ({times} times)][; {symptoms}]"},
    {"fault_on_nodes", "On {nodes|# node|# nodes} at once: {what}[, {times} times][; {symptoms}]"},
    {"fault_several_nodes", "several nodes"},
    {"fault_silent", "{where} fell silent; no earlier record explains it"},
    {"fault_silent_back", "{where} fell silent and returned; no earlier record explains it"},
    {"fault_some_gpu", "a GPU of {node}[ (rank {rank})]"},
    {"fault_some_node", "a node"},
    {"fault_sxid", "SXid {code}, {meaning}"},
    {"fault_symptoms", "{count|# symptom|# secondary symptoms} ({kinds})"},
    {"fault_throttled_now", "{gpus|One GPU|# GPUs} of {where} {gpus|is|are} throttled: {reasons}"},
    {"fault_throttled_past", "{gpus|One GPU|# GPUs} of {where} {gpus|was|were} throttled for {seconds} s: {reasons}"},
    {"fault_xid", "Xid {code}, {meaning}"},
    {"gc_pauses",
     "Pauses of single forward passes, as garbage collections make them, at different steps of "
     "{ranks|# rank|# ranks} delay all ranks since step {first}: {touched} of {steps} steps, "
     "{cost} of their time"},
    {"gc_recorded",
     "Garbage collections at different steps of {ranks|# rank|# ranks} delay all ranks since "
     "step {first}: {touched} of {steps} steps, {cost} of their time; collecting on all ranks in "
     "the same step would cost it once"},
    {"grace_period_exceeded",
     "{who} did not end within its grace period[ of {grace}] after SIGTERM and was killed by SIGKILL[; {others|# other pod|# other pods} "
     "after it]"},
    {"hang_behind", "behind"},
    {"hang_bytes", "{count|# byte|# bytes}"},
    {"hang_collective", "a collective"},
    {"hang_deadlock", "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}: communicators wait for each other in a cycle"},
    {"hang_elements", "{count|# element|# elements}"},
    {"hang_enqueued", "enqueued, not started"},
    {"hang_group", "group {group}"},
    {"hang_group_of_kind", "{kind} group {group}"},
    {"hang_in", "in {op}"},
    {"hang_in_none", "in no collective"},
    {"hang_last_completed", "in no collective, last completed #{seq}"},
    {"hang_late_node", "{node} ({count|# rank|# ranks}) has not entered[: {doing}]"},
    {"hang_late_ranks", "{count|rank|ranks} {ranks}[ ({node})] {count|has|have} not entered[: {doing}]"},
    {"hang_mismatched",
     "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, which others call "
     "{other}: the program does not do the same on all ranks"},
    {"hang_mismatched_ranks",
     "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, where {count|rank|ranks} {ranks}[ ({node})] "
     "{count|calls|call} {other}: the program does not do the same on all ranks"},
    {"hang_mismatched_sizes",
     "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, where {count|rank|ranks} {ranks}[ ({node})] "
     "{count|passes|pass} {size} and the others {usual}: the program does not do the same on all ranks"},
    {"hang_missing", "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, where {late}[; {stacks}]"},
    {"hang_missing_unknown",
     "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}; missing ranks are not "
     "known: {reason}"},
    {"hang_no_move", "No rank has moved[ at step {step}][ for {length}]"},
    {"hang_not_left",
     "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}, which other members "
     "have completed and {late}[; {stacks}]"},
    {"hang_not_left_ranks", "{count|rank|ranks} {ranks}[ ({node})] {count|has|have} not"},
    {"hang_operation", "{op}[ #{seq}][ of {group}]"},
    {"hang_outlier", "{standstill}; suspect: {count|rank|ranks} {ranks}[ ({node})][; {stacks}][; root: {operation}]"},
    {"hang_silent", "silent"},
    {"hang_stacks", "stack in {frames}, {count|# other rank|# other ranks} in {common}"},
    {"hang_still", "No rank has moved[ at step {step}][ for {length}]; no rank reports a wait"},
    {"hang_still_in", "still in [{op} ]#{seq}"},
    {"hang_stopped",
     "{standstill}; {count|rank|ranks} {ranks}[ ({node})] {count|does|do} not run: process state "
     "{states}[; root: {operation}][; {stacks}]"},
    {"hang_stuck",
     "{blocked} of {world} ranks wait[ at step {step}]; root: {operation}: all {members} members "
     "have entered and none leaves (network or GPU)"},
    {"hang_time_outs", "{count|# collective timeout|# collective timeouts}[ at step {step}]; missing ranks are not known: {reason}"},
    {"hang_timed_out",
     "{blocked} of {world} ranks timed out in collectives[ at step {step}]; {count|rank|ranks} "
     "{ranks}[ ({node})] did not"},
    {"hang_timed_out_awaited",
     "{timeouts|# collective timeout|# collective timeouts}[ at step {step}]; {count|rank|ranks} {ranks}[ ({node})] sent nothing to the "
     "ranks that timed out"},
    {"hang_timed_out_behind",
     "{blocked} of {world} ranks timed out in collectives[ at step {step}]; {count|rank|ranks} "
     "{ranks}[ ({node})] {count|is|are} furthest behind"},
    {"hang_unclear_all_timed_out", "all {count} ranks timed out, none ahead of the others"},
    {"hang_unclear_few_timed_out", "timeouts of only {count} of {world} ranks are recorded"},
    {"hang_unclear_no_dumps", "only {count} of {world|# rank|# ranks} {count|has|have} a dump"},
    {"hang_unclear_no_group", "the ranks report neither communicator nor peer of it"},
    {"hang_unclear_no_members", "the members of its communicator are not recorded"},
    {"hang_unclear_no_progress", "no progress of the other members is recorded"},
    {"hang_unclear_no_rank", "the log names no rank"},
    {"hang_unclear_one_rank", "only one rank reports progress"},
    {"hang_unclear_several", "the ranks timed out in different collectives"},
    {"hang_unclear_world", "{count|# rank|# ranks} timed out, and the number of ranks is not recorded"},
    {"hang_wait", "{blocked} of {world} ranks wait[ at step {step}]"},
    {"idle_all_explained", "every gap has a cause"},
    {"idle_all_in_parts", "every moment of the steps is in a part"},
    {"idle_basis_metric", "{metric} of {devices|# device|# devices}[; {sample}]"},
    {"idle_basis_parts", "step parts of {ranks|# rank|# ranks}"},
    {"idle_basis_spans",
     "GPU streams of {devices|# device|# devices}[; those of {ranks|# rank|# ranks} were not "
     "read: their spans are too many]"},
    {"idle_clocks_alone", "{held}; no clock without throttling is recorded[; {sample}]"},
    {"idle_clocks_held",
     "{held} of {devices|# device|# devices} throttled ({reasons}); the worst[, rank {rank}'s,] for {share} of the time at {clock}"},
    {"idle_clocks_of_others", "{held} against {level} of other devices[, which costs it {lost}][; {sample}]"},
    {"idle_clocks_unthrottled", "{held} against {level} unthrottled[, which costs it {lost}][; {sample}]"},
    {"idle_launches", "{share} of {count} launches found the device idle, median launch delay {delay}"},
    {"idle_metric_only", "no spans and no step parts are recorded to explain idle devices"},
    {"idle_no_attempt", "the run has no attempt"},
    {"idle_no_cause", "{portion}: no recorded cause"},
    {"idle_no_clocks", "SM clocks and their event reasons of no device were recorded"},
    {"idle_no_cpu", "neither the run delay of a trainer's thread nor CPU use of a node was recorded"},
    {"idle_no_data_span", "no span of the threads that launch names a data loader"},
    {"idle_no_full_spans", "no spans of all work of a GPU's streams were recorded"},
    {"idle_no_gc_span", "no span of the threads that launch names a collection"},
    {"idle_no_launches", "launches cannot be matched with kernels: their calls are not recorded"},
    {"idle_no_logging_span", "no span of the threads that launch names logging"},
    {"idle_no_part", "{portion} in no part"},
    {"idle_no_save_span", "no span of the threads that launch names a save"},
    {"idle_no_spans_no_parts", "neither spans nor parts of steps were recorded"},
    {"idle_no_stalls", "compaction stalls of no node were recorded (/proc/vmstat)"},
    {"idle_no_waits", "the waiting of communication: what of a step is in no part may be that"},
    {"idle_not_recorded",
     "neither spans of a device nor parts of steps were recorded, and no device utilisation "
     "either"},
    {"idle_on_devices", "{share} of the time on {count} of {total|# device|# devices}"},
    {"idle_on_devices_of_step", "{share} of a step on {count} of {total|# device|# devices}"},
    {"idle_on_ranks", "{share} of the time on {count} of {total|# rank|# ranks}"},
    {"idle_on_ranks_of_step", "{share} of a step on {count} of {total|# rank|# ranks}"},
    {"idle_part_not_recorded", "no rank recorded a part \"{part}\""},
    {"idle_partial_spans",
     "the spans of the devices are of some of their work only, no step has parts and no device "
     "utilisation is recorded"},
    {"idle_parts", "[{where}; of all: ]{portion}[ {meanwhile}][; most on rank {rank} in one step: {longest}]"},
    {"idle_portion", "{part} of {whole}"},
    {"idle_portion_of_step", "{part} of a step of {whole}"},
    {"idle_run_delay", "the training thread was ready and had no CPU for {share} of the steps"},
    {"idle_sample_devices", "sample: {count} of {total|# device|# devices}"},
    {"idle_sample_nodes", "sample: {count} of {total|# node|# nodes}"},
    {"idle_saturated",
     "[{delay}; ]{saturated} of {nodes|# node|# nodes} had no CPU to give (at least 95 % busy, "
     "or tasks waiting 80 % of the time), {share} of the time[; CPUs were {busy} busy on "
     "average][; {sample}]"},
    {"idle_short_kernels", "{share} of {count} kernels are that short, {time} of the kernels' time"},
    {"idle_spans", "[{where}; of all: ]{portion}[ {meanwhile}][; {stretches}][; {kernels}][; {launches}]"},
    {"idle_stalls",
     "{count} waits for memory compaction on {nodes|# node|# nodes}[, {fallbacks} page faults "
     "found no huge page]; {length}[; {sample}]"},
    {"idle_stalls_no_length", "how long they took was not recorded"},
    {"idle_stalls_share", "tasks waited for memory {share} of the time meanwhile"},
    {"idle_stretches", "{count} stretches, the longest {longest}"},
    {"idle_stretches_a_step", "{count} stretches a step, the longest {longest}"},
    {"idle_while_allocation", "in calls that allocate or free memory, which wait for the device"},
    {"idle_while_checkpoint", "while a checkpoint was saved"},
    {"idle_while_copy_call", "in copy calls of the host, or from such a call to its copy"},
    {"idle_while_data", "while waiting for a batch of the data loader"},
    {"idle_while_gc", "while Python collected garbage"},
    {"idle_while_host_bound", "before the next work was issued"},
    {"idle_while_launch", "between the launch call's begin and the work's"},
    {"idle_while_logging", "while logs or metrics were reported"},
    {"idle_while_queued",
     "with work issued that had not begun: kernels close together, streams that wait for "
     "others, or work that was not recorded"},
    {"idle_while_small_kernels", "after kernels shorter than 10 µs, done before the next was issued"},
    {"idle_while_sync", "in synchronisation calls or within 200 µs after them: the queue had run dry"},
    {"image_pull", "{pods|# pod does|# pods do} not start, the image cannot be pulled: {code}[: {text}]"},
    {"incident_end", "end of attempt {attempt}[ ({cause})]"},
    {"incident_one", "{kind}[ of {length}]"},
    {"incident_several", "{count} × {kind}"},
    {"incident_with", "{what}; with it: {list}"},
    {"job_failed", "The job failed: {message}[; {others|# other rank|# other ranks} failed after it]"},
    {"job_failed_first", "{who} failed first: {message}[; {others|# other rank|# other ranks} failed after it]"},
    {"job_failed_process", "A process of {node}"},
    {"job_failed_rank", "Rank {rank}[ ({node})]"},
    {"killed_memory", "the kernel killed {process} (pid {pid}) because the node's memory ran out"},
    {"killed_memory_limit", "the kernel killed {process} (pid {pid}) at the memory limit of its control group"},
    {"link_counts", "{what} since the attempt began; no steps are slower for it"},
    {"link_no_counters", "no port's counters were recorded, so that the link cannot be named[; {nodes}]"},
    {"link_no_port", "no port deviates[; {nodes}]"},
    {"link_nodes", "it is a link of {nodes}[ or {more|# other node|# other nodes}]"},
    {"link_port", "the port"},
    {"link_port_counted", "{port}[ of {node}] counted {own} {counter}, the other ports {others}"},
    {"link_port_rate", "{port}[ of {node}] runs at {own} Gbit/s, the other ports at {others}"},
    {"link_slow",
     "Communication of {ranks|# rank|# ranks} takes {own} a step against {before} before step "
     "{first}, without waiting; costs up to {cost} of every step: {port}"},
    {"list_separator", ", "},
    {"log_alert", "{rule}: {what}[ ({delivery})]"},
    {"log_alert_rule", "alert {rule}"},
    {"log_attempt_ends", "attempt {number} ends[: {cause}]"},
    {"log_attempt_starts", "attempt {number} starts[, resumed from step {step}][; {nodes}]"},
    {"log_attempts", "{count|# attempt|# attempts}"},
    {"log_better", "better: {finding}"},
    {"log_captures", "{count|# capture|# captures}[ ({reason})]"},
    {"log_checkpoint_begins", "checkpoint of step {step} begins; no record that it became durable"},
    {"log_checkpoint_durable", "checkpoint of step {step} is durable"},
    {"log_continues", "continues: {finding}"},
    {"log_delivered", "{what}[ ({delivery})]"},
    {"log_durable", "step {step} is durable"},
    {"log_durable_several", "{count} durable, steps {first} to {last}"},
    {"log_end", "attempt {number}[ at step {step}][: {cause}][ ({planned})]"},
    {"log_ended", "ended: {finding}"},
    {"log_finding", "{finding}[; for {length}]"},
    {"log_incident", "{title}[; cause: {cause}][; because: {reason}]"},
    {"log_incident_state", "incident, {state}"},
    {"log_judged", "judged: {kind}"},
    {"log_kind", "{kind}: {text}"},
    {"log_machines", "{nodes|# node|# nodes}[, {models}]"},
    {"log_no_attempt", "no attempt"},
    {"log_nodes", "{nodes} nodes"},
    {"log_not_durable", "no record that step {step} became durable"},
    {"log_not_planned", "not planned"},
    {"log_note", "[{author}: ]{text}"},
    {"log_note_of", "note[ of {author}]"},
    {"log_notified", "{rule} notified[ ({delivery})]"},
    {"log_planned", "planned"},
    {"log_published", "published: {finding}"},
    {"log_ranks", "{ranks} ranks[ of {nodes} nodes]"},
    {"log_restart",
     "attempt {number}[ resumes from step {step}][, {lost} steps are lost][, {gap} after the "
     "end][; another layout: {sizes}][; the one before ended by: {cause}][; {nodes}]"},
    {"log_several", "{count} × {kind}[ on {where}], first: {first}"},
    {"log_sizes", "{world|# rank|# ranks}[ ({sizes})]"},
    {"log_start", "attempt {number}[, {framework}][, {sizes}][ on {machines}][; {facts}]"},
    {"log_summary", "{attempts}[, {kept} steps kept, {lost} lost][; {ratio} of {wall} made progress]"},
    {"log_worse", "worse: {finding}"},
    {"loss_blip", "Loss of {peak} against {baseline} at step {step}, back at the next point"},
    {"loss_blips",
     "{points|# point|# points} of the loss are outliers between steps {first} and {last}, each "
     "back within {within} points; the highest is {peak} against {baseline} at step {step}"},
    {"loss_clipped",
     "Up to {share} % of {window} points had their gradient clipped at {clip}, between steps "
     "{first} and {last}"},
    {"loss_divergence",
     "The loss drifts up: its level (median of 100 points) was {best} at step {best_step} and "
     "has been above it since step {first}, up to {worst}, now {level}"},
    {"loss_divergence_back",
     "The loss drifts up: its level (median of 100 points) was {best} at step {best_step} and "
     "has been above it since step {first}, up to {worst}; back at step {back}"},
    {"loss_gradient_after", "the gradient norm left its level {steps|# step|# steps} after"},
    {"loss_gradient_before", "the gradient norm left its level {steps|# step|# steps} before"},
    {"loss_gradient_not_finite",
     "Gradient norm is {value} at step {first}[, {points|# point|# points} up to step {last}][; "
     "finite again at step {back}][ and {lasting}][; {scaler}][; first on rank {rank}][; found "
     "in {layer}]"},
    {"loss_gradient_spike", "Gradient norm rose to {peak} against {baseline} at step {step}; the loss shows no spike"},
    {"loss_gradient_spike_rise",
     "Gradient norm rose to {peak} against {baseline} at step {step}; the loss rose to "
     "{loss_peak} against {loss_baseline}, below the limit of a spike"},
    {"loss_gradient_with", "the gradient norm left its level at the same step"},
    {"loss_jump",
     "Loss jumped to {peak} against {baseline} at step {step} and was not back within {within} "
     "points: its level is {level}[; back at step {back}][; {gradient}][, {regime}]"},
    {"loss_lasting", "stays so"},
    {"loss_log", "The log reports a value that is not finite: {line}[ ({lines} lines)]"},
    {"loss_not_finite",
     "Loss is {value} at step {first}[, {points|# point|# points} up to step {last}][; finite "
     "again at step {back}][ and {lasting}][; first on rank {rank}][; found in {layer}]"},
    {"loss_regime", "after the {what} went from {from} to {to} at step {step}"},
    {"loss_replay",
     "The loss is up to {worse} % worse than that of the attempt before at the same steps, from "
     "step {first} on"},
    {"loss_restart",
     "The loss is worse after the restart at step {first}: {after} over the first {points} "
     "points, {before} before[, {regime}]"},
    {"loss_rise",
     "Loss rose to {peak} against {baseline} at step {step}, below the limit of a spike (at "
     "least {limit_z} robust sigma and {limit_percent} %): {z} robust sigma, {points|# point|# "
     "points}"},
    {"loss_rise_gradual",
     "Loss rose to {peak} against {baseline} at step {step}, more slowly than a spike: {z} "
     "robust sigma, {points|# point|# points}"},
    {"loss_scale",
     "The loss scale was lowered {halvings|# time|# times} between steps {first} and {last}, "
     "from {from} to {lowest}: gradients overflow again and again"},
    {"loss_scale_lowered", "the loss scale was lowered"},
    {"loss_spike",
     "Loss rose to {peak} against {baseline} at step {step}, not back after {points|# point|# "
     "points}[; {gradient}][, {regime}]"},
    {"loss_spike_back",
     "Loss rose to {peak} against {baseline} at step {step}, back at step {back}, {points|# "
     "point|# points}[; {gradient}][, {regime}]"},
    {"loss_step_skipped", "the optimizer skipped the step"},
    {"machine_added", "{what}; {machine}"},
    {"machine_clock", "its SM clock is {own} MHz against {peers} MHz[, at {heat} °C against {peer_heat} °C]"},
    {"machine_fault", "its machine reported {event}"},
    {"machine_power", "it draws {own} W against {peers} W"},
    {"machine_same_clock", "its SM clock is its peers' ({clock} MHz)"},
    {"machine_same_clock_heat", "its SM clock is its peers' ({clock} MHz), its temperature too"},
    {"machine_same_clock_hotter", "its SM clock is its peers' ({clock} MHz), but it is {hotter} °C hotter"},
    {"names_more", "{names} and {count} more"},
    {"node_number", "node {node}"},
    {"nodes_gone", "{nodes} {count|is|are} gone"},
    {"nodes_new", "{nodes} {count|is|are} new"},
    {"nodes_replaced", "{gone} {count|is|are} replaced by {come}"},
    {"oom_killed",
     "{who} was OOM-killed[: container {container} exceeded its memory limit or the node ran out of memory][; {others|# other pod|# other "
     "pods} after it]"},
    {"parts_few",
     "Slow ranks cannot be found among all: only {coverage} of the ranks recorded their step "
     "parts"},
    {"parts_missing",
     "Slow ranks cannot be found: step parts (forward, backward, communication and its "
     "waiting) were not recorded"},
    {"place_rank", "rank {rank}[ on {node}]"},
    {"pod_churn",
     "The job does not start: {pods} pods[ of group {group}] were created one after the other in {length}, none runs; {cause}"},
    {"pod_churn_init", "init container[ {container}] fails: {text}"},
    {"pod_churn_other", "{code}[: {text}]"},
    {"pod_of_node", "Pod {pod}[ ({node})]"},
    {"pod_of_rank", "Rank {rank} (pod {pod}[, {node}])"},
    {"preempted", "{who} was preempted: {text}[; {others|# other pod|# other pods} after it]"},
    {"process_crashed", "{process} (pid {pid}) crashed, as the kernel reports"},
    {"ranks_more", "{ranks}, ... ({count} in all)"},
    {"ruled_out_as_fast", "{count} of {reported} are as fast as their peers in steps {first} to {last}"},
    {"ruled_out_as_peers", "{own} against {peers} of its peers"},
    {"ruled_out_blocked", "the ranks that wait"},
    {"ruled_out_blocked_ranks", "{blocked} of {world} ranks wait for others"},
    {"ruled_out_fault", "a hardware fault of {node}"},
    {"ruled_out_loss", "the loss"},
    {"ruled_out_metric", "{metric} of {place}"},
    {"ruled_out_no_loss_finding", "no spike, no drift and no value that is not finite in the window"},
    {"ruled_out_no_warnings", "0 warnings or worse of the node or its devices in the window"},
    {"ruled_out_others", "the other ranks"},
    {"scalar_not_finite",
     "{tag} is {value} at step {first}[, {points|# point|# points} up to step {last}][; finite "
     "again at step {back}][ and {lasting}][; {scaler}][; {more|so is # more scalar|so are # "
     "more scalars}][; first on rank {rank}][; found in {layer}]"},
    {"setting_gdr_off", "GPU Direct RDMA is off on {node}"},
    {"setting_gdr_off_nodes", "GPU Direct RDMA is off on {nodes|# node|# nodes}"},
    {"setting_low", "{setting} is {value}: a network outage of seconds ends the job"},
    {"setting_low_large", "{setting} is {value}: {advised} is advised for a job of {nodes|# node|# nodes}"},
    {"setting_mig_on", "MIG is on on every GPU of the job"},
    {"setting_no_abort", "{setting} is 0: when a rank fails, its peers wait instead of ending"},
    {"setting_odd_node", "{setting} differs: {node} has {value}, the other {nodes|# node|# nodes} {others}"},
    {"setting_odd_nodes", "{setting} differs: on {odd} of {nodes|# node|# nodes}; most have {others}"},
    {"setting_others", "others"},
    {"setting_values", "{setting} differs: {values} values on {nodes|# node|# nodes}"},
    {"shift_explained", "explained by {cause}"},
    {"shift_less_now",
     "Steps take {change} less since step {first}[, {restart}]: {before} before, {after} now[; "
     "{cause}]"},
    {"shift_less_past",
     "Steps took {change} less from step {first}[, {restart}] to {last}: {before} before, "
     "{after} then[; {cause}]"},
    {"shift_longer_now",
     "Steps take {change} longer since step {first}[, {restart}]: {before} before, {after} now[; "
     "{cause}]"},
    {"shift_longer_past",
     "Steps took {change} longer from step {first}[, {restart}] to {last}: {before} before, "
     "{after} then[; {cause}]"},
    {"shift_no_rank", "no rank deviates: check clocks, power caps, storage, network or the software itself"},
    {"shift_no_rank_of_few", "no rank deviates among the {coverage} with recorded step parts"},
    {"shift_partly", "{cause}: {cost} of a step, which does not explain it"},
    {"shift_restart", "the first after a restart"},
    {"slow_all_cpu",
     "All ranks wait for a CPU {share} of every step ({own} of {step}), {when}: more threads are ready to run than their nodes have "
     "cores[; {cost}]"},
    {"slow_all_data", "All ranks wait for data {share} of every step ({own} of {step}), {when}[; {cost}]"},
    {"slow_all_host", "Work on the host delays all ranks {share} of every step ({own} of {step}), {when}[; {cost}]"},
    {"slow_computes",
     "{who} computes slower than its peers: {own} against {peers} a step (+{ratio}), {when}; "
     "{cost}"},
    {"slow_data", "{who} waits longer for its data than its peers: {own} against {peers} a step, {when}; {cost}"},
    {"slow_host",
     "{who} spends more time on the host than its peers: {own} against {peers} a step, {when}; "
     "{cost}"},
    {"slow_node", "{node} ({ranks|# rank|# ranks})"},
    {"slow_rank", "Rank {rank}[ on {node}]"},
    {"slow_replica", "Data-parallel replica {replica} ({ranks|# rank|# ranks})"},
    {"slow_stage", "Stage {stage} ({ranks|# rank|# ranks})"},
    {"stage_became_slower",
     "Stage {stage} has become slower than the other stages: {own} a step against {others} "
     "(+{ratio}), {when}; {cost}"},
    {"stage_longer",
     "Stage {stage} computes longer than the other stages: {own} a step against {others} "
     "(+{ratio}), {when}; {cost}"},
    {"stage_node",
     "{node}, which computes all of stage {stage}, has become slower than the other stages: "
     "{own} a step against {others} (+{ratio}), {when}; {cost}"},
    {"stall_log", "only log lines are recorded"},
    {"stall_now", "No step has ended for {length}[ since step {step}][ (limit {limit})][; {source}]"},
    {"stall_past", "No step ended for {length}[ after step {step}][ (limit {limit})][; {source}]"},
    {"straggler_gain", "a step would take {fixed} instead of {now} ({saved}; {steps|# step|# steps} replayed)"},
    {"straggler_node",
     "{node} ({workers|# worker|# workers}) explains {explained} of the slowdown: if it were as "
     "fast as the others, {gain}"},
    {"straggler_one_replica", "with one replica a slow rank looks the same"},
    {"straggler_sequences",
     "The slowest replica changes from step to step and is {spread} slower than the mean one, "
     "forward and backward alike (correlation {correlation}): sequences of unequal length; with "
     "even passes, {gain}"},
    {"straggler_stage",
     "Pipeline stage {stage} of {stages}, takes longer than its share (explains {explained} of "
     "the slowdown): balanced, {gain}[; {doubt}]"},
    {"straggler_stage_last",
     "Pipeline stage {stage}, the last of {stages}, takes longer than its share (explains "
     "{explained} of the slowdown): balanced, {gain}[; {doubt}]"},
    {"straggler_worker",
     "Slow: {worker}[ and {more} more of the slowest 3 %], in {steps} of the steps; as fast as "
     "the others, {gain}"},
    {"suspect_outlier", "outlier in the ranking"},
    {"suspect_reasons", "{first}; {second}"},
    {"suspect_slower", "{share} slower than its peers in the ranking"},
    {"title_at", "{what}[, {place}][, at step {at}][, from step {from}]"},
    {"title_fault", "{kind}[ {code}][ ({meaning})]"},
    {"title_many_silent", "Many nodes silent at once"},
    {"title_silent", "Silent node"},
    {"title_slow_node", "Slow node {place}[, at step {at}][, from step {from}]"},
    {"title_slow_rank", "Slow {place}[, at step {at}][, from step {from}]"},
    {"unschedulable_now", "{pods|# pod has|# pods have} not been scheduled for {length}[: {reason}]"},
    {"unschedulable_past", "{pods|# pod was|# pods were} not scheduled for {length}[: {reason}]"},
    {"verbatim", "{text}"},
    {"waited_rank",
     "{who} begins {last} of {calls} collectives last[, in {late_steps} of {steps} steps]: the other {others|rank "
     "waits|ranks wait} {waited} of {time} for it ({cost})"},
    {"wander_loads",
     "Steps wait for another rank each time ({culprits} were the slowest at least once), {when}: "
     "sequence lengths or experts' loads differ, forward and backward are slow together; costs "
     "{cost} of the steps"},
    {"wander_perhaps",
     "Steps wait for another rank each time ({culprits} were the slowest at least once), {when}: "
     "lengths of sequences or loads of experts may differ; costs {cost} of the steps"},
    {"when_always", "in all recorded steps"},
    {"when_from_start", "from the first recorded step to step {last}"},
    {"when_past", "from step {first} to {last}"},
    {"when_since", "since step {first}"},
    {"withdrawn", "Withdrawn: {what}"},
    {"worker_folded", "rank {rank} or a tensor- or context-parallel peer of it (not separable) (dp {dp}, pp {pp})"},
    {"worker_rank", "rank {rank} (dp {dp}, pp {pp})"},
});
static_assert(std::ranges::is_sorted(kTemplates, {}, &Template::id));

}  // namespace

std::span<const Template> catalogue() { return kTemplates; }

std::string_view templateOf(std::string_view id) {
  const auto found = std::ranges::lower_bound(kTemplates, id, {}, &Template::id);
  return found != kTemplates.end() && found->id == id ? found->english : std::string_view();
}

const Phrases& englishPhrases() {
  static const Phrases phrases{.sentence = [](std::string_view id) { return std::string(templateOf(id)); }, .term = {}};
  return phrases;
}

std::string english(const Message& message) {
  auto text = render(message, englishPhrases());
  return text ? *std::move(text) : print(message);
}

void setMessage(Finding& finding, const Message& message) {
  finding.summary = english(message);
  finding.message = print(message);
}

Arg messageOf(const Finding& finding) {
  auto message = parse(finding.message);
  return message && render(*message, englishPhrases()) == finding.summary ? Arg(std::move(*message)) : Arg(finding.summary);
}

}  // namespace runglass::words
