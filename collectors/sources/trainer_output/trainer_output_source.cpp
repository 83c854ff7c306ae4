// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. One file of a node gives the values of an attempt's run: the first with a value of those that rank 0 or the last rank writes alone.
//    What other ranks print into files of their own is theirs.
// 2. Only files with lines of rank 0 or of the last rank, and those that nodes share, report the state of a run, and only if it has no
// ring.
// 3. The outputs of an attempt are tailed until all its processes on this node have ended.
#include "collectors/sources/trainer_output/trainer_output_source.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "collectors/sources/train_log/log_consumer.h"
#include "collectors/sources/trainer_output/trainer_files.h"

namespace runglass {
namespace {

constexpr DurNs kLookEvery = 2 * kNsPerSecond;
constexpr DurNs kFirstLook = kNsPerSecond;      // after the files that the configuration names are open
constexpr DurNs kLastLines = 4 * kNsPerSecond;  // after the end of the processes
constexpr DurNs kMaxGone = 60 * kNsPerSecond;   // while other processes of the attempt live
constexpr std::uint64_t kLastBytes = 16 << 20;  // of a file that is older than its trainers

class TrainerOutputSource : public FollowSource {
 public:
  std::string_view name() const override { return "trainer_output"; }

  Status start(Recorder& out, const SourceContext& context) override {
    const std::string users = (*context.config)["users"].value_or(std::string("own"));
    if (users != "own" && users != "all")
      return {Code::kInvalidArgument, "source.trainer_output: users = \"" + users + "\": must be own or all"};
    m_context = &context;
    m_files.emplace(context.root, context.ranks, users == "all");
    m_look_at = context.now() + kFirstLook;
    return startWithoutPaths(out, context);
  }

  TimeNs poll(Recorder& out, TimeNs now) override {
    if (now >= m_look_at) {
      m_look_at = now + kLookEvery;
      look(out, now);
    }
    return FollowSource::poll(out, now);
  }

 protected:
  std::unique_ptr<FileConsumer> consumer(const FollowTarget& target) override {
    Output& output = m_outputs[target.path];
    output.shared = target.shared;
    FollowTarget own = target;
    const OutputWriter& who = output.file.writers.front();
    own.run_name = who.run, own.attempt_key = who.attempt;
    LogWriter writer = writerOf(target.path, output);
    writer.begin = target.resume_at;
    return std::make_unique<LogConsumer>(own, m_context->node.name, m_context->ranks, writer);
  }
  TailedFiles::Takes takes() const override {
    return [](std::string_view) { return false; };
  }
  std::string takenNames() const override { return {}; }
  bool skipsKnown() const override { return true; }
  std::optional<std::uint64_t> lastBytes(const std::string& path) const override {
    const auto output = m_outputs.find(path);
    return output != m_outputs.end() && output->second.file.appended ? std::optional(kLastBytes) : std::nullopt;
  }

 private:
  using AttemptName = std::pair<std::string, std::string>;
  struct Output {
    OutputFile file;
    bool shared = false;         // with other nodes
    bool renamed = false;        // since the last look
    std::optional<TimeNs> gone;  // since then no process has it open
    AttemptName attempt() const { return {file.writers.front().run, file.writers.front().attempt}; }
  };

  // The rank that alone writes the file; of a file on a network filesystem as well one of each node might.
  static std::optional<std::int32_t> onlyRank(const Output& output) {
    const OutputWriter& first = output.file.writers.front();
    const bool one_of_many = output.shared && first.world > 1 && first.local_world == 1;
    return one_of_many || first.rank != output.file.writers.back().rank ? std::nullopt : std::optional(first.rank);
  }

  static bool speaksForRun(const Output& output) {
    const std::vector<OutputWriter>& writers = output.file.writers;
    return (output.shared && !onlyRank(output)) || writers.front().rank == 0 || writers.back().rank + 1 == writers.back().world;
  }

  LogWriter writerOf(const std::string& path, const Output& output) {
    const std::vector<OutputWriter>& writers = output.file.writers;
    const auto rank = onlyRank(output);
    const bool speaks = speaksForRun(output);
    return {.rank = rank,
            .guest = output.file.ring || writers.front().ring || !speaks,
            .owns_values = [this, path, speaks, attempt = output.attempt()] {
              return speaks && m_values.try_emplace(attempt, path).first->second == path;
            }};
  }

  void look(Recorder& out, TimeNs now) {
    std::map<std::string, OutputFile> files = m_files->look();
    if (const auto left_out = static_cast<std::int64_t>(m_files->leftOut()); left_out > m_left_out) {
      out.issue({.code = "trainer_output.too_many_files",
                 .source = m_context->node.name,
                 .count = left_out - m_left_out,
                 .first = now,
                 .last = now,
                 .detail = "more than " + std::to_string(TrainerFiles::kMaxFiles) + " output files"});
      m_left_out = left_out;
    }
    std::erase_if(files, [&](const auto& entry) { return isOthers(entry.first, entry.second.id); });
    moveRenamed(files, out);
    for (auto& [path, file] : files) {
      if (!m_outputs.contains(path) && !makeRoom(out)) continue;
      const auto [known, fresh] = m_outputs.try_emplace(path);
      Output& output = known->second;
      output.gone.reset();
      // The ring of an attempt reports its end, and is gone then.
      if (!fresh && output.attempt() == AttemptName(file.writers.front().run, file.writers.front().attempt)) file.ring |= output.file.ring;
      if (!fresh && !std::exchange(output.renamed, false) && output.file == file) continue;
      const bool other_attempt = fresh || output.attempt() != AttemptName(file.writers.front().run, file.writers.front().attempt);
      output.file = std::move(file);
      addOnly(path, output.file.id, output.file.owner);
      if (!speaksForRun(output)) releaseValues(path);
      if (FileConsumer* const log = consumerOf(path))
        static_cast<LogConsumer*>(log)->continueAs(output.attempt().first, output.attempt().second, writerOf(path, output), out);
      if (other_attempt) announce(path, output, out, now);
    }
    closeGone(files, out, now);
  }

