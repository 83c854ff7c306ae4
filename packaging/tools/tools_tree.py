#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The relocatable folder: the programs, their loader, every library that they need and the licences of those.

tools_tree.py --build DIR --out FOLDER [--sysroot DIR] [--console] [--tar FILE --date YYYY-MM-DD]
docs/operate/binaries.md says what lies where in it. The machine is the one that the programs in DIR were built for; libraries are taken from this
machine, or from --sysroot. Two calls on the same inputs write the same bytes.
"""
import argparse
import calendar
import glob
import gzip
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAMS = ('runglassctl', 'runglass-agent')
# With --console: for `runglass screenshot` on a host without Qt, a display or fonts (tests/device). A window uses the host's own.
PLUGINS = ('platforms/libqoffscreen.so', 'iconengines/libqsvgicon.so', 'imageformats/libqsvg.so')
FONTS = {'fonts-noto-core': ('noto/NotoSans-Regular.ttf', 'noto/NotoSans-Bold.ttf'),
         'fonts-jetbrains-mono': ('jetbrains-mono/JetBrainsMono-Regular.ttf',)}
TRIPLES = {'Advanced Micro Devices X86-64': 'x86_64-linux-gnu', 'AArch64': 'aarch64-linux-gnu'}
# Libraries that no ELF header names: the C library's own modules (names, name servers), the library that pthread_cancel() loads, and
# those that an older library of the host (NVIDIA's) loads by name. If one were missing, the host's would be loaded, which belongs to
# another C library.
UNNAMED = ('libc.so.6', 'libm.so.6', 'libdl.so.2', 'libpthread.so.0', 'librt.so.1', 'libutil.so.1', 'libresolv.so.2', 'libanl.so.1',
           'libnss_files.so.2', 'libnss_dns.so.2', 'libnss_compat.so.2', 'libgcc_s.so.1', 'libstdc++.so.6')
given = None


def output(*arguments):
    return subprocess.run(arguments, stdout=subprocess.PIPE, check=True, text=True, env={**os.environ, 'LC_ALL': 'C'}).stdout


def copy(source, *to, mode=0o644):
    target = os.path.join(given.out, *to)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copyfile(source, target)
    os.chmod(target, mode)
    return target


class Machine:
    def __init__(self, program):
        header = output('readelf', '-hl', program)
        self.triple = TRIPLES[re.search(r'Machine:\s+(.*)', header).group(1).strip()]
        self.name = self.triple.split('-')[0]
        self.loader = os.path.basename(re.search(r'interpreter: (\S+)\]', header).group(1))
        self.folders = [given.sysroot + at for at in ('/lib/' + self.triple, '/usr/lib/' + self.triple, '/lib', '/usr/lib')]

    def find(self, name):
        for folder in self.folders:
            if os.path.isfile(os.path.join(folder, name)):
                return os.path.join(folder, name)
        sys.exit('%s is in none of %s' % (name, ', '.join(self.folders)))

    def strip(self, path):
        tool = self.triple + '-strip'
        output(tool if shutil.which(tool) else 'strip', '--strip-unneeded', path)


def needed(path):
    return re.findall(r'\(NEEDED\)\s+Shared library: \[(.*?)\]', output('readelf', '-d', path))


def libraries(machine, programs):
    """{name as asked for: file} of everything that these need, and what that needs."""
    found, waiting = {}, [machine.loader, *UNNAMED]
    for program in programs:
        waiting += needed(program)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = machine.find(name)
            waiting += needed(found[name])
    return found


def packages(found, loader):
    """{package: names of its libraries}. Of a sysroot that was only unpacked, this machine's packages of the same names are used."""
    here = os.uname().machine + '-linux-gnu'
    owners = {loader: 'libc6'}
    for line in output('dpkg', '-S', *('*/%s/%s' % (here, name) for name in found if name != loader)).splitlines():
        owner, path = line.rsplit(': ', 1)
        if re.fullmatch(r'(/usr)?/lib/%s/[^/]+' % here, path):
            owners.setdefault(os.path.basename(path), owner.split(',')[0].split(':')[0])
    missing = set(found) - set(owners)
    if missing:
        sys.exit('no Debian package brings ' + ', '.join(sorted(missing)))
    result = {}
    for name in found:
        result.setdefault(owners[name], []).append(name)
    return result


def source_of(package):
    """'SOURCE VERSION' of a package, from the changelog that it brings."""
    for name in ('changelog.Debian.gz', 'changelog.gz'):
        path = os.path.join(given.sysroot + '/usr/share/doc', package, name)
        if os.path.isfile(path):
            with gzip.open(path, 'rt', encoding='utf-8', errors='replace') as file:
                match = re.match(r'(\S+) \((\S+)\)', file.readline())
            if match:
                return '%s %s' % match.groups()
    return output('dpkg-query', '-W', '-f', '${source:Package} ${source:Version}\n', package).splitlines()[0]


