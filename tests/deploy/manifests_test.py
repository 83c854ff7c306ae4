#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The manifests of packaging/kubernetes hold together and fit the programs: manifests_test.py BIN. There is no cluster here: what a field does there is not tried.
Where kubectl 1.29 or newer is installed, pod templates are decoded by its types, and every field of ours must come back."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

try:
    import yaml
except ImportError:
    print('SKIPPED: python3-yaml is not installed')
    sys.exit(0)

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDER = os.path.join(SOURCE, 'packaging', 'kubernetes')
BIN = sys.argv[1]
KINDS = {'Namespace': 'v1', 'Service': 'v1', 'StatefulSet': 'apps/v1', 'DaemonSet': 'apps/v1', 'Job': 'batch/v1', 'NetworkPolicy': 'networking.k8s.io/v1'}
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def same(actual, wanted, what):
    expect(actual == wanted, '%s: %r, wanted %r' % (what, actual, wanted))


def text_of(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def documents(name):
    return list(yaml.safe_load_all(text_of(FOLDER, name)))


def one(name, kind):
    found = [each for each in documents(name) if each['kind'] == kind]
    same(len(found), 1, '%s: %s' % (name, kind))
    return found[0]


def pod(document):
    return document['spec']['template']['spec']


def containers(spec):
    return spec.get('initContainers', []) + spec['containers']


def container(spec, name):
    return next(each for each in containers(spec) if each['name'] == name)


def mounts(of):
    return {each['mountPath']: each for each in of.get('volumeMounts', [])}


def volumes(document):
    named = {each['name']: each for each in pod(document).get('volumes', [])}
    named.update({each['metadata']['name']: each['spec'] for each in document['spec'].get('volumeClaimTemplates', [])})
    return named


def check_whole(name, document):
    where = '%s: %s %s' % (name, document['kind'], document['metadata']['name'])
    same(document['apiVersion'], KINDS.get(document['kind']), where)
    if 'template' not in document.get('spec', {}):
        return
    spec = pod(document)
    if 'selector' in document['spec']:
        same(document['spec']['selector']['matchLabels'], document['spec']['template']['metadata']['labels'], where + ': selector and labels')
    known, used = volumes(document), set()
    for each in containers(spec):
        paths = [mount['mountPath'] for mount in each.get('volumeMounts', [])]
        same(len(paths), len(set(paths)), where + ': two mounts at one path')
        for mount in each.get('volumeMounts', []):
            expect(mount['name'] in known, '%s: %s mounts %s, which is no volume' % (where, each['name'], mount['name']))
            used.add(mount['name'])
            for variable in re.findall(r'\$\((\w+)\)', mount.get('subPathExpr', '')):
                expect(variable in [e['name'] for e in each['env']], '%s: %s is not in the environment' % (where, variable))
    same(used, set(known), where + ': volumes')


def option_values(of):
    """{option: [values]} of a container's command line; every option must be one of the program's."""
    words = of['command'] + of['args']
    command = [word for word in words[1:2] if not word.startswith('-')]
    helped = subprocess.run([os.path.join(BIN, words[0]), *command, '--help'], capture_output=True, text=True, check=True).stdout
    values, option = {}, None
    for word in words[1 + len(command):]:
        if word.startswith('--'):
            option = word
            expect(re.search(r'^\s+(-\w,)?' + option + r'\b', helped, re.M), '%s has no option %s' % (words[0], option))
        else:
            values.setdefault(option, []).append(word)
    return values


def below(path, folders):
    return any(path == folder or path.startswith(folder.rstrip('/') + '/') for folder in folders)


def writable(of):
    return [path for path, mount in mounts(of).items() if not mount.get('readOnly')]


def secret_mode(document, name):
    return volumes(document)[name]['secret']['defaultMode']


def check_hub(trust):
    hub = one('hub.yaml', 'StatefulSet')
    program = container(pod(hub), 'hub')
    options = option_values(program)
    same(hub['spec']['replicas'], 1, 'a store has one writer')
    for path in options['--store'] + [where[5:] for where in options['--listen'] if where.startswith('unix:')]:
        expect(below(path, writable(program)), 'hub.yaml: %s lies on nothing that can be written to' % path)
    same(options['--trust'], ['/trust'], 'hub.yaml: --trust')
    expect('/trust' in mounts(program), 'hub.yaml: the folder of --trust is not mounted')
    same(secret_mode(hub, 'trust') & 0o077, 0, 'hub.yaml: the hub refuses keys that others may read')
    expect('fsGroup' not in pod(hub).get('securityContext', {}), 'hub.yaml: fsGroup lets the group read a Secret, and the hub refuses such keys')
    same(program['securityContext'].get('runAsUser'), 0, 'hub.yaml: a Secret\'s files of mode 0400 are for root alone')
    same(program['securityContext']['capabilities'], {'drop': ['ALL']}, 'hub.yaml: capabilities')
    for file in ('hub.pem', 'hub.key', 'ca.pem', 'access'):
        expect(os.path.exists(os.path.join(trust, file)), 'pair makes no ' + file)
        expect(re.search(r'--from-file=trust/' + file + r'\b', text_of(SOURCE, 'docs', 'operate', 'deploy.md')), 'docs/operate/deploy.md puts no %s into the Secret' % file)
    expect('trust/ca.key' not in text_of(SOURCE, 'docs', 'operate', 'deploy.md'), 'docs/operate/deploy.md puts the authority\'s key into a Secret')
    port = int(next(where for where in options['--listen'] if not where.startswith('unix:')).rsplit(':', 1)[1])
    service, policy = one('hub.yaml', 'Service'), one('hub.yaml', 'NetworkPolicy')
    named = {each['name']: each['containerPort'] for each in program['ports']}
    same(named[service['spec']['ports'][0]['targetPort']], port, 'hub.yaml: the service\'s port')
    same(named[policy['spec']['ingress'][0]['ports'][0]['port']], port, 'hub.yaml: the policy\'s port')
    for selector in (service['spec']['selector'], policy['spec']['podSelector']['matchLabels']):
        same(selector, hub['spec']['template']['metadata']['labels'], 'hub.yaml: whom a selector means')
    same(hub['spec']['serviceName'], service['metadata']['name'], 'hub.yaml: serviceName')


def check_agents(trust):
    agents = one('agents.yaml', 'DaemonSet')
    spec, program = pod(agents), container(pod(agents), 'agent')
    options, mounted = option_values(program), mounts(program)
    same((spec['hostPID'], spec['hostNetwork']), (True, True), 'agents.yaml: what makes it the node\'s')
    expect(spec['terminationGracePeriodSeconds'] > 20, 'agents.yaml: the agent may take 20 s to hand over')
    expect(below(options['--state-dir'][0], writable(program)), 'agents.yaml: the state lies on nothing that stays')
    # The files that pair wrote for a node must be at the paths in its agent.toml, and belong to that node.
    node = os.path.join(trust, 'agents', 'gpu-a')
    settings = tomllib.loads(text_of(node, 'agent.toml'))
    paths = [settings['agent'][key] for key in ('tls_ca', 'tls_cert', 'tls_key')] + options['--config']
    for path in paths:
        same(mounted[path]['subPathExpr'] if path in mounted else None, '$(NODE_NAME).' + os.path.basename(path), 'agents.yaml: ' + path)
        expect(os.path.exists(os.path.join(node, os.path.basename(path))), 'pair makes no ' + path)
    same(secret_mode(agents, 'files') & 0o077, 0, 'agents.yaml: the agent refuses keys that others may read')
    for path, volume in (('/dev/shm', 'rings'), ('/dev/kmsg', 'kmsg'), ('/etc/machine-id', 'machine-id')):
        same(mounted[path]['name'], volume, 'agents.yaml: ' + path)
        same(volumes(agents)[volume]['hostPath']['path'], path, 'agents.yaml: ' + path)
    expect(not mounted['/dev/shm'].get('readOnly'), 'agents.yaml: the agent frees what it read in a ring')
    # The trainers' side: their folder is in that /dev/shm, under a name that an agent searches.
    trainer = one('trainer.yaml', 'Job')
    inside = container(pod(trainer), 'trainer')
    folder = next(e['value'] for e in inside['env'] if e['name'] == 'RUNGLASS_DIR')
    mount = mounts(inside)[os.path.dirname(folder)]
    same(volumes(trainer)[mount['name']]['hostPath']['path'], '/dev/shm', 'trainer.yaml: RUNGLASS_DIR')
    expect(os.path.basename(folder).startswith('runglass-'), 'trainer.yaml: the agent looks for runglass-*')


def check_sidecar(trust):
    job = one('sidecar.yaml', 'Job')
    spec = pod(job)
    program, trainer, files = (container(spec, name) for name in ('agent', 'trainer', 'files'))
    options = option_values(program)
    same(program['restartPolicy'], 'Always', 'sidecar.yaml: it stays beside the trainer')
    same(spec['shareProcessNamespace'], True, 'sidecar.yaml: it sees the trainer\'s process')
    expect('runAsUser' in spec['securityContext'] and not any('runAsUser' in each.get('securityContext', {}) for each in containers(spec)),
           'sidecar.yaml: trainer and agent are not the same user')
    folders = [next(e['value'] for e in each['env'] if e['name'] == 'RUNGLASS_DIR') for each in (program, trainer)]
    same(folders[0], folders[1], 'sidecar.yaml: RUNGLASS_DIR')
    for each in (program, trainer):
        expect(below(folders[0], writable(each)), 'sidecar.yaml: %s cannot write to the rings' % each['name'])
    same(volumes(job)['rings']['emptyDir']['medium'], 'Memory', 'sidecar.yaml: rings')
    expect(below(options['--state-dir'][0], writable(program)), 'sidecar.yaml: the state can be written')
    # Runs the init container's command: its output must be the file that the agent is configured to read.
    node = os.path.join(trust, 'agents', 'train-1')
    with tempfile.TemporaryDirectory() as work:
        secret, own = os.path.join(work, 'secret'), os.path.join(work, 'own')
        os.mkdir(secret)
        os.mkdir(own)
        for source, key in (('token', '1.token'), ('agent.toml', '1.agent.toml'), ('ca.pem', 'ca.pem')):
            shutil.copy(os.path.join(node, source), os.path.join(secret, key))
        words = [word.replace('/secret', secret).replace('/own', own) for word in files['command']]
        made = subprocess.run(words, env={'INDEX': '1', 'PATH': os.environ['PATH']}, capture_output=True, text=True, check=False)
        same(made.returncode, 0, 'sidecar.yaml: ' + made.stderr)
        same(os.stat(os.path.join(own, 'token')).st_mode & 0o777, 0o600, 'sidecar.yaml: the token\'s mode')
        settings = tomllib.loads(text_of(own, 'agent.toml'))
        same(settings['node']['name'], 'train-1', 'sidecar.yaml: whose files')
        for path in [settings['agent'][key] for key in ('tls_ca', 'token_file')] + options['--config']:
            same(os.path.dirname(path), '/etc/runglass', 'sidecar.yaml: ' + path)
            expect(os.path.exists(os.path.join(own, os.path.basename(path))), 'sidecar.yaml: nobody makes ' + path)
    same(mounts(program)['/etc/runglass']['name'], 'own', 'sidecar.yaml: /etc/runglass')


def leaves(value, path=''):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, path + '/' + key)
    elif isinstance(value, list):
        for at, inner in enumerate(value):
            yield from leaves(inner, '%s/%d' % (path, at))
    else:
        yield path, value


