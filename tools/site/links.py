"""Finds links between the pages of a site that lead nowhere: no such file, or no such heading."""
import os
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What a page links to, and what can be linked to in it."""

    def __init__(self, text):
        super().__init__()
        self.targets, self.anchors = set(), {"", "__top"}
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.add(value)
            if name in ("id", "name") and value:
                self.anchors.add(value)


def read_pages(site):
    pages = {}
    for directory, _, names in os.walk(site):
        for name in names:
            if name.endswith(".html") and not name.endswith("-page.html") and name != "404.html":
                path = os.path.join(directory, name)
                with open(path, encoding="utf-8") as file:
                    pages[path] = Page(file.read())
    return pages


def dead_links(site):
    """A sentence for each dead link."""
    pages, dead = read_pages(site), []
    for path, page in sorted(pages.items()):
        for target in sorted(page.targets):
            address = urlsplit(target)
            if address.scheme or address.netloc or target.startswith("/"):
                continue
            there = path if not address.path else os.path.normpath(
                os.path.join(os.path.dirname(path), unquote(address.path)))
            if os.path.isdir(there):
                there = os.path.join(there, "index.html")
            anchor = unquote(address.fragment)
            if not os.path.exists(there):
                dead.append(f"{os.path.relpath(path, site)} links to {target}, which is not there")
            elif there in pages and anchor not in pages[there].anchors:
                dead.append(f"{os.path.relpath(path, site)} links to {target}: no such heading")
    return dead
