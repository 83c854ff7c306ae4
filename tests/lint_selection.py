#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which .cpp and .c files clang-tidy looks at in `./dev lint`, one per line: uncommitted changes, a rotating twentieth of the tree, and the files
of the last 20 first-parent commits, newest first, until their estimated costs reach --seconds of one core. --all: the whole tree.
With --database compile_commands.json only files that it has a command for: other presets build the others.
Notes go to stderr. Exit 1 when there is no file to look at: a check of nothing is no check."""
import argparse, json, os, subprocess, sys, zlib

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PARTS = 20  # of the tree: one per commit number, so that 20 commits check all of it
COMMITS = 20
SOURCES = ('.cpp', '.c')
# Seconds of one core that clang-tidy needs per file, by room. They limit a run; a rough value is enough.
COST = {'model': 3, 'net': 5, 'storage': 5, 'analysis': 5, 'collectors': 6, 'widgets': 6, 'app': 6, 'tests': 6}


def git(root, *arguments):
    return subprocess.run(['git', *arguments], cwd=root, capture_output=True, text=True, check=True).stdout


def tree(root):
    """The source and header files that exist, tracked or new."""
    found = git(root, 'ls-files', '-co', '--exclude-standard', '*.cpp', '*.c', '*.h').splitlines()
    return sorted({f for f in found if os.path.exists(os.path.join(root, f))})


def uncommitted(root):
    return git(root, 'diff', '--name-only', 'HEAD').splitlines() + git(root, 'ls-files', '-o', '--exclude-standard').splitlines()


def recent(root):
    """Files of the last commits, newest first, and whether the clone is shallow. A shallow clone's oldest commits have no known parent: what they changed is unknown."""
    shallow_path = os.path.join(root, git(root, 'rev-parse', '--git-path', 'shallow').strip())
    shallow = set(open(shallow_path).read().split()) if os.path.exists(shallow_path) else set()
    files = []
    for commit in git(root, 'rev-list', '--first-parent', f'--max-count={COMMITS}', 'HEAD').split():
        if commit in shallow:
            print(f'note: shallow clone: changes before and in {commit[:10]} are unknown', file=sys.stderr)
            break
        files += git(root, 'diff-tree', '--root', '-r', '-m', '--first-parent', '--no-commit-id', '--name-only', commit).splitlines()
    return files, bool(shallow)


def sources_of(path, all_files, root):
    """The sources that show what `path` is: itself, or of a header that of the same stem, else the first that includes it."""
    if path.endswith(SOURCES):
        return [path] if path in all_files else []
    own = next((path[:-2] + kind for kind in SOURCES if path[:-2] + kind in all_files), None)
    if not path.endswith('.h') or path not in all_files:
        return []
    if own:
        return [own]
    include = f'#include "{path}"'
    return next(([f] for f in sorted(all_files) if f.endswith(SOURCES) and include in read(root, f)), [])


def read(root, path):
    with open(os.path.join(root, path), encoding='utf-8') as file:
        return file.read()


def rotating(files, number):
    return [f for f in files if f.endswith(SOURCES) and zlib.crc32(f.encode()) % PARTS == number % PARTS]


def selection(root, everything, seconds):
    files = tree(root)
    if everything:
        return [f for f in files if f.endswith(SOURCES)]
    committed, shallow = recent(root)
    # A shallow clone has no commit number; its hash rotates as well, without a guarantee that 20 commits check everything.
    number = int(git(root, 'rev-parse', 'HEAD'), 16) if shallow else int(git(root, 'rev-list', '--count', 'HEAD'))
    known = set(files)
    chosen, left, spent = {}, set(), 0
    candidates = [(f, True) for path in uncommitted(root) for f in sources_of(path, known, root)]
    candidates += [(f, True) for f in rotating(files, number)]
    candidates += [(f, False) for path in committed for f in sources_of(path, known, root)]
    for path, always in candidates:
        if path in chosen or path in left:
            continue
        cost = COST.get(path.split('/')[0], max(COST.values()))
        if not always and spent + cost > seconds:
            left.add(path)
            continue
        chosen[path] = True
        spent += cost
    print(f'note: {len(chosen)} files, about {spent} s of one core', file=sys.stderr)
    if left:
        print(f'note: {len(left)} files of older commits are left to the rotation', file=sys.stderr)
    return list(chosen)


def in_database(files, path, root):
    with open(path, encoding='utf-8') as file:
        built = {os.path.relpath(os.path.join(entry['directory'], entry['file']), root) for entry in json.load(file)}
    others = [f for f in files if f not in built]
    if others:
        print(f'note: not built by this preset, not looked at: {" ".join(others)}', file=sys.stderr)
    return [f for f in files if f in built]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--seconds', type=int, default=480)
    parser.add_argument('--database')
    parser.add_argument('--root', default=ROOT)
    options = parser.parse_args()
    try:
        files = selection(options.root, options.all, options.seconds)
    except subprocess.CalledProcessError as error:
        print(f'lint_selection: {" ".join(error.cmd)}: {error.stderr.strip()}', file=sys.stderr)
        return 1
    if options.database:
        files = in_database(files, options.database, os.path.realpath(options.root))
    if not files:
        print('lint_selection: no file to look at', file=sys.stderr)
        return 1
    print('\n'.join(files))
    return 0


if __name__ == '__main__':
    sys.exit(main())
