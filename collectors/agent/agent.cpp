// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Records flow one way: Recorder -> Sealer -> outbox -> link. Only the agent's turns at its Sealer (and the final seal, after it has
//    left the Sealer) add to the outbox, so that a stream's batches are sealed in order.
// 2. `alive` in the state directory exists exactly while a session is open; if it exists at start, the previous process ended without a
//    goodbye.
// 3. Stop order: sources, sealing (last seal), link, spool, `alive`.
#include "collectors/agent/agent.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "model/mutex.h"

namespace runglass {
namespace {

constexpr std::size_t kBatchBytes = 512U << 10;
constexpr DurNs kSealAlone = 400 * kNsPerMs;  // without a hub: fewer, larger batches
constexpr DurNs kAliveEvery = 500 * kNsPerMs;
constexpr int kMaxStateDirs = 64;  // of one user's agents without a configured state directory

std::string randomName() {
  std::random_device random;
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%08x%08x%08x%08x", random(), random(), random(), random());
  return text.data();
}

std::string lineOf(const std::string& path, int number) {
  std::ifstream file(path);
  std::string line;
  for (int i = 0; i < number; ++i) line.clear(), std::getline(file, line);
  return line;
}
std::string firstLine(const std::string& path) { return lineOf(path, 1); }

Status writeSmallFile(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".new";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool good = fd >= 0 && write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  const int error = errno;
  if (fd >= 0) close(fd);
  if (!good || rename(temporary.c_str(), path.c_str()) != 0)
    return Status(Code::kUnavailable, "write: " + path + ": " + std::strerror(good ? errno : error));
  return {};
}

}  // namespace

struct Agent::Parts {
  AgentOptions options;
  Node node;
  std::string session, alive_path;
  std::string copied;  // why the state directory belongs to another node; empty: it does not
  int lock_fd = -1, alive_fd = -1;
  SessionDictionary dictionary;
  RankTable ranks;
  RecentFaults faults;
  LeaseClaims leases;
  TailedFiles tailed;
  OrderQueue orders;
  std::unique_ptr<Outbox> outbox;
  std::unique_ptr<HubLink> link;
  std::function<TimeNs()> now;

  Mutex mutex;
  std::vector<std::unique_ptr<WireRecorder>> recorders RG_GUARDED_BY(mutex);
  bool stop_sources RG_GUARDED_BY(mutex) = false;
  ConditionVariable source_wake;
  Sealer::Seat seat{[this] { return turn(); }};
  DurNs next_alive = 0;
  bool running = false;
  std::vector<std::thread> source_threads;

  ~Parts() {
    for (const int fd : {lock_fd, alive_fd})
      if (fd >= 0) close(fd);
  }

  WireRecorder& addRecorder() {
    const MutexLock lock(mutex);
    recorders.push_back(std::make_unique<WireRecorder>(dictionary, now, [this] { options.sealer->wake(seat); }));
    return *recorders.back();
  }

  std::size_t unsealedBytes() {
    const MutexLock lock(mutex);
    std::size_t bytes = 0;
    for (const auto& recorder : recorders) bytes += recorder->pendingBytes();
    return bytes;
  }

  Status takeStateDir();
  Status lockStateDir();
  Status takeUuid();
  Status writeUuid() const;
  std::string renewUuid(const std::string& why);
  Status openSession();
  void tellUncleanEnd(WireRecorder& out, const std::vector<Issue>& issues);
  void writeAlive();
  void seal();
  DurNs turn();
  SourceContext contextOf(const SourceEntry& entry);
  void runSource(Source& source, const SourceContext& context, WireRecorder& out);
};

Agent::Agent() : m_parts(std::make_unique<Parts>()) {}
Agent::~Agent() {
  if (m_parts->outbox) (void)stop(0);
}

// Creates and locks options.state_dir. FAILED_PRECONDITION: another agent holds the lock.
Status Agent::Parts::lockStateDir() {
  std::error_code error;
  std::filesystem::create_directories(options.state_dir, error);
  if (error) return Status(Code::kInvalidArgument, "state directory: " + options.state_dir + ": " + error.message());
  std::filesystem::permissions(options.state_dir, std::filesystem::perms::owner_all, error);
  const std::string lock_path = options.state_dir + "/lock";
  const int fd = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return Status(Code::kInvalidArgument, "state directory: " + lock_path + ": " + std::strerror(errno));
  if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    close(fd);
    const std::string holder = firstLine(lock_path);
    return Status(Code::kFailedPrecondition, "state directory: " + options.state_dir + ": in use by another agent" +
                                                 (holder.empty() ? "" : ", process " + holder) + "; choose one with --state-dir");
  }
  lock_fd = fd;
  const std::string pid = std::to_string(getpid()) + "\n";
  // The pid is only for the message above; the lock is what excludes other agents.
  if (ftruncate(lock_fd, 0) == 0) (void)!pwrite(lock_fd, pid.data(), pid.size(), 0);
  return {};
}

