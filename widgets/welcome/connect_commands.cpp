// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/welcome/connect_commands.h"

#include <QObject>

#include "widgets/core/shell_word.h"

namespace runglass {
namespace {

const QString kLoopback = QStringLiteral("127.0.0.1");

QString trustFolder(const ConnectQuestion& question) { return question.folder + QStringLiteral("/trust"); }

QString hostPort(const QString& host, int port) {
  const bool v6 = host.contains(QLatin1Char(':'));
  return (v6 ? QLatin1Char('[') + host + QLatin1Char(']') : host) + QStringLiteral(":%1").arg(port);
}

CommandBlock trainerBlock() {
  return {QObject::tr("In the training script"),
          QStringLiteral("import runglass as rg\n"
                         "rg.init()                   # run, attempt and rank come from the launcher\n"
                         "with rg.step(n):            # around each step\n"
                         "    ...\n"
                         "rg.scalar(\"loss\", loss, step=n)"),
          QObject::tr("Without it the agent still sees GPUs, hosts, kernel messages and logs. Everything else: docs/guide/client.md")};
}

CommandBlock agentBlock(const ConnectQuestion& question, const QString& title, const QString& note) {
  return {title, QStringLiteral("runglass-agent --hub %1").arg(shellWord(hostPort(kLoopback, question.port))), note};
}

QString agentNote() {
  return QObject::tr(
      "One on each node, beside the trainers; as a service: packages and /etc/runglass/agent.toml (docs/operate/install.md).");
}

CommandBlock hubBlock(const ConnectQuestion& question) {
  const ListenOptions hub = listenOptions(question);
  QString text = QStringLiteral("runglass %1 --listen %2").arg(shellWord(hub.store), shellWord(hub.listen));
  if (!hub.trust.isEmpty()) text += QStringLiteral(" --trust %1").arg(shellWord(hub.trust));
  return {QObject::tr("On this machine: the hub that receives and stores"), text,
          QObject::tr("Without a window: runglassctl serve --store … with the same options.")};
}

// `agents` are shell words that name the nodes.
CommandBlock pairBlock(const ConnectQuestion& question, const QString& agents, const QString& note) {
  return {QObject::tr("Once, on this machine: certificates for the hub and each node"),
          QStringLiteral("runglassctl pair --out %1 \\\n    --hub %2 --port %3 %4")
              .arg(shellWord(trustFolder(question)), shellWord(question.host))
              .arg(question.port)
              .arg(agents),
          note};
}

std::vector<CommandBlock> nodeCommands(const ConnectQuestion& question) {
  return {
      pairBlock(
          question, QStringLiteral("--agent NODE-A --agent NODE-B"),
          QObject::tr(
              "The nodes by their host names. Then copy agents/NODE/* of that folder to /etc/runglass of each (docs/operate/trust.md).")),
      hubBlock(question),
      {QObject::tr("On each node"), QStringLiteral("runglass-agent --config /etc/runglass/agent.toml"), agentNote()},
      trainerBlock()};
}

std::vector<CommandBlock> slurmCommands(const ConnectQuestion& question) {
  return {pairBlock(question, QStringLiteral("$(sinfo --noheader --Node --format '--agent=%N' | sort -u)"),
                    QObject::tr("The jobs read this folder: put it where the nodes see it.")),
          hubBlock(question),
          {QObject::tr("In the job script, around the trainer"),
           QStringLiteral("srun --overlap --job-name=runglass --ntasks=$SLURM_NNODES --ntasks-per-node=1 \\\n"
                          "    agent_step.sh %1 &\n"
                          "srun python train.py\n"
                          "scancel --signal=TERM \"$(squeue --steps --noheader --job $SLURM_JOB_ID --format '%i %j' |\n"
                          "    awk '$2 == \"runglass\" { print $1 }')\"\n"
                          "wait")
               .arg(shellWord(trustFolder(question))),
           QObject::tr("agent_step.sh is in packaging/slurm and /usr/share/runglass/slurm. No machine for a hub: job_with_hub.sh there "
                       "(docs/operate/deploy.md).")},
          trainerBlock()};
}

std::vector<CommandBlock> kubernetesCommands() {
  return {
      {QObject::tr("Once: certificates for the hub in the cluster and each GPU node"),
       QStringLiteral("runglassctl pair --out trust --hub runglass-hub.runglass.svc --reader $USER \\\n"
                      "    $(kubectl get nodes -l nvidia.com/gpu.present=true -o name | sed 's|node/|--agent=|')"),
       {}},
      {QObject::tr("The hub, its Secret and the agents' one"),
       QStringLiteral("kubectl apply -f hub.yaml\n"
                      "kubectl -n runglass create secret generic runglass-hub --from-file=trust/hub.pem \\\n"
                      "    --from-file=trust/hub.key --from-file=trust/ca.pem --from-file=trust/access\n"
                      "kubectl -n runglass create secret generic runglass-agents $(for node in trust/agents/*; do\n"
                      "    for file in \"$node\"/*; do echo \"--from-file=${node##*/}.${file##*/}=$file\"; done; done)\n"
                      "kubectl apply -f agents.yaml"),
       QObject::tr("Image, disks and addresses are yours to fill in: packaging/kubernetes, /usr/share/runglass/kubernetes, "
                   "docs/operate/deploy.md.")},
      {QObject::tr("To look at it from here: the hub's port, while this runs"),
       QStringLiteral("kubectl -n runglass port-forward service/runglass-hub 7070"),
       {}},
      {QObject::tr("In a second terminal: the run in a window, and in fifteen lines"),
       QStringLiteral("runglass --connect localhost:7070 --tls-ca trust/readers/$USER/ca.pem \\\n"
                      "    --token-file trust/readers/$USER/token\n"
                      "runglassctl status --from localhost:7070 --tls-ca trust/readers/$USER/ca.pem \\\n"
                      "    --token-file trust/readers/$USER/token"),
       QObject::tr("It keeps a replica here and reconnects after cuts: docs/operate/replicas.md. Or in this window: Connect to a hub.")},
      trainerBlock()};
}

std::vector<CommandBlock> behindCommands() {
  return {
      {QObject::tr("On the login node: a hub with a socket that is yours alone"),
       QStringLiteral("runglassctl serve --store /local/USER/run.rgl --listen unix:/local/USER/hub.sock"),
       QObject::tr("On a disk of that machine, as USER. For agents of its nodes, beside it: --listen 0.0.0.0:7070 --trust … "
                   "(docs/operate/trust.md).")},
      {QObject::tr("On this machine: that socket, here"),
       QStringLiteral("ssh -J BASTION -N -o StreamLocalBindUnlink=yes -o ExitOnForwardFailure=yes \\\n"
                      "    -L $HOME/hub.sock:/local/USER/hub.sock USER@LOGIN"),
       QObject::tr("Without a bastion: without -J.")},
      {QObject::tr("In a second terminal: the run in a window, its status, and captures of a hung run"),
       QStringLiteral("runglass --connect unix:$HOME/hub.sock\n"
                      "runglassctl status --from unix:$HOME/hub.sock\n"
                      "runglassctl capture --hub unix:$HOME/hub.sock --run NAME"),
       QObject::tr("It keeps a replica here and reconnects after cuts: docs/operate/replicas.md. Or in this window: Connect to a hub.")}};
}

}  // namespace

bool hubIsHere(TrainersWhere where) { return where != TrainersWhere::kKubernetes && where != TrainersWhere::kBehind; }

bool needsHost(TrainersWhere where) { return where == TrainersWhere::kNodes || where == TrainersWhere::kSlurm; }

ListenOptions listenOptions(const ConnectQuestion& question) {
  if (!needsHost(question.where)) return {question.store, hostPort(kLoopback, question.port), {}};
  const QString everywhere = question.host.contains(QLatin1Char(':')) ? QStringLiteral("::") : QStringLiteral("0.0.0.0");
  return {question.store, hostPort(everywhere, question.port), trustFolder(question)};
}

std::vector<CommandBlock> connectCommands(const ConnectQuestion& question) {
  switch (question.where) {
    case TrainersWhere::kNodes:
      return nodeCommands(question);
    case TrainersWhere::kSlurm:
      return slurmCommands(question);
    case TrainersWhere::kKubernetes:
      return kubernetesCommands();
    case TrainersWhere::kBehind:
      return behindCommands();
    case TrainersWhere::kTunnel:
      return {hubBlock(question),
              {QObject::tr("In a second terminal, for each node"),
               QStringLiteral("ssh -N -o ExitOnForwardFailure=yes -R %1:%2:%1 NODE").arg(question.port).arg(kLoopback),
               QObject::tr("Through a bastion: ssh -J BASTION -N -R … NODE. Every user of the node can reach that port.")},
              agentBlock(question, QObject::tr("On each node"), agentNote()),
              trainerBlock()};
    case TrainersWhere::kHere:
      break;
  }
  return {hubBlock(question), agentBlock(question, QObject::tr("In a second terminal: the agent"), agentNote()), trainerBlock()};
}

}  // namespace runglass
