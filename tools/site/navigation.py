"""The site's menu. The book's parts are the headings of docs/README.md and docs/zh/README.md."""
import posixpath
import re

PICTURES = "docs/pictures/README.md"
ITEM = re.compile(r"\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)#\s]+\.md)(?:#[^)]*)?\)")


def linked_pages(text, directory):
    """The Markdown pages that `text` links to, once each, in their order."""
    found = []
    for match in ITEM.finditer(text):
        path = posixpath.normpath(posixpath.join(directory, match.group(1)))
        if path not in found and not path.startswith(".."):
            found.append(path)
    return found


def parts_of_book(text, directory):
    """[heading, pages] of each second heading with a link; what is before the first has none."""
    pieces = re.split(r"^## +(.+)$", text, flags=re.MULTILINE)
    parts = [("", linked_pages(pieces[0], directory))]
    for i in range(1, len(pieces) - 1, 2):
        parts.append((pieces[i].strip(), linked_pages(pieces[i + 1], directory)))
    return [(heading, pages) for heading, pages in parts if pages]


def book_menu(site, readme, other):
    """The book's menu: a section for each part; a page stands in the first part that names it.
    `other` is the heading for pages of that directory that no part names."""
    directory = posixpath.dirname(readme)
    parts = parts_of_book(site._read(readme), directory)
    with_headings = [part for part in parts if part[0]]
    if with_headings:
        parts = with_headings
    seen, menu = {readme}, [{site.titles[readme]: readme}]
    for heading, pages in parts:
        own = [page for page in pages
               if page not in seen and posixpath.dirname(page) == directory and page in site.titles]
        seen.update(own)
        entries = [{site.titles[page]: page} for page in own]
        menu += [{heading: entries}] if heading and entries else entries
    left = sorted(page for page in site.titles
                  if posixpath.dirname(page) == directory and page not in seen)
    if left:
        menu.append({other: [{site.titles[page]: page} for page in left]})
    return menu


def lessons(site, name):
    return [{site.titles[page]: page} for page in sorted(site.titles)
            if re.fullmatch(rf"stage\d+_[^/]+/{re.escape(name)}", page)]


def menu(site, moving):
    """The whole menu, as the generator wants it; `moving` are the pages that move, by title."""
    english, chinese_moving = ([{title: page} for page, title in moving.items()
                                if page.endswith(".zh.md") == is_chinese]
                               for is_chinese in (False, True))
    whole = [{"Home": "README.md"}, {"Stages": lessons(site, "README.md")},
             {"Book": book_menu(site, "docs/README.md", "More")},
             {"Try it": english +
                        [{site.titles[page]: page} for page in [PICTURES] if page in site.titles]}]
    whole = [part for part in whole if list(part.values()) != [[]]]
    if "README.zh.md" in site.titles:
        chinese = [{"首页": "README.zh.md"}, {"八个阶段": lessons(site, "README.zh.md")}]
        if "docs/zh/README.md" in site.titles:
            chinese.append({"书": book_menu(site, "docs/zh/README.md", "其他")})
        whole.append({"中文": chinese + ([{"动手试": chinese_moving}] if chinese_moving else [])})
    return whole
