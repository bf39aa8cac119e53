"""The pages of the site: which files of the tree, and where each is put for the generator.

A Markdown file is a page at its own place, so that links between files stay as they are. What a
page links to comes along: a source file as a page that shows it, a directory as its README or its
list of files, anything else (a picture) as it is.
"""
import os
import posixpath
import subprocess
from urllib.parse import unquote

import github_markdown as markdown

LANGUAGES = {  # how a code page is coloured
    ".cpp": "cpp", ".h": "cpp", ".lua": "lua", ".py": "python", ".js": "js", ".json": "json",
    ".css": "css", ".html": "html", ".cmake": "cmake", ".yml": "yaml", ".go": "go", ".rs": "rust",
    ".java": "java", ".toml": "toml", ".pml": "c", ".rb": "ruby", ".sh": "bash",
}
SHOWN_AS_THEY_ARE = {".svg", ".png", ".jpg", ".gif", ".pdf", ".html"}


class DeadLinks(Exception):
    """Links that lead nowhere, a line each: the page, and the target."""


def tracked_files(root):
    """What Git knows of the tree; without Git, every file that is not built."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files"], check=True, text=True,
                                capture_output=True).stdout.splitlines()
        return {path for path in listed if os.path.isfile(os.path.join(root, path))}
    except (OSError, subprocess.CalledProcessError):
        found = set()
        for place, directories, names in os.walk(root):
            directories[:] = [d for d in directories if not d.startswith((".", "build", "runs"))]
            found.update(os.path.relpath(os.path.join(place, name), root) for name in names)
        return found


def is_first_page(path):
    """Pages that are there though nothing may link to them: README, the lessons, the book."""
    if not path.endswith(".md"):
        return False
    top = path.split("/")[0]
    return "/" not in path or top == "docs" or (top.startswith("stage") and path.count("/") == 1)


class Site:
    """Copies pages into `place`, and what they link to, until nothing is left."""

    def __init__(self, root, place):
        self.root, self.place = root, place
        self.files = tracked_files(root)
        self.directories = {posixpath.dirname(path) for path in self.files}
        for directory in list(self.directories):
            while directory:
                directory = posixpath.dirname(directory)
                self.directories.add(directory)
        self.titles = {}   # of each Markdown page
        self.pages = {}    # a path of the tree -> its path below `place`
        self.waiting = []
        self.dead = []

    def gather(self):
        """Throws DeadLinks, when it has been everywhere."""
        for path in sorted(self.files):
            if is_first_page(path):
                self.page_of(path, path)
        while self.waiting:
            self.waiting.pop()()
        if self.dead:
            raise DeadLinks("\n".join(sorted(self.dead)))

    def page_of(self, path, asked_by):
        """Where the page for `path` is or will be; `path` itself if it is not there."""
        if path in self.pages:
            return self.pages[path]
        extension = posixpath.splitext(path)[1]
        if path in self.directories and path not in self.files:
            readme = posixpath.join(path, "README.md")
            if readme in self.files:
                return self.page_of(readme, asked_by)
            return self._plan(path, posixpath.join(path, "index.md"), self._list)
        if path not in self.files:
            self.dead.append(f"{asked_by} links to {path}, which is not there")
            return path
        if extension == ".md":
            return self._plan(path, path, self._text)
        if extension in SHOWN_AS_THEY_ARE:
            return self._plan(path, path, self._copy)
        return self._plan(path, path + ".md", self._code)

    def _plan(self, path, page, make):
        self.pages[path] = page
        self.waiting.append(lambda: make(path, page))
        return page

    def _write(self, page, text):
        target = os.path.join(self.place, page)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "w", encoding="utf-8") as file:
            file.write(text)

    def _read(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
            return file.read()

    def _text(self, path, page):
        text = self._read(path)
        self.titles[path] = markdown.first_heading(text) or path
        text = markdown.with_links(text, lambda target: self._link(path, target))
        self._write(page, markdown.for_the_site(text))

    def _link(self, path, target):
        if target.startswith(("#", "http:", "https:", "mailto:", "data:")):
            return target
        address, hash_sign, anchor = target.partition("#")
        there = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(address)))
        page = self.page_of("" if there == "." else there, path)
        relative = posixpath.relpath(page, posixpath.dirname(path) or ".")
        return relative + (hash_sign + anchor if page.endswith(".md") else "")

    def _copy(self, path, page):
        target = os.path.join(self.place, page)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(os.path.join(self.root, path), "rb") as source, open(target, "wb") as copy:
            copy.write(source.read())

    def _code(self, path, page):
        text = self._read(path).rstrip("\n")
        language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
        fence = "`" * 8
        self._write(page, f"---\nsearch:\n  exclude: true\n---\n# {posixpath.basename(path)}\n\n"
                          f"`{path}`\n\n{fence}{language}\n{text}\n{fence}\n")

    def _list(self, path, page):
        inside = sorted(file for file in self.files if posixpath.dirname(file) == path)
        below = sorted({file[len(path) + 1:].split("/")[0] for file in self.files
                        if file.startswith(path + "/") and posixpath.dirname(file) != path})
        lines = [f"# {path}", ""]
        for name in below:
            there = self.page_of(posixpath.join(path, name), path)
            lines.append(f"- [{name}/]({posixpath.relpath(there, path)})")
        for file in inside:
            there = self.page_of(file, path)
            lines.append(f"- [{posixpath.basename(file)}]({posixpath.relpath(there, path)})")
        self._write(page, "\n".join(lines) + "\n")
