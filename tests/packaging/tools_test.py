#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The relocatable folder starts where nothing is: tools_test.py CASE --tree FOLDER [--build DIR] [--fake-nvml FILE] [--compiler CC].
Case "tree" makes the folder from a build; the others use it, those in an empty root by user namespaces (or as root)."""
import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from checks import end, expect, same, skip

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOG = ''.join(' iteration %8d/     100 | consumed samples:           16 | elapsed time per iteration (ms): 1000.0 | learning rate: 1.000E-04 | '
              'global batch size:    16 | lm loss: %.6E | loss scale: 1.0 | grad norm: 1.000 | number of skipped iterations:   0 | '
              'number of nan iterations:   0 |\n' % (i, 12 - i) for i in range(1, 4))
given = None


class Host:
    """Starts the folder's programs: in this machine's root, or in another one."""

    def __init__(self, tools, work, root=None):
        self.tools, self.work, self.root, self.environment = tools, work, root, {'PATH': '/nowhere'}

    def enter(self):
        if self.root:
            os.chroot(self.root)
        os.chdir(self.work)

    def start(self, name, *arguments, **options):
        path = os.path.join(self.tools, 'bin', name)
        return subprocess.Popen([path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                preexec_fn=self.enter, env=self.environment, **options)

    def call(self, name, *arguments, wanted=0):
        process = self.start(name, *arguments)
        said = process.communicate(timeout=60)[0]
        same(process.returncode, wanted, '%s %s\n%s\nexit status' % (name, ' '.join(arguments), said))
        return said

    def value(self, store, sql):
        return self.call('runglassctl', 'query', '--store', store, '--format', 'csv', sql).splitlines()[-1]

    def serve(self, store, listen, *options):
        hub = self.start('runglassctl', 'serve', '--store', store, '--listen', listen, *options)
        said = ''
        for line in hub.stdout:
            said += line
            if line.startswith('listening on '):
                return hub, line.split()[-1]
        hub.wait()
        sys.exit('the hub does not listen: ' + said)

    def end(self, process, what):
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[0]
        same(process.returncode, 0, '%s did not end well\n%s\nexit status' % (what, said))

    def train(self, mapped=None):
        """A hub, a simulated cluster into it, and everything that is asked of a store."""
        hub, address = self.serve('live.rgl', 'localhost:0')
        agent = self.start('runglass-agent', '--hub', address, '--state-dir', 'agent', '--simulate', os.path.join(self.tools, 'share/scenarios/slow-gpu.toml'), '--speed', 'max')
        if mapped is not None:
            for process in (hub, agent):
                mapped.append(files_mapped_by(process.pid))
        said = agent.communicate(timeout=120)[0]
        same(agent.returncode, 0, 'the simulation\n%s\nexit status' % said)
        self.end(hub, 'the hub')
        self.call('runglassctl', 'verify', '--store', 'live.rgl')
        expect(int(self.value('live.rgl', 'SELECT count(DISTINCT step) FROM step')) > 0, 'nothing of the simulation arrived')
        expect('slow-gpu' in self.call('runglassctl', 'info', '--store', 'live.rgl'), 'info does not name the run')
        self.call('runglassctl', 'analyze', '--store', 'live.rgl')
        found = int(self.value('live.rgl', 'SELECT count(*) FROM finding'))
        expect(found > 0, 'nothing was found in the simulation')
        return found


def files_mapped_by(pid):
    """Once it has started: what the process has in its memory of files that are programs or libraries."""
    before, same_for = set(), 0
    for _ in range(3000):
        with open('/proc/%d/maps' % pid, encoding='utf-8') as file:
            paths = {line.split(maxsplit=5)[5].strip() for line in file if ' /' in line}
        paths = {path for path in paths if not re.search(r'\.rgl|/memfd:|/dev/|/spool', path)}
        # The loader maps one library after the other: wait until it has finished.
        same_for = same_for + 1 if paths == before else 0
        before = paths
        if same_for >= 10 and len(paths) > 20 and any('libgrpc.so' in path for path in paths):
            return paths
        time.sleep(0.02)
    return {'libgrpc.so of process %d was never mapped' % pid}


# ---- an empty root

def bind(source, target):
    subprocess.run(['mount', '--rbind', source, target], check=True)


def in_empty_root(case):
    """Runs this case again as the first process of namespaces of its own."""
    if shutil.which('unshare') is None or shutil.which('mount') is None:
        skip('unshare and mount (util-linux) are not installed')
    namespaces = ['unshare', '--map-root-user', '--mount', '--pid', '--fork', '--kill-child']
    if subprocess.run([*namespaces, 'sh', '-c', 'mount -t tmpfs none /mnt && mount -t proc proc /mnt'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode != 0:
        skip('this machine lets nobody make a mount namespace (unshare --map-root-user --mount --pid)')
    with tempfile.TemporaryDirectory() as root:
        found = subprocess.run([*namespaces, sys.executable, os.path.abspath(__file__), case, '--tree', given.tree, '--fake-nvml', given.fake_nvml, '--root', root], check=False)
    if found.returncode != 0:
        sys.exit(found.returncode)


def empty_root():
    """Nothing but the kernel's interfaces, the folder (read-only, with a space in its path) and a place to work."""
    root = given.root
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'mode=755', 'none', root], check=True)
    tools = '/opt/run glass'
    for folder in ('proc', 'sys', 'dev/shm', 'work', tools[1:]):
        os.makedirs(os.path.join(root, folder))
    subprocess.run(['mount', '-t', 'proc', 'proc', root + '/proc'], check=True)
    bind('/sys', root + '/sys')
    for device in ('null', 'zero', 'full', 'random', 'urandom'):
        with open(root + '/dev/' + device, 'w', encoding='utf-8'):
            pass
        bind('/dev/' + device, root + '/dev/' + device)
    subprocess.run(['mount', '-t', 'tmpfs', '-o', 'mode=1777', 'none', root + '/dev/shm'], check=True)
    bind(given.tree, root + tools)
    subprocess.run(['mount', '-o', 'remount,bind,ro', root + tools], check=True)
    return Host(tools, '/work', root)