// Agents of one user run side by side without an option: each takes the first directory that is not locked.
Status Agent::Parts::takeStateDir() {
  if (options.state_dir.empty()) {
    const std::string first = defaultStateDir();
    Status locked;
    for (int number = 1; number <= kMaxStateDirs; ++number) {
      options.state_dir = number == 1 ? first : first + "-" + std::to_string(number);
      locked = lockStateDir();
      if (locked.code() != Code::kFailedPrecondition) break;
    }
    RG_TRY(locked);
    if (options.state_dir != first) options.say("state directory: " + options.state_dir + ", because another agent uses " + first);
  } else {
    RG_TRY(lockStateDir());
  }
  return takeUuid();
}

// The file holds the uuids of the agent and of the node, so that a directory copied with a machine image is detected.
Status Agent::Parts::takeUuid() {
  const std::string path = options.state_dir + "/agent_uuid";
  node = options.node;
  if (node.uuid.empty()) node.uuid = firstLine("/etc/machine-id");
  std::string& uuid = options.link.agent_uuid;
  const bool is_given = !uuid.empty();
  if (!is_given) uuid = firstLine(path);
  const std::string owner = lineOf(path, 2);
  if (!is_given && !owner.empty() && !node.uuid.empty() && owner != node.uuid) {
    copied = "the state directory is that of node " + owner;
    uuid.clear();
  }
  const bool is_new = uuid.empty();
  if (is_new) uuid = randomName();
  if (node.uuid.empty()) node.uuid = uuid;
  return is_given || (!is_new && !owner.empty()) ? Status() : writeUuid();
}

Status Agent::Parts::writeUuid() const {
  return writeSmallFile(options.state_dir + "/agent_uuid", options.link.agent_uuid + "\n" + node.uuid + "\n");
}

// Called on the link's thread.
std::string Agent::Parts::renewUuid(const std::string& why) {
  options.link.agent_uuid = randomName();
  const Status written = writeUuid();
  const std::string kept = written.ok() ? "" : "; it cannot be kept: " + written.message();
  options.say("the hub has another agent with this uuid; continuing as " + options.link.agent_uuid + kept);
  addRecorder().issue({.code = "agent.new_identity", .source = node.name, .first = now(), .last = now(), .detail = why + kept});
  return options.link.agent_uuid;
}

Status Agent::Parts::openSession() {
  if (node.name.empty()) {
    std::array<char, 256> host{};
    node.name = gethostname(host.data(), host.size() - 1) == 0 ? host.data() : node.uuid;
  }
  options.link.node_uuid = node.uuid;
  options.link.node_name = node.name;
  now = options.now;
  if (!now) now = [anchor = wallNow() - monotonicNow()] { return anchor + monotonicNow(); };
  session = randomName();
  std::vector<Issue> issues;
  RG_ASSIGN(outbox, Outbox::open(options.state_dir + "/spool", options.outbox, session, dictionary, issues));
  WireRecorder& out = addRecorder();
  (void)out.node(node);
  tellUncleanEnd(out, issues);
  return {};
}

void Agent::Parts::tellUncleanEnd(WireRecorder& out, const std::vector<Issue>& issues) {
  for (Issue issue : issues) {
    issue.source = node.name;
    issue.first = issue.last = now();
    out.issue(issue);
  }
  if (!copied.empty()) {
    options.say(copied + "; continuing as agent " + options.link.agent_uuid);
    out.issue({.code = "agent.new_identity", .source = node.name, .first = now(), .last = now(), .detail = copied});
  }
  alive_path = options.state_dir + "/alive";
  const std::string before = firstLine(alive_path);
  if (before.empty()) return;
  const std::size_t space = before.find(' ');
  TimeNs last = 0;
  if (space != std::string::npos) std::from_chars(before.data() + space + 1, before.data() + before.size(), last);
  out.issue({.code = "agent.unclean_end",
             .source = node.name,
             .first = last > 0 ? std::optional<TimeNs>(last) : std::nullopt,
             .last = now(),
             .detail = "session " + before.substr(0, space) + " ended without a goodbye; up to a second of its data was not on disk yet"});
}

