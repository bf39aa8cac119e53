"""./lab site: the book as a folder of static pages, which work from the disk, too.

Gathers the Markdown files of the tree and what they link to, has MkDocs make pages of them
(Debian's packages mkdocs and mkdocs-material), and adds the report, the field's table, and a search
that needs no server. Exit code 2: nothing was made, and one sentence says why.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

import links  # noqa: E402
import navigation  # noqa: E402
import pages  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


class CannotBuild(Exception):
    """One sentence for a person."""


def settings(site, place, out, moving):
    """MkDocs' settings. JSON is YAML; the one line that is not says how anchors are made."""
    palette = [
        {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo",
         "toggle": {"icon": "material/weather-night", "name": "Dark"}},
        {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo",
         "toggle": {"icon": "material/weather-sunny", "name": "Light"}}]
    theme = {"name": "material", "custom_dir": os.path.join(HERE, "theme"), "font": False,
             "palette": palette, "icon": {"logo": "material/lock-outline"},
             "features": ["navigation.tabs", "navigation.top", "toc.follow"]}
    extra = {"generator": False}
    if "README.zh.md" in site.titles:
        extra["alternate"] = [{"name": "English", "link": "index.html", "lang": "en"},
                              {"name": "中文", "link": "README.zh.html", "lang": "zh"}]
    whole = {"site_name": "redis-lock-lab", "docs_dir": place, "site_dir": out, "strict": True,
             "use_directory_urls": False, "theme": theme, "extra": extra,
             "plugins": ["search"], "extra_css": ["assets/site.css"],
             "extra_javascript": ["assets/search-index.js", "assets/search.js"],
             "nav": navigation.menu(site, moving)}
    extensions = ["tables", "md_in_html", "attr_list", "pymdownx.superfences", "pymdownx.highlight",
                  "pymdownx.details"]
    return (json.dumps(whole, ensure_ascii=False)[:-1] + ', "markdown_extensions": ' +
            json.dumps(extensions)[:-1] +
            ', {"toc": {"permalink": true, "slugify": !!python/name:github_markdown.slug }}]}')


def moving_pages(place, report, field, chinese_field):
    """Pages that lead to those which a program made; their titles."""
    titles = {}
    for name, source, title, about, opens in (
            ("what-survives-what", report, "What survives what",
             "Every stage against every scenario: click a cell, and see its timeline. Below the"
             " table you play the network: you choose what happens next. It is all one page, and"
             " needs no network.", "Open the page"),
            ("other-locks", field, "Locks that other people wrote",
             "Which scenarios break the locks that people use, and what each red cell shows.",
             "Open the page"),
            ("other-locks.zh", chinese_field, "别人写的锁",
             "大家在用的锁，哪些场景能弄坏它；每个红格子都附上原因和时间线。", "打开页面")):
        if source is None:
            continue
        os.makedirs(os.path.join(place, "try"), exist_ok=True)
        shutil.copyfile(source, os.path.join(place, "try", name + "-page.html"))
        with open(os.path.join(place, "try", name + ".md"), "w", encoding="utf-8") as page:
            page.write(f"# {title}\n\n{about}\n\n"
                       f"[{opens}]({name}-page.html){{ .md-button .md-button--primary }}\n")
        titles[f"try/{name}.md"] = title
    return titles


def run_mkdocs(config, place):
    environment = dict(os.environ, PYTHONPATH=HERE, PYTHONDONTWRITEBYTECODE="1")
    # The distribution's, whatever else is first on the path.
    mkdocs = ["/usr/bin/mkdocs"] if os.path.exists("/usr/bin/mkdocs") else ["mkdocs"]
    try:
        done = subprocess.run([*mkdocs, "build", "--strict", "--config-file", config],
                              env=environment, cwd=place, text=True, capture_output=True)
    except OSError as error:
        raise CannotBuild("mkdocs is not there; install the packages mkdocs and mkdocs-material"
                          ) from error
    if done.returncode != 0:
        said = [line for line in (done.stdout + done.stderr).splitlines()
                if "WARN" in line or "ERROR" in line]
        raise CannotBuild("mkdocs made no pages:\n" + "\n".join(said))


def plain(text):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text)).replace("¶", "").strip()