def encrypted(host):
    """A certificate for localhost, which no file and no name server of this root knows."""
    if shutil.which('openssl') is None:
        print('openssl is not installed: TLS was not tried')
        return
    subprocess.run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=hub', '-addext',
                    'subjectAltName=DNS:localhost', '-keyout', 'hub.key', '-out', 'hub.pem'], cwd=host.root + host.work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    token = os.path.join(host.root + host.work, 'token')
    with open(token, 'w', encoding='utf-8') as file:
        file.write('0123456789abcdef0123456789abcdef\n')
    os.chmod(token, 0o600)
    hub, address = host.serve('tls.rgl', 'localhost:0', '--tls-cert', 'hub.pem', '--tls-key', 'hub.key', '--token-file', 'token')
    host.call('runglass-agent', '--hub', address, '--state-dir', 'tls-agent', '--tls-ca', 'hub.pem', '--token-file', 'token', '--simulate',
              os.path.join(host.tools, 'share/scenarios/slow-gpu.toml'), '--speed', 'max')
    host.end(hub, 'the hub with TLS')
    expect(int(host.value('tls.rgl', 'SELECT count(DISTINCT step) FROM step')) > 0, 'nothing arrived by TLS')


def case_empty_root():
    if not given.root:
        return in_empty_root('empty_root')
    host = empty_root()
    expect(re.fullmatch(r'runglassctl \d+\.\d+\.\d+\n', host.call('runglassctl', '--version')), 'the version')
    expect('runglass-agent' in host.call('runglass-agent', '--version'), 'the version of the agent')
    with open(given.root + '/work/train.log', 'w', encoding='utf-8') as file:
        file.write(LOG)
    host.call('runglassctl', 'import', '--store', 'night.rgl', 'train.log')
    same(host.value('night.rgl', "SELECT value FROM scalar WHERE tag = 'lm loss' ORDER BY step DESC LIMIT 1"), '9', 'the imported loss')
    found = host.train()
    encrypted(host)
    print('empty root: version, import, serve, simulate, verify, query, info, analyze (%d findings)' % found)
    # Also without /proc, which some containers' build steps lack.
    subprocess.run(['umount', given.root + '/proc'], check=True)
    expect('runglassctl' in host.call('runglassctl', '--version'), 'without /proc')
    os.symlink('../opt/run glass/bin/runglassctl', given.root + '/work/ctl')
    said = subprocess.run(['./ctl', '--version'], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, preexec_fn=host.enter, env={}, check=False)
    same((said.returncode, said.stdout.split(' ')[0]), (0, 'runglassctl'), 'a link without /proc')