  void closeGone(const std::map<std::string, OutputFile>& files, Recorder& out, TimeNs now) {
    for (auto at = m_outputs.begin(); at != m_outputs.end();) {
      Output& output = at->second;
      if (isOthers(at->first, output.file.id)) {
        output.gone = now - kLastLines;
        const bool last = isOver(output, now);
        at = close(at, out, last);
        continue;
      }
      if (!files.contains(at->first) && !output.gone) output.gone = now;
      if (output.gone && now - *output.gone >= kLastLines) releaseValues(at->first);
      const bool over = isOver(output, now);
      at = over || (output.gone && now - *output.gone >= kMaxGone && !isNeeded(output)) ? close(at, out, over) : std::next(at);
    }
  }

  // A file that was renamed is still the one whose lines are recorded.
  void moveRenamed(const std::map<std::string, OutputFile>& files, Recorder& out) {
    std::map<FileId, std::string> known;
    for (const auto& [path, output] : m_outputs) known[output.file.id] = path;
    std::map<std::string, std::string> renames;
    for (const auto& [path, file] : files)
      if (const auto before = known.find(file.id); before != known.end() && before->second != path) renames[before->second] = path;
    for (const auto& [from, to] : renames)
      if (const auto replaced = m_outputs.find(to); replaced != m_outputs.end() && !renames.contains(to)) close(replaced, out, false);
    rename(renames);
    std::vector<std::map<std::string, Output>::node_type> moved;
    std::map<AttemptName, std::string> values;
    for (const auto& [attempt, path] : m_values) values[attempt] = renames.contains(path) ? renames[path] : path;
    m_values = std::move(values);
    for (const auto& [from, to] : renames) {
      moved.push_back(m_outputs.extract(from));
      moved.back().key() = to;
      moved.back().mapped().renamed = true;
    }
    for (auto& node : moved) m_outputs.insert(std::move(node));
  }

  // False: kMaxFiles outputs are open in processes. Otherwise the output that has been gone longest is closed if need be.
  bool makeRoom(Recorder& out) {
    if (m_outputs.size() < TrainerFiles::kMaxFiles) return true;
    auto oldest = m_outputs.end();
    for (auto at = m_outputs.begin(); at != m_outputs.end(); ++at)
      if (at->second.gone && (oldest == m_outputs.end() || *at->second.gone < *oldest->second.gone)) oldest = at;
    if (oldest == m_outputs.end()) return false;
    close(oldest, out, false);
    return true;
  }

  bool isOthers(const std::string& path, FileId id) const {
    return m_context->tailed != nullptr && (m_context->tailed->names(path) || m_context->tailed->contains(id.device, id.inode));
  }

  bool isOver(const Output& output, TimeNs now) const {
    return std::ranges::none_of(m_outputs, [&](const auto& entry) {
      const Output& other = entry.second;
      return other.attempt() == output.attempt() && (!other.gone || now - *other.gone < kLastLines);
    });
  }

  // The only output that can report the end of its attempt.
  bool isNeeded(const Output& output) const {
    return speaksForRun(output) && std::ranges::none_of(m_outputs, [&](const auto& entry) {
             const Output& other = entry.second;
             return &other != &output && other.attempt() == output.attempt() && speaksForRun(other) && !other.gone;
           });
  }

  void releaseValues(const std::string& path) {
    std::erase_if(m_values, [&](const auto& entry) { return entry.second == path; });
  }

  // `over`: its attempt has ended, or belongs to another source.
  std::map<std::string, Output>::iterator close(std::map<std::string, Output>::iterator at, Recorder& out, bool over) {
    if (FileConsumer* const log = consumerOf(at->first); log != nullptr && over) static_cast<LogConsumer*>(log)->outputEnded(out);
    drop(at->first, out);
    releaseValues(at->first);
    return m_outputs.erase(at);
  }

  void announce(const std::string& path, const Output& output, Recorder& out, TimeNs now) const {
    const auto rank = onlyRank(output);
    out.event({.time = now,
               .node = out.node(m_context->node),
               .kind = "output_tailed",
               .message = "tailing " + path + ": " + (rank ? "rank " + std::to_string(*rank) : std::string("several ranks")) + " of run '" +
                          output.attempt().first + "'"});
  }

  const SourceContext* m_context = nullptr;
  std::optional<TrainerFiles> m_files;
  std::map<std::string, Output> m_outputs;      // by path
  std::map<AttemptName, std::string> m_values;  // path of the file whose values stand for the run
  TimeNs m_look_at = 0;
  std::int64_t m_left_out = 0;  // reported
};

}  // namespace

std::unique_ptr<Source> makeTrainerOutputSource() { return std::make_unique<TrainerOutputSource>(); }

}  // namespace runglass