def check_types():
    if shutil.which('kubectl') is None:
        return 'not decoded: kubectl is not installed'
    version = json.loads(subprocess.run(['kubectl', 'version', '--client', '-o', 'json'], capture_output=True, text=True, check=True).stdout)['clientVersion']
    if int(re.sub(r'\D', '', version['minor'])) < 29:
        return 'not decoded: kubectl %s does not know what an init container that stays is' % version['gitVersion']
    for name, kind in (('hub.yaml', 'StatefulSet'), ('agents.yaml', 'DaemonSet'), ('trainer.yaml', 'Job'), ('sidecar.yaml', 'Job')):
        wanted = one(name, kind)
        # It appends a variable to the existing ones, so that ours keep their positions.
        with tempfile.NamedTemporaryFile('w', suffix='.json') as file:
            json.dump(wanted, file)
            file.flush()
            said = subprocess.run(['kubectl', 'set', 'env', '--local', '-f', file.name, 'X=1', '-o', 'json'], capture_output=True, text=True,
                                  check=False)
        if said.returncode != 0:
            failures.append('%s: kubectl: %s' % (name, said.stderr.strip()))
            continue
        decoded = dict(leaves(json.loads(said.stdout)))
        for path, value in leaves(wanted):
            same(decoded.get(path), value, '%s: kubectl knows no %s, or reads it as something else' % (name, path))
    return 'decoded by kubectl ' + version['gitVersion']


def main():
    with tempfile.TemporaryDirectory() as work:
        trust = os.path.join(work, 'trust')
        subprocess.run([os.path.join(BIN, 'runglassctl'), 'pair', '--out', trust, '--hub', 'runglass-hub.runglass.svc', '--agent', 'gpu-a', '--token-agent', 'train-1'],
                       check=True, capture_output=True)
        for name in sorted(os.listdir(FOLDER)):
            if name.endswith('.yaml'):
                for document in documents(name):
                    check_whole(name, document)
        check_hub(trust)
        check_agents(trust)
        check_sidecar(trust)
    print(check_types())
    for failure in failures:
        print('FAILED: ' + failure)
    sys.exit(1 if failures else 0)


main()
