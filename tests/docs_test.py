#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The documentation holds together: every relative link and every anchor of a page resolves, docs/README.md lists every page of the four folders, the
pages that packages install (all folders but docs/contribute) link to no page that stays in the source tree, and each verb of ./dev that a page or its
help names is one. Prints one line per breach; exit 1 on any."""
import os
import re
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ('guide', 'operate', 'formats', 'contribute')
LINK = re.compile(r'\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)')


def without_code(text):
    """The text without fenced blocks and code spans, with its line numbers."""
    text = re.sub(r'(?ms)^(```|~~~).*?^\1[^\n]*$', lambda m: '\n' * m.group(0).count('\n'), text)
    return re.sub(r'(`+)(?!`).+?(?<!`)\1(?!`)', '', text)


def anchors(text):
    """The anchors of a page's headings, as GitHub and GitLab make them."""
    found = set()
    for heading in re.findall(r'(?m)^#{1,6}\s+(.*?)\s*#*$', re.sub(r'(?ms)^(```|~~~).*?^\1[^\n]*$', '', text)):
        plain = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).lower()
        anchor = name = re.sub(r'[^\w\- ]', '', plain).replace(' ', '-')
        repeat = 0
        while anchor in found:
            repeat += 1
            anchor = '%s-%d' % (name, repeat)
        found.add(anchor)
    return found


def breaches(pages, exists):
    """[(page, line, what)] of {path: text}; exists(path) is about the other files."""
    found = []
    for page, text in sorted(pages.items()):
        for number, line in enumerate(without_code(text).splitlines(), 1):
            for link in LINK.findall(line):
                if re.match(r'[a-z]+:', link):
                    continue
                path, _, anchor = link.partition('#')
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if target not in pages and not exists(target):
                    found.append((page, number, 'links to %s, which does not exist' % link))
                elif anchor and (target not in pages or anchor not in anchors(pages[target])):
                    found.append((page, number, 'links to %s, which has no such heading' % link))
                elif page.startswith('docs/') and not page.startswith('docs/contribute/') and page != 'docs/README.md' and target.endswith('.md') and (
                        not target.startswith('docs/') or target.startswith('docs/contribute/')):
                    found.append((page, number, 'is installed by packages and links to %s, which is not' % link))
    index = pages.get('docs/README.md', '')
    for page in sorted(pages):
        if page.startswith('docs/') and page != 'docs/README.md':
            if '](%s)' % page[5:] not in index:
                found.append(('docs/README.md', 1, 'has no link to %s' % page))
            if page.count('/') != 2 or page.split('/')[1] not in FOLDERS:
                found.append((page, 1, 'is in none of the folders %s' % ', '.join(FOLDERS)))
    return found


def unknown_verbs(pages, dev):
    """[(page, line, what)]: verbs of ./dev in pages and in its own text that its last `case` does not have."""
    verbs = set(re.search(r'(?m)^  ([a-z |]+)\) "cmd_\$verb"', dev).group(1).split(' | '))
    return [(page, number, './dev %s is unknown' % verb) for page, text in sorted({**pages, 'dev': dev}.items())
            for number, line in enumerate(text.splitlines(), 1) for verb in re.findall(r'(?<![\w/])\./dev ([a-z]+)', line) if verb not in verbs]


def self_test():
    assert not unknown_verbs({'a.md': '`./dev run`, ./dev pack'}, 'x ./dev run\n  run | pack) "cmd_$verb"\n')
    assert unknown_verbs({'a.md': '\n`./dev walk`'}, '  run | pack) "cmd_$verb"\n') == [('a.md', 2, './dev walk is unknown')]
    pages = {'docs/README.md': '[a](guide/a.md) [b](contribute/b.md)', 'docs/guide/a.md': '# A b\n## `c`: d_e\n## A b\n[x](#a-b-1) [y](a.md#c-d_e) `[z](no.md)`\n',
             'docs/contribute/b.md': '[a](../guide/a.md)'}
    assert not breaches(pages, lambda path: False), breaches(pages, lambda path: False)
    for page, text in (('docs/guide/a.md', '[x](b.md)'), ('docs/guide/a.md', '# A\n[x](#b)'), ('docs/guide/a.md', '[x](../contribute/b.md)'),
                       ('docs/README.md', '[a](guide/a.md)'), ('docs/new.md', '')):
        assert breaches({**pages, page: text}, lambda path: False), (page, text)


def main():
    self_test()
    tracked = subprocess.run(['git', 'ls-files', '-co', '--exclude-standard'], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    pages = {}
    for path in tracked:
        if path.endswith('.md') and ('/' not in path or path.startswith('docs/')) and os.path.exists(os.path.join(ROOT, path)):
            with open(os.path.join(ROOT, path), encoding='utf-8') as file:
                pages[path] = file.read()
    found = breaches(pages, lambda path: os.path.exists(os.path.join(ROOT, path)))
    with open(os.path.join(ROOT, 'dev'), encoding='utf-8') as file:
        found += unknown_verbs(pages, file.read())
    with open(os.path.join(ROOT, 'LICENSE'), encoding='utf-8') as file:
        for text in re.findall(r'LICENSES/\S+\.txt', file.read()):
            if not os.path.exists(os.path.join(ROOT, text)):
                found.append(('LICENSE', 1, 'names %s, which does not exist' % text))
    for page, number, what in found:
        print('%s:%d: %s' % (page, number, what))
    print('docs: %d pages, %d breaches' % (len(pages), len(found)))
    return 1 if found or len(pages) < 40 else 0


if __name__ == '__main__':
    sys.exit(main())