def case_host_driver():
    """NVIDIA's library is the host's, in the folders where distributions and container toolkits put it."""
    if not given.root:
        return in_empty_root('host_driver')
    host = empty_root()
    machine = os.uname().machine
    for number, folder in enumerate(('/usr/lib64', '/usr/lib/%s-linux-gnu' % machine, '/usr/local/nvidia/lib64', '/from/the/module')):
        os.makedirs(given.root + folder)
        library = given.root + folder + '/libnvidia-ml.so.1'
        shutil.copyfile(given.fake_nvml, library)
        store = 'gpu%d.rgl' % number
        host.environment = {'LD_LIBRARY_PATH': '/nowhere:/from/the/module'}
        hub, address = host.serve(store, '127.0.0.1:0')
        agent = host.start('runglass-agent', '--hub', address, '--state-dir', 'agent%d' % number)
        names = ''
        for _ in range(240):
            time.sleep(0.25)
            if os.path.exists(given.root + '/work/' + store):
                names = host.value(store, "SELECT group_concat(model) FROM device WHERE kind = 'gpu'")
            if 'Fake' in names:
                break
        host.end(agent, 'the agent')
        host.end(hub, 'the hub')
        expect('Fake H100' in names, "no GPU by the driver's library in %s: %r" % (folder, names))
        os.remove(library)
    print("host driver: found in each of its usual folders and by the host's LD_LIBRARY_PATH")


# ---- the root of this machine

def hostile_libraries(folder):
    """What modules and conda do to a process, and worse: libraries of our names that are none, and one to be preloaded that ends the process."""
    for name in ('libstdc++.so.6', 'libssl.so.3', 'libcurl.so.4', 'libgrpc.so.29', 'libc.so.6', 'libnss_files.so.2'):
        with open(os.path.join(folder, name), 'w', encoding='utf-8') as file:
            file.write('no library')
    source, library = os.path.join(folder, 'ends.c'), os.path.join(folder, 'ends.so')
    with open(source, 'w', encoding='utf-8') as file:
        file.write('#include <unistd.h>\n__attribute__((constructor)) static void ends(void) { _exit(99); }\n')
    subprocess.run([given.compiler, '-shared', '-fPIC', '-o', library, source], check=True)
    return {'LD_LIBRARY_PATH': folder, 'LD_PRELOAD': library + ':/nowhere/absent.so', 'LD_AUDIT': library}