def licences(found, loader):
    lines, common = [], set()
    owned = packages(found, loader)
    if given.console:
        owned.update({package: ['share/fonts'] for package in FONTS})
    for package, names in sorted(owned.items()):
        path = copy(os.path.join(given.sysroot + '/usr/share/doc', package, 'copyright'), 'share/licenses', package, 'copyright')
        with open(path, encoding='utf-8', errors='replace') as file:
            common.update(re.findall(r'/usr/share/common-licenses/([A-Z][\w.+-]*\w)', file.read()))
        lines.append('%-24s source: %-44s %s\n' % (package, source_of(package), ' '.join(sorted(names))))
    for name in sorted(common):
        path = os.path.realpath('/usr/share/common-licenses/' + name)
        if os.path.isfile(path):
            copy(path, 'share/licenses/common-licenses', name)
    copy(os.path.join(SOURCE, 'packaging/debian/copyright-programs'), 'share/licenses/runglass', 'copyright')
    for name in os.listdir(os.path.join(SOURCE, 'LICENSES')):
        copy(os.path.join(SOURCE, 'LICENSES', name), 'share/licenses/runglass', name)
    with open(os.path.join(given.out, 'share/licenses/LIBRARIES'), 'w', encoding='utf-8') as file:
        file.write('The libraries in lib/ are Debian 12\'s, unchanged. Their sources: https://snapshot.debian.org, by the name and version below. A licence that\n'
                   'a copyright file refers to by /usr/share/common-licenses is in common-licenses here.\n\n' + ''.join(lines))


def make_tree():
    bin_folder = os.path.join(given.build, 'bin')
    machine = Machine(os.path.join(bin_folder, PROGRAMS[0]))
    programs = PROGRAMS + (('runglass',) if given.console else ())
    plugins = {name: machine.find('qt6/plugins/' + name) for name in (PLUGINS if given.console else ())}
    found = libraries(machine, [os.path.join(bin_folder, name) for name in programs] + list(plugins.values()))
    for name, path in found.items():
        copy(path, 'lib', name, mode=0o755)
    launcher = copy(os.path.join(bin_folder, 'runglass_launcher'), 'bin', PROGRAMS[0], mode=0o755)
    machine.strip(launcher)
    for name in programs:
        machine.strip(copy(os.path.join(bin_folder, name), 'libexec', name, mode=0o755))
        os.makedirs(os.path.join(given.out, 'libexec/loader'), exist_ok=True)
        os.symlink(os.path.join('../../lib', machine.loader), os.path.join(given.out, 'libexec/loader', name))
        if name != PROGRAMS[0]:
            os.link(launcher, os.path.join(given.out, 'bin', name))
    for name, path in plugins.items():
        copy(path, 'libexec/plugins', name, mode=0o755)
    if given.console:
        for name in (name for names in FONTS.values() for name in names):
            copy(given.sysroot + '/usr/share/fonts/truetype/' + name, 'share/fonts', os.path.basename(name))
    lib = os.path.join(given.build, 'lib')
    machine.strip(copy(os.path.join(lib, 'librunglass.so.0'), 'trainer', 'librunglass.so.0', mode=0o755))
    os.symlink('librunglass.so.0', os.path.join(given.out, 'trainer', 'librunglass.so'))
    machine.strip(copy(os.path.join(lib, 'librunglass_cuda.so'), 'trainer', 'librunglass_cuda.so', mode=0o755))
    copy(os.path.join(SOURCE, 'collectors/client/runglass.h'), 'trainer/include', 'runglass.h')
    for name in ('runglass.py', 'runglass_ring.py'):
        copy(os.path.join(SOURCE, 'collectors/client/python', name), 'trainer/python', name)
    for path in glob.glob(os.path.join(SOURCE, 'resources/scenarios/*.toml')):
        copy(path, 'share/scenarios', os.path.basename(path))
    copy(os.path.join(SOURCE, 'packaging/etc/agent.toml'), 'share/examples', 'agent.toml')
    for path in glob.glob(os.path.join(SOURCE, 'packaging/slurm/*.sh')):
        copy(path, 'share/slurm', os.path.basename(path), mode=0o755)
    for path in glob.glob(os.path.join(SOURCE, 'packaging/kubernetes/*')):
        copy(path, 'share/kubernetes', os.path.basename(path))
    docs = os.path.join(SOURCE, 'docs')
    for path in sorted(set(glob.glob(os.path.join(docs, '**/*.md'), recursive=True)) - set(glob.glob(os.path.join(docs, 'contribute/*')))):
        copy(path, 'share/doc', os.path.relpath(path, docs))
    copy(os.path.join(SOURCE, 'packaging/tools/README'), 'README')
    licences(found, machine.loader)


def make_tar():
    stamp = calendar.timegm(time.strptime(given.date, '%Y-%m-%d'))

    def same_anywhere(info):
        info.mtime, info.uid, info.gid, info.uname, info.gname = stamp, 0, 0, 'root', 'root'
        info.mode = 0o755 if info.isdir() or info.mode & 0o100 else 0o644
        return info
    top = os.path.dirname(given.out)
    os.makedirs(os.path.dirname(os.path.abspath(given.tar)), exist_ok=True)
    paths = [given.out]
    for folder, folders, names in os.walk(given.out):
        paths += [os.path.join(folder, name) for name in folders + names]
    with open(given.tar, 'wb') as raw, gzip.GzipFile('', 'wb', 9, raw, mtime=stamp) as packed, tarfile.open(fileobj=packed, mode='w', format=tarfile.GNU_FORMAT) as tar:
        for path in sorted(paths):
            tar.add(path, os.path.relpath(path, top), recursive=False, filter=same_anywhere)


def main():
    global given
    arguments = argparse.ArgumentParser()
    arguments.add_argument('--build', required=True)
    arguments.add_argument('--out', required=True)
    arguments.add_argument('--sysroot', default='')
    arguments.add_argument('--console', action='store_true')
    arguments.add_argument('--tar')
    arguments.add_argument('--date', default='1970-01-01')
    given = arguments.parse_args()
    given.out = os.path.abspath(given.out)
    shutil.rmtree(given.out, ignore_errors=True)
    make_tree()
    if given.tar:
        make_tar()


if __name__ == '__main__':
    main()
