#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the relative links of all Markdown files below a directory lead to files and headings that exist.

usage: scripts/check-links.py [DIRECTORY]
"""
import re
import sys
from pathlib import Path

LINK = re.compile(r"\]\(([^)\s]+)\)")
IGNORED = {".git", "build", "target", "node_modules"}


def text_of(page):
    """Returns a page without its blocks of code, in which brackets are no links."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.M | re.S)


def anchors(page):
    """Returns the anchors that GitHub gives to the headings of a page."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text_of(page), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower()
        base = re.sub(r"[^\w\- ]", "", plain).strip().replace(" ", "-")
        anchor, count = base, 0
        while anchor in found:
            count += 1
            anchor = f"{base}-{count}"
        found.add(anchor)
    return found


def broken(page, root):
    """Yields the links of a page that lead nowhere, or out of the directory."""
    for link in LINK.findall(text_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.resolve().is_relative_to(root) and not target.is_symlink():
            yield link
        elif not target.exists() and not target.is_symlink():
            yield link
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield link


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent).resolve()
    pages = [p for p in root.rglob("*.md") if not IGNORED.intersection(p.relative_to(root).parts)]
    if not pages:
        sys.exit(f"check-links: {root} has no Markdown files")
    problems = [f"{page.relative_to(root)}: {link}" for page in sorted(pages) for link in broken(page, root)]
    for problem in problems:
        print(f"check-links: leads nowhere: {problem}", file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
