// SPDX-License-Identifier: Apache-2.0
#include "collectors/sources/train_log/train_log_source.h"

#include "collectors/sources/follow/follow_source.h"
#include "collectors/sources/train_log/log_consumer.h"

namespace runglass {
namespace {

// Both names read with the same rules; two tables of a configuration can name different files and runs.
class TrainLogSource : public FollowSource {
 public:
  explicit TrainLogSource(std::string_view name) : m_name(name) {}
  std::string_view name() const override { return m_name; }
  Status start(Recorder& out, const SourceContext& context) override {
    m_node_name = context.node.name;
    m_ranks = context.ranks;
    return FollowSource::start(out, context);
  }

 protected:
  std::unique_ptr<FileConsumer> consumer(const FollowTarget& target) override {
    return std::make_unique<LogConsumer>(target, m_node_name, m_ranks, LogWriter{});
  }
  // A folder of a run holds configurations and code as well, whose lines are no log.
  TailedFiles::Takes takes() const override { return isLogName; }
  std::string takenNames() const override {
    std::string names;
    for (const std::string_view ending : kLogEndings) names += (names.empty() ? "file named *" : ", *") + std::string(ending);
    return names;
  }

 private:
  std::string_view m_name;
  std::string m_node_name;
  const RankTable* m_ranks = nullptr;
};

}  // namespace

std::unique_ptr<Source> makeTrainLogSource() { return std::make_unique<TrainLogSource>("train_log"); }
std::unique_ptr<Source> makeNcclLogSource() { return std::make_unique<TrainLogSource>("nccl_log"); }

}  // namespace runglass
