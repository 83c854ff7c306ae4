#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `runglassctl import --slurm` against Debian's Slurm with accounting: what is stored equals what Slurm's own commands print, for jobs one after the
# other on one GPU, a requeued, a failed and a pending one, while the controller and the accounting are killed and started again.
set -euo pipefail
source "$(dirname "$0")/hosts.sh"
source "$(dirname "$0")/slurm_cluster.sh"
needs slurmctld slurmd slurmdbd mariadbd munged sbatch scontrol squeue sacct sacctmgr
enterNamespaces "$0" "$@"
cd "$work"
makeHosts
startMunge

# --- Slurm with accounting ------------------------------------------------------------------------------------------------------------------
# A requeued job waits for the end of its credential's life, 2 minutes by default.
configureSlurm "AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=head
AccountingStorageTRES=gres/gpu
AuthInfo=cred_expire=5
MessageTimeout=2
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1"
mkdir -p db/data
mariadbd --no-defaults --user=root --datadir="$work/db/data" --socket="$work/db/sock" --skip-networking --skip-grant-tables --innodb-log-file-size=4M \
  --innodb-lock-wait-timeout=900 > mariadb.log 2>&1 &
cat > slurm/slurmdbd.conf <<END
AuthType=auth/munge
DbdHost=head
DbdAddr=10.77.0.1
SlurmUser=root
LogFile=$work/slurmdbd.log
PidFile=$work/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=root
StorageLoc=slurm
END
chmod 600 slurm/slurmdbd.conf
startAccounting() {
  MYSQL_UNIX_PORT=$work/db/sock start head slurmdbd -D >> slurmdbd.err.log 2>&1 &
  accounting=$!
  waitFor on head sacctmgr -n list cluster || failed "slurmdbd does not answer"
}
waitFor test -S db/sock || failed "MariaDB does not listen"
startAccounting
on head sacctmgr -i add cluster recipes > /dev/null
startSlurm

# --- the jobs --------------------------------------------------------------------------------------------------------------------------------
# A job ends with the code of its argument once end-NAME is there, however slow this machine is.
cat > job.sh <<END
#!/bin/bash
echo "\$SLURM_JOB_ID" > $home/user-\$SLURMD_NODENAME-\$CUDA_VISIBLE_DEVICES
date +%s%N > $home/began-\$SLURM_JOB_NAME
echo "\$CUDA_VISIBLE_DEVICES" > $home/saw-\$SLURM_JOB_NAME
until [ -e $home/end-\$SLURM_JOB_NAME ]; do sleep 0.2; done
date +%s%N > $home/ended-\$SLURM_JOB_NAME
echo 0 > $home/user-\$SLURMD_NODENAME-\$CUDA_VISIBLE_DEVICES
exit "\$1"
END
chmod +x job.sh
declare -A id
submit() {  # NAME ARGUMENTS…
  id[$1]=$(on head "${as[@]}" sbatch --parsable --job-name "$1" --ntasks=1 -o "$home/%j.log" "${@:2}")
}
state() { on head scontrol show job -d "${id[$1]}" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
hasState() { [ "$(state "$1")" = "$2" ]; }
store=$home/jobs.rgl
import() {  # NAME
  on head "${as[@]}" "$bin/runglassctl" import --store "$store" --slurm "${id[$1]}" --json > "$home/import-$1.json" 2> "$home/import.log"
}
imported() { import "$1" || failed "import of $1: $(cat "$home/import.log")"; }
scraped() { [ "$(grep -c "} ${id[$1]} " gpus.prom)" -ge 5 ]; }
equal() { [ "$2" = "$3" ] || failed "$1: '$2', not '$3'"; }

# A scrape of both GPUs of gpu-01 each second; their utilization in percent is the id of the job that uses them.
echo "# TYPE DCGM_FI_DEV_GPU_UTIL gauge" > gpus.prom
scrape() {
  while sleep 1; do
    for index in 0 1; do
      echo "DCGM_FI_DEV_GPU_UTIL{gpu=\"$index\",UUID=\"GPU-1-$index\",Hostname=\"gpu-01\"} $(cat "$home/user-gpu-01-$index" 2> /dev/null || echo 0) $(date +%s%3N)" >> gpus.prom
    done
  done
}
scrape &
scraper=$!
waitFor grep -q GPU-1-1 gpus.prom
"$bin/runglassctl" import --store "$store" gpus.prom > /dev/null
chown -R 4242 "$home"

submit neighbour -w gpu-01 --gres=gpu:1 job.sh 0
waitFor hasState neighbour RUNNING || failed "neighbour does not run"
submit first -w gpu-01 --gres=gpu:1 job.sh 0
submit second -w gpu-01 --gres=gpu:1 job.sh 3
submit requeued --requeue -w gpu-02 --gres=gpu:1 job.sh 0
submit later --begin=now+1hour -w gpu-02 --gres=gpu:2 job.sh 0
waitFor hasState first RUNNING || failed "first does not run"
imported first
waitFor hasState requeued RUNNING || failed "requeued does not run"
waitFor test -e "$home/saw-requeued"
imported requeued
rm "$home/saw-requeued"
on head scontrol requeue "${id[requeued]}"
for _ in 1 2 3; do imported requeued; done  # also while its processes are still being ended

