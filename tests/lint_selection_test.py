#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""lint_selection.py in a repository of its own: what it must not overlook, and that nothing to look at is a failure."""
import json, os, re, subprocess, sys, tempfile, unittest

import lint_selection

TOOL = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'lint_selection.py')


class Repository:
    def __init__(self, path):
        self.path = path
        self.git('init', '-q', '-b', 'main')

    def git(self, *arguments):
        who = ['-c', 'user.name=t', '-c', 'user.email=t@localhost', '-c', 'commit.gpgsign=false']
        return subprocess.run(['git', *who, *arguments], cwd=self.path, check=True, capture_output=True, text=True).stdout

    def write(self, files):
        for path, text in files.items():
            full = os.path.join(self.path, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, 'w', encoding='utf-8') as file:
                file.write(text)

    def commit(self, files):
        self.write(files)
        self.git('add', '-A')
        self.git('commit', '-q', '--allow-empty', '-m', 'change')

    def select(self, *arguments):
        done = subprocess.run([sys.executable, TOOL, *arguments, '--root', self.path], capture_output=True, text=True)
        return done.returncode, set(done.stdout.split()), done.stderr


class LintSelection(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.repository = Repository(folder.name)
        self.tree = {f'model/file{i}.cpp': f'// {i}\n' for i in range(400)}  # so many that no twentieth is empty
        self.repository.commit(self.tree)

    def age(self, commits=20):
        """Until the first commit is none of the last ones any more."""
        for _ in range(commits):
            self.repository.commit({})

    def selected(self, *arguments):
        code, files, notes = self.repository.select(*arguments)
        self.assertEqual(code, 0, notes)
        return files

    def test_a_change_in_the_last_commit_is_looked_at(self):
        self.age()
        for path in sorted(self.tree)[::50]:
            self.repository.commit({path: '// changed\n'})
            self.assertIn(path, self.selected())

    def test_a_change_of_a_merged_branch_is_looked_at(self):
        self.age()
        self.repository.git('checkout', '-q', '-b', 'side')
        self.repository.commit({'storage/merged.cpp': '\n'})
        self.repository.git('checkout', '-q', 'main')
        self.repository.git('merge', '-q', '--no-ff', '-m', 'merge', 'side')
        self.assertIn('storage/merged.cpp', self.selected())

    def test_uncommitted_and_new_files_are_looked_at_whatever_the_budget(self):
        self.age()
        self.repository.write({'model/file7.cpp': '// edited\n', 'app/new.cpp': '\n'})
        self.assertLessEqual({'model/file7.cpp', 'app/new.cpp'}, self.selected('--seconds', '0'))

    def test_a_header_is_looked_at_through_a_source(self):
        self.repository.commit({'model/a.h': '', 'model/a.cpp': '#include "model/a.h"\n', 'model/lone.h': '',
                                'storage/user.cpp': '#include "model/lone.h"\n',
                                'collectors/ring.h': '', 'collectors/ring.c': '#include "collectors/ring.h"\n'})
        self.age()
        self.repository.commit({'model/a.h': '// changed\n', 'model/lone.h': '// changed\n', 'collectors/ring.h': '// changed\n'})
        self.assertLessEqual({'model/a.cpp', 'storage/user.cpp', 'collectors/ring.c'}, self.selected())

    def test_a_deleted_file_is_no_file_to_look_at(self):
        self.age()
        os.remove(os.path.join(self.repository.path, 'model/file3.cpp'))
        self.repository.commit({})
        self.assertNotIn('model/file3.cpp', self.selected())

    def test_twenty_commits_look_at_the_whole_tree(self):
        self.age()
        seen, parts = set(), []
        for _ in range(20):
            parts.append(self.selected('--seconds', '0'))
            seen |= parts[-1]
            self.repository.commit({})
        self.assertEqual(seen, set(self.tree))
        self.assertEqual(sum(map(len, parts)), len(self.tree))  # each file exactly once

    def test_the_newest_commits_go_first_and_the_others_are_counted(self):
        self.age()
        self.repository.commit({'app/old.cpp': '\n'})
        self.repository.commit({'app/new.cpp': '\n'})
        _, rotation, notes = self.repository.select('--seconds', '0')
        spent = int(re.search(r'about (\d+) s', notes).group(1))
        _, files, notes = self.repository.select('--seconds', str(spent + lint_selection.COST['app']))
        self.assertEqual(files - rotation, {'app/new.cpp'})
        self.assertIn('1 files of older commits are left to the rotation', notes)

    def test_nothing_to_look_at_is_a_failure(self):
        with tempfile.TemporaryDirectory() as folder:
            empty = Repository(folder)
            empty.commit({'README.md': '\n'})
            code, files, notes = empty.select()
            self.assertNotEqual(code, 0)
            self.assertEqual(files, set())
            self.assertIn('no file to look at', notes)

    def test_a_file_without_a_command_is_named_and_left_out(self):
        database = os.path.join(self.repository.path, 'compile_commands.json')
        root = os.path.realpath(self.repository.path)
        with open(database, 'w', encoding='utf-8') as file:
            json.dump([{'directory': root + '/build', 'file': root + '/model/file1.cpp', 'command': 'c++'}], file)
        code, files, notes = self.repository.select('--all', '--database', database)
        self.assertEqual((code, files), (0, {'model/file1.cpp'}))
        self.assertIn(' model/file2.cpp ', notes)
        with open(database, 'w', encoding='utf-8') as file:
            json.dump([], file)
        self.assertNotEqual(self.repository.select('--all', '--database', database)[0], 0)

    def test_no_repository_is_a_failure_that_says_why(self):
        with tempfile.TemporaryDirectory() as folder:
            code, _, notes = Repository(folder).select()
            self.assertNotEqual(code, 0)
            self.assertIn('HEAD', notes)

    def test_a_shallow_clone_looks_at_the_commits_it_has(self):
        self.age()
        self.repository.commit({'app/last.cpp': '\n'})
        for depth in (1, 2):
            with tempfile.TemporaryDirectory() as folder:
                clone = Repository(folder)
                clone.git('fetch', '-q', '--depth', str(depth), 'file://' + self.repository.path, 'main')
                clone.git('checkout', '-q', 'FETCH_HEAD')
                code, files, notes = clone.select('--seconds', '1000')
                self.assertIn('shallow clone', notes)
                if depth == 2:
                    self.assertEqual(code, 0, notes)
                    self.assertIn('app/last.cpp', files)
                self.assertLess(len(files), len(self.tree))  # not all files are new


if __name__ == '__main__':
    unittest.main()
