// SPDX-License-Identifier: GPL-3.0-or-later
// Commands to take nodes out of service or to test them, as text to copy; nothing is run.
//
// Threading:  any thread.
// Errors:     a name that a shell would interpret is quoted; without nodes the text is empty.
// Cost:       O(nodes).
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>
#include <string>

namespace runglass {

// "n1,n2"
QString hostList(const QStringList& nodes);
// scontrol update nodename=… state=drain reason="…"
QString slurmDrain(const QStringList& nodes, const QString& reason);
// The reason for slurmDrain(): "runglass: rank 3 7.5 % slower than its peers since step 120".
QString drainReason(std::int32_t rank, std::optional<double> slower, std::optional<std::int64_t> since_step);
// kubectl cordon …, one line per node
QString kubernetesCordon(const QStringList& nodes);
// The suspect paired with a healthy node, then the healthy pair: if only the first run is slow, the suspect is proven slow.
// Paired checks: DLRover's node check (github.com/intelligent-machine-learning/dlrover), with NVIDIA's nccl-tests.
QString pairTest(const QString& suspect, const QString& healthy, const QString& other, int gpus_per_node);

}  // namespace runglass