// "<session> <last time alive>", rewritten in place: a new file twice a second would cost the disk more than everything else here. The
// length of the line is constant; after a kill the file has the old line or the new one.
void Agent::Parts::writeAlive() {
  if (alive_fd < 0) alive_fd = open(alive_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const std::string line = session + " " + std::to_string(now()) + "\n";
  if (alive_fd >= 0) (void)!pwrite(alive_fd, line.data(), line.size(), 0);
}

// Joins the Recorders' pieces per class into batches.
void Agent::Parts::seal() {
  std::vector<WireRecorder*> all;
  {
    const MutexLock lock(mutex);
    for (const auto& recorder : recorders) all.push_back(recorder.get());
  }
  const TimeNs sealed = now();
  const DurNs mono = monotonicNow();
  for (std::size_t i = 0; i < kStreamClassCount; ++i) {
    const auto stream = static_cast<StreamClass>(i);
    std::string batch;
    for (WireRecorder* recorder : all) {
      for (std::string piece = recorder->take(stream); !piece.empty(); piece = recorder->take(stream)) {
        if (!batch.empty() && batch.size() + piece.size() > kBatchBytes) outbox->add(stream, std::exchange(batch, {}), sealed, mono);
        if (batch.empty())
          batch = std::move(piece);
        else
          batch += piece;
      }
    }
    if (!batch.empty()) outbox->add(stream, std::move(batch), sealed, mono);
  }
  for (WireRecorder* recorder : all)
    if (const std::int64_t dropped = recorder->takeDropped(); dropped > 0)
      recorder->issue({.code = "agent.recorder_full",
                       .source = node.name,
                       .count = dropped,
                       .first = sealed,
                       .last = sealed,
                       .detail = "records came faster than they could be sealed"});
}

DurNs Agent::Parts::turn() {
  seal();
  outbox->persist(monotonicNow());
  if (monotonicNow() >= next_alive) {
    next_alive = monotonicNow() + kAliveEvery;
    writeAlive();
  }
  return link->connected() ? options.seal_every : std::max(options.seal_every, kSealAlone);
}

SourceContext Agent::Parts::contextOf(const SourceEntry& entry) {
  static const toml::table kEmpty;
  const toml::table* config = options.config ? (*options.config)["source"][entry.name].as_table() : nullptr;
  return {.node = node,
          .now = now,
          .config = config != nullptr ? config : &kEmpty,
          .state_dir = options.state_dir,
          .ranks = &ranks,
          .orders = &orders,
          .faults = &faults,
          .leases = &leases,
          .tailed = &tailed};
}

void Agent::Parts::runSource(Source& source, const SourceContext& context, WireRecorder& out) {
  if (const Status status = source.start(out, context); !status.ok()) {
    const bool absent = status.code() == Code::kUnavailable;
    out.issue({.code = absent ? "agent.source_absent" : "agent.source_failed",
               .source = node.name + "/" + std::string(source.name()),
               .first = now(),
               .last = now(),
               .detail = status.message()});
    return;
  }
  while (true) {
    const TimeNs next = source.poll(out, now());
    MutexLock lock(mutex);
    const DurNs wait = std::clamp<DurNs>(next - now(), 0, 3600 * kNsPerSecond);
    if (source_wake.waitFor(lock, wait, [this]() RG_REQUIRES(mutex) { return stop_sources; })) break;
  }
  source.stop(out);
}

Result<std::unique_ptr<Agent>> Agent::start(AgentOptions options) {
  std::unique_ptr<Agent> agent(new Agent());
  Parts& parts = *agent->m_parts;
  parts.options = std::move(options);
  if (!parts.options.sealer) parts.options.sealer = std::make_shared<Sealer>();
  if (parts.options.orders) parts.orders.allow(*parts.options.orders);
  RG_TRY(parts.takeStateDir());
  RG_TRY(parts.openSession());
  parts.options.link.renew_uuid = [&parts](const std::string& why) { return parts.renewUuid(why); };
  parts.link = std::make_unique<HubLink>(parts.options.link, *parts.outbox, parts.leases, parts.orders, parts.now, parts.options.say);
  RG_TRY(parts.link->start());
  parts.options.sealer->join(parts.seat);
  parts.running = true;
  std::vector<std::pair<std::unique_ptr<Source>, SourceContext>> sources;
  for (const SourceEntry& entry : parts.options.sources) {
    const auto& [source, context] = sources.emplace_back(entry.make(), parts.contextOf(entry));
    source->claim(context);
  }
  for (auto& [source, context] : sources) {
    WireRecorder& out = parts.addRecorder();
    parts.source_threads.emplace_back([&parts, &out, own = std::move(source), context = context] { parts.runSource(*own, context, out); });
  }
  return agent;
}

Recorder& Agent::recorder() { return m_parts->addRecorder(); }
bool Agent::waitForRoom(std::size_t bytes, DurNs timeout) {
  const TimeNs give_up = monotonicNow() + timeout;
  while (m_parts->unsealedBytes() > WireRecorder::kMaxPending / 4) {
    if (monotonicNow() > give_up) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return m_parts->outbox->waitForRoom(bytes, std::max<DurNs>(0, give_up - monotonicNow()));
}
bool Agent::connected() const { return m_parts->link->connected(); }
Outbox& Agent::outbox() { return *m_parts->outbox; }
OrderQueue& Agent::orders() { return m_parts->orders; }
TimeNs Agent::now() const { return m_parts->now(); }
const Node& Agent::node() const { return m_parts->node; }
std::string Agent::session() const { return m_parts->session; }

bool Agent::stop(DurNs patience) {
  Parts& parts = *m_parts;
  if (!std::exchange(parts.running, false)) return true;
  {
    const MutexLock lock(parts.mutex);
    parts.stop_sources = true;
    parts.source_wake.notifyAll();
  }
  for (std::thread& thread : parts.source_threads) thread.join();
  parts.options.sealer->leave(parts.seat);
  parts.turn();
  const bool all_taken = parts.link->stop(patience);
  parts.outbox->persistAll();
  unlink(parts.alive_path.c_str());
  return all_taken;
}

}  // namespace runglass