def case_any_place():
    with tempfile.TemporaryDirectory() as work:
        hostile = hostile_libraries(work)
        host = Host(given.tree, work)
        version = host.call('runglassctl', '--version')
        host.environment = hostile
        same(host.call('runglassctl', '--version'), version, 'with a polluted environment')
        link, chain = os.path.join(work, 'rgctl'), os.path.join(work, 'chain')
        os.symlink(os.path.join(given.tree, 'bin/runglassctl'), link)
        os.symlink('rgctl', chain)
        relative = os.path.relpath(os.path.join(given.tree, 'bin/runglassctl'), work)
        for called in (link, './chain', relative):
            found = subprocess.run([called, '--version'], cwd=work, env=hostile, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            same((found.returncode, found.stdout), (0, version), called)
        found = subprocess.run(['rgctl', '--version'], env={'PATH': work}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        same((found.returncode, found.stdout), (0, version), 'found by PATH')
        # Arguments and the exit status are those of the program.
        found = host.call('runglassctl', 'query', '--store', 'no such store.rgl', 'SELECT 1', wanted=1)
        expect('no such store.rgl' in found, 'an error does not name the store: ' + found)

        moved = os.path.join(os.path.dirname(given.tree), 'another "place" $HOME')
        for name, wanted in (('moved and "quoted"', 0), ('a:b', 127), ('$ORIGIN', 127)):
            moved = os.path.join(os.path.dirname(given.tree), name)
            os.rename(given.tree, moved)
            try:
                found = Host(moved, work).call('runglassctl', '--version', wanted=wanted)
            finally:
                os.rename(moved, given.tree)
            if wanted == 0:
                same(found, version, 'moved')
            else:
                expect('one of : ; $' in found, 'no reason is given: ' + found)


def case_own_libraries():
    with tempfile.TemporaryDirectory() as work:
        host = Host(given.tree, work)
        host.environment = hostile_libraries(work)
        mapped = []
        host.train(mapped)
        for paths in mapped:
            foreign = sorted(path for path in paths if not path.startswith(given.tree + '/'))
            same(foreign, [], 'libraries of the host are in use')
            expect(len(paths) > 20, 'too few libraries to be true: %s' % sorted(paths))
        # Tools of the node are found by the program's name; programs started by it have the host's unchanged environment.
        hub, _ = host.serve('named.rgl', '127.0.0.1:0')
        with open('/proc/%d/comm' % hub.pid, encoding='utf-8') as file:
            same(file.read().strip(), 'runglassctl', 'the name that ps shows')
        with open('/proc/%d/environ' % hub.pid, encoding='utf-8') as file:
            same(sorted(entry for entry in file.read().split('\0') if entry), ['LD_LIBRARY_PATH=' + work], 'what children inherit')
        host.end(hub, 'the hub')


def case_contents():
    lib = os.path.join(given.tree, 'lib')
    with open(os.path.join(given.tree, 'share/licenses/LIBRARIES'), encoding='utf-8') as file:
        told = file.read()
    for name in os.listdir(lib):
        expect(re.search(r'[ \n]%s(\s|$)' % re.escape(name), told), '%s has no licence' % name)
    for package in re.findall(r'(?m)^(\S+) +source: ', told):
        expect(os.path.getsize(os.path.join(given.tree, 'share/licenses', package, 'copyright')) > 0, package + ' has no copyright')
    for name in ('runglassctl', 'runglass-agent'):
        header = subprocess.run(['readelf', '-lW', os.path.join(given.tree, 'bin', name)], stdout=subprocess.PIPE, text=True, check=True).stdout
        expect('INTERP' not in header, 'bin/%s needs a loader of the host' % name)
    # Libraries for trainers are loaded by the host's C library.
    for name in ('librunglass.so.0', 'librunglass_cuda.so'):
        symbols = subprocess.run(['readelf', '-VW', os.path.join(given.tree, 'trainer', name)], stdout=subprocess.PIPE, text=True, check=True).stdout
        newest = max(tuple(map(int, version.split('.'))) for version in re.findall(r'GLIBC_([\d.]+)', symbols))
        expect(newest <= (2, 17), '%s needs GLIBC_%s' % (name, '.'.join(map(str, newest))))
    for folder, folders, names in os.walk(given.tree):
        for name in folders + names:
            path = os.path.join(folder, name)
            expect(os.path.exists(path), path + ' leads nowhere')
            expect(not (os.path.islink(path) and os.readlink(path).startswith('/')), path + ' leads out of the folder')


def case_tree():
    subprocess.run([sys.executable, os.path.join(SOURCE, 'packaging/tools/tools_tree.py'), '--build', given.build, '--out', given.tree], check=True)


def main():
    global given
    arguments = argparse.ArgumentParser()
    arguments.add_argument('case')
    arguments.add_argument('--tree', required=True)
    arguments.add_argument('--build')
    arguments.add_argument('--fake-nvml', default='')
    arguments.add_argument('--compiler', default='cc')
    arguments.add_argument('--root')
    given = arguments.parse_args()
    globals()['case_' + given.case]()
    end()


if __name__ == '__main__':
    main()
