// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/object_edits.h"

#include <QCoreApplication>
#include <algorithm>
#include <utility>

#include "analysis/run_summary/run_summary.h"
#include "model/alert_cause.h"

namespace runglass {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(runglass::ObjectEdits)
};

}  // namespace

std::vector<OfferedEdit> editsOf(const Object& object, const EditPort* edits) {
  const QString refused = edits != nullptr ? edits->refusal() : Words::tr("This store is read-only.");
  const auto unless = [&](bool possible, const QString& why) { return possible ? refused : why; };
  return {{ObjectEdit::kMark, Words::tr("Mark"), unless(object.window.has_value(), Words::tr("It has no time."))},
          {ObjectEdit::kIncident, Words::tr("Incident"),
           unless(seedOf(object).has_value(), Words::tr("Incidents are made of findings, events and ranks."))},
          {ObjectEdit::kMute, Words::tr("Mute for 2 h"),
           unless(object.kind == ObjectKind::kFinding, Words::tr("Only findings can be muted here."))}};
}

std::optional<IncidentSeed> seedOf(const Object& object) {
  if (object.kind == ObjectKind::kFinding) return IncidentSeed{.finding = object.id};
  if (object.event != nullptr) return IncidentSeed{.event = *object.event};
  if (object.kind == ObjectKind::kRank) return IncidentSeed{.rank = object.selection.rank, .attempt = object.selection.attempt};
  return std::nullopt;
}

void muteFinding(const ViewContext& context, QuerySlot& slot, const Object& finding, QObject* owner,
                 std::function<void(const Status&)> done) {
  context.queries->submit<std::string>(
      slot, QueryService::Supersede::kCancelOlder,
      [id = finding.id](Reader& reader, std::stop_token) -> Result<std::string> {
        RG_ASSIGN(const std::vector<Finding> findings, reader.findings(std::nullopt));
        const auto found = std::ranges::find(findings, id, &Finding::id);
        if (found == findings.end()) return Status(Code::kNotFound, "the finding is not in this store any more");
        RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
        const auto node = std::ranges::find(nodes, found->node, &Node::id);
        RG_ASSIGN(const std::vector<Run> runs, reader.runs());
        const auto run = std::ranges::find(runs, found->run, &Run::id);  // absent: a fault of a machine without a run
        return causeOfFinding(*found, node == nodes.end() ? std::string() : node->name, run == runs.end() ? std::string() : run->uuid);
      },
      [edits = context.edits, until = context.clock() + kMuteFor, owner,
       done = std::move(done)](const Result<std::shared_ptr<const std::string>>& cause) {
        if (!cause.ok()) return done(cause.status());
        edits->submit(Snooze{.rule = "", .cause = **cause, .until = until, .author = qgetenv("USER").toStdString()}, owner, done);
      });
}

}  // namespace runglass