def add_search(out, without):
    """The index as a script: a page from the disk may load that, and no JSON. Has the sections of
    every page but those in `without`, and the whole page only if it has none."""
    with open(os.path.join(out, "search", "search_index.json"), encoding="utf-8") as file:
        found = json.load(file)["docs"]
    with_sections = {one["location"].split("#")[0] for one in found if "#" in one["location"]}
    entries = [[one["location"], plain(one["title"]), plain(one["text"])] for one in found
               if one["location"].split("#")[0] not in without
               and one["location"] not in with_sections]
    with open(os.path.join(out, "assets", "search-index.js"), "w", encoding="utf-8") as file:
        file.write("window.searchIndex = " + json.dumps(entries, ensure_ascii=False) + ";\n")
    shutil.rmtree(os.path.join(out, "search"))


def build(root, out, report, field, chinese_field):
    with tempfile.TemporaryDirectory() as work:
        place = os.path.join(work, "pages")
        site = pages.Site(root, place)
        site.gather()
        moving = moving_pages(place, report, field, chinese_field)
        shutil.copytree(os.path.join(HERE, "theme", "assets"), os.path.join(place, "assets"))
        with open(os.path.join(place, "assets", "search-index.js"), "w", encoding="utf-8"):
            pass  # a place for it; add_search() fills it
        config = os.path.join(work, "mkdocs.yml")
        made = os.path.join(work, "site")
        with open(config, "w", encoding="utf-8") as file:
            file.write(settings(site, place, made, moving))
        run_mkdocs(config, work)
        code = {page[:-len(".md")] + ".html" for path, page in site.pages.items() if page != path}
        add_search(made, code)
        dead = links.dead_links(made)
        if dead:
            raise CannotBuild("\n".join(dead))
        put_in_place(made, out)
        return len(site.pages)


def put_in_place(made, out):
    """Moves the site `made` to `out`. An earlier one stays there until the new one is whole."""
    parent = os.path.dirname(out)
    os.makedirs(parent, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=os.path.basename(out) + ".", dir=parent) as beside:
        new, old = os.path.join(beside, "new"), os.path.join(beside, "old")
        shutil.move(made, new)  # may come from another disk, which takes time
        if os.path.exists(out):
            os.rename(out, old)
        try:
            os.rename(new, out)
        except OSError:
            if os.path.exists(old):
                os.rename(old, out)
            raise


def place_of(out):
    """The absolute path of `out`, without symlinks. Raises CannotBuild if a site may not be put
    there: nothing but a site of ours is replaced."""
    if not out:
        raise CannotBuild("--out needs a folder")
    out = os.path.realpath(out)
    if os.path.exists(out) and not os.path.isdir(out):
        raise CannotBuild(f"{out} is a file: choose another --out")
    if os.path.isdir(out) and os.listdir(out) and not os.path.exists(
            os.path.join(out, "assets", "search-index.js")):
        raise CannotBuild(f"{out} is not a site that ./lab site made: choose another --out")
    parent = os.path.dirname(out)
    while not os.path.exists(parent):
        parent = os.path.dirname(parent)
    if not os.path.isdir(parent) or not os.access(parent, os.W_OK | os.X_OK):
        raise CannotBuild(f"{parent} cannot be written: choose another --out")
    return out


def main():
    parser = argparse.ArgumentParser(prog="lab site", description=__doc__)
    parser.add_argument("--out", default=os.path.join(ROOT, "site"))
    parser.add_argument("--check-out", action="store_true",
                        help="write nothing: say only whether --out is a place for a site")
    parser.add_argument("--report", help="the page that ./lab report wrote")
    parser.add_argument("--field", help="the page that ./lab field run --html wrote")
    parser.add_argument("--field-zh", help="the same in Chinese")
    parser.add_argument("--root", default=ROOT, help=argparse.SUPPRESS)
    choice = parser.parse_args()
    try:
        out = place_of(choice.out)
        if choice.check_out:
            return 0
        count = build(choice.root, out, choice.report, choice.field, choice.field_zh)
    except (CannotBuild, pages.DeadLinks, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"wrote {count} pages; open {os.path.join(choice.out, 'index.html')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