waitFor scraped first
touch "$home/end-first"
waitFor hasState second RUNNING || failed "second does not run"
imported second
waitFor hasState requeued RUNNING || failed "requeued does not run again"
imported requeued
# A controller that starts without the state of a running job loses it or starts it once more.
for name in second requeued; do waitFor test -e "$home/saw-$name" && waitFor test state/job_state -nt "$home/saw-$name" || failed "no state of $name"; done
kill -9 "$controller"
imported second  # from the accounting
startController
waitFor state second || failed "the controller does not come back"
kill -9 "$accounting"
imported second  # from the controller
startAccounting
waitFor scraped second
touch "$home/end-second" "$home/end-requeued"
for name in first second requeued; do
  over() { [ "$(on head sacct -X -n -P -o end -j "${id[$name]}" | grep -c Unknown)" = 0 ] && [ "$(state "$name")" != COMPLETING ]; }
  waitFor over || failed "$name does not end: $(on head sacct -X -j "${id[$name]}")"
done
imported neighbour
for _ in 1 2; do for name in first second requeued; do imported "$name"; done; done
ok "imported while they ran, while the controller and the accounting were down, and after the end"

# --- the same as Slurm's own commands --------------------------------------------------------------------------------------------------------
seconds() { date -u -d "$1" +%s; }
for name in first second requeued; do
  truth=$(on head env TZ=UTC sacct -X -n -P --duplicates -o start,end,state,exitcode,submit -j "${id[$name]}" | while IFS='|' read -r start end state exit submit; do
    code=${exit%:*} cause=$state
    [ "$code" = 0 ] || cause="$state, exit code $code"
    echo "$(seconds "$start"),$(seconds "$end"),\"$cause\",$(($(seconds "$start") - $(seconds "$submit")))"
  done)
  stored=$(ask "$store" "SELECT a.start_ns / 1000000000, a.end_ns / 1000000000, '\"' || a.end_cause || '\"', f.value FROM run r JOIN attempt a USING (run_id)
    LEFT JOIN attempt_fact f ON f.run_id = a.run_id AND f.attempt = a.attempt AND f.key = 'slurm_queue_s' WHERE r.name = '$name-${id[$name]}' ORDER BY a.start_ns")
  equal "attempts of $name" "$(tr -d '"' <<< "$stored")" "$(tr -d '"' <<< "$truth")"
  equal "GPUs of $name" "$(ask "$store" "SELECT DISTINCT value FROM attempt_fact JOIN run USING (run_id) WHERE name = '$name-${id[$name]}' AND key = 'slurm_gpus'")" "$(cat "$home/saw-$name")"
  equal "phases of $name" "$(ask "$store" "SELECT count(*) FROM span JOIN run USING (run_id) WHERE run.name = '$name-${id[$name]}'")" "$(($(wc -l <<< "$truth") * 2))"
done
[ "$(cat "$home/saw-first")" = "$(cat "$home/saw-second")" ] || failed "not the same GPU"
equal "ends of second" "$(ask "$store" "SELECT code FROM event JOIN run USING (run_id) WHERE run.name LIKE 'second-%' AND kind = 'job_ended'")" 3
equal "reason of second" "$(ask "$store" "SELECT count(*) FROM attempt_fact WHERE value LIKE '%NonZeroExitCode%'")" 0
ok "attempts, ends, exit codes, queue times, nodes and GPUs are those of sacct and scontrol"

import later && failed "a pending job was imported"
grep -q 'has not started: PENDING, BeginTime$' "$home/import.log" || failed "the reason of a pending job: $(cat "$home/import.log")"
submit wide -w gpu-01 --gres=gpu:2 job.sh 0
submit narrow -w gpu-01 --gres=gpu:2 job.sh 0
waitFor on head squeue -h -j "${id[narrow]}" --states=PENDING
import narrow && failed "a pending job was imported"
grep -q 'has not started: PENDING, .*, position 2 in the queue$' "$home/import.log" || failed "the position in the queue: $(cat "$home/import.log")"
ok "a pending job has its reason and its position"

# --- utilization by job: the value of a scrape is the id of the job that had the GPU, from the job's first line to its last; one scrape at each may
# be another's, because its value is read before its time ---
kill "$scraper"
"$bin/runglassctl" import --store "$store" gpus.prom > /dev/null
for name in first second; do
  read -r all others <<< "$(ask "$store" "SELECT count(*) || ' ' || coalesce(sum(round(p.value * 100) <> ${id[$name]}), 0) FROM run JOIN attempt a USING (run_id)
    JOIN rank k ON k.run_id = a.run_id AND k.attempt = a.attempt JOIN series s ON s.device_uuid = k.device_uuid AND s.metric LIKE '%busy%'
    JOIN sample p ON p.series_id = s.series_id AND p.time_ns >= max(a.start_ns, $(cat "$home/began-$name"))
      AND p.time_ns < min(a.end_ns, $(cat "$home/ended-$name")) WHERE run.name = '$name-${id[$name]}'")"
  [ "$all" -ge 3 ] && [ "$others" -le 2 ] || failed "utilization of $name: $others of $all scrapes are of other jobs"
done
ok "utilization by job: at most one scrape of another job at each change"

echo "passed in $SECONDS s"
