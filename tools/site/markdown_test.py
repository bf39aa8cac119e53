"""Tests of what build.py stands on; `python3 tools/site/markdown_test.py`. Nothing is installed."""
import os
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import build  # noqa: E402
import github_markdown as markdown  # noqa: E402
import links  # noqa: E402
import navigation  # noqa: E402
import pages  # noqa: E402


class Markdown(unittest.TestCase):
    def test_a_list_inside_a_list_is_indented_by_four(self):
        self.assertEqual(markdown.for_the_site("- a\n  - b\n    - c\n"),
                         "- a\n    - b\n        - c\n")

    def test_a_block_inside_a_numbered_item_goes_with_it(self):
        text = "1. do\n\n   ```sh\n   ./lab\n   ```\n"
        self.assertEqual(markdown.for_the_site(text), "1. do\n\n    ```sh\n    ./lab\n    ```\n")

    def test_a_list_after_a_paragraph_gets_a_blank_line(self):
        self.assertEqual(markdown.for_the_site("words:\n- a\n- b\n"), "words:\n\n- a\n- b\n")

    def test_a_table_after_a_comment_gets_a_blank_line(self):
        text = "<!-- table -->\n| a | b |\n|---|---|\n"
        self.assertEqual(markdown.for_the_site(text), text.replace("-->\n", "-->\n\n"))

    def test_a_comment_is_a_block_of_its_own(self):
        self.assertEqual(markdown.for_the_site("<!-- end -->\n**words**\n"),
                         "<!-- end -->\n\n**words**\n")

    def test_code_stays_as_it_is(self):
        text = "```text\nwords\n- a\n| a |\n|---|\n```\n"
        self.assertEqual(markdown.for_the_site(text), text)

    def test_an_anchor_is_as_on_github(self):
        self.assertEqual(markdown.slug("What `SET` does, and why: 2 steps", "-"),
                         "what-set-does-and-why-2-steps")
        self.assertEqual(markdown.slug("什么是红锁？", "-"), "什么是红锁")

    def test_links_are_changed_and_code_is_not(self):
        text = "[a](x.md) `[b](y.md)` [`c`](z.md)\n```\n[d](w.md)\n```\n"
        self.assertEqual(markdown.with_links(text, lambda target: "!" + target),
                         "[a](!x.md) `[b](y.md)` [`c`](!z.md)\n```\n[d](w.md)\n```\n")


class Gathering(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.addCleanup(self.work.cleanup)

    def write(self, path, text):
        path = os.path.join(self.work.name, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def gathered(self):
        site = pages.Site(self.work.name, os.path.join(self.work.name, "build-pages"))
        site.gather()
        return site

    def test_a_linked_source_file_becomes_a_page(self):
        self.write("README.md", "# Home\n[lock](stage1_a/lock.cpp), [all](stage1_a/)\n")
        self.write("stage1_a/lock.cpp", "int lock;\n")
        site = self.gathered()
        self.assertEqual(site.pages["stage1_a/lock.cpp"], "stage1_a/lock.cpp.md")
        self.assertEqual(site.pages["stage1_a"], "stage1_a/index.md")

    def test_a_dead_link_is_an_error(self):
        self.write("README.md", "[gone](docs/gone.md)\n")
        with self.assertRaisesRegex(pages.DeadLinks, "README.md links to docs/gone.md"):
            self.gathered()

    def test_the_books_parts_are_headings(self):
        self.write("docs/README.md",
                   "# Book\n## For readers\n- [Q](a.md)\n## Appendix\n- [R](b.md)\n")
        self.write("docs/a.md", "# A\n")
        self.write("docs/b.md", "# B\n")
        self.write("docs/c.md", "# C\n")
        self.assertEqual(navigation.book_menu(self.gathered(), "docs/README.md", "More"),
                         [{"Book": "docs/README.md"}, {"For readers": [{"A": "docs/a.md"}]},
                          {"Appendix": [{"B": "docs/b.md"}]}, {"More": [{"C": "docs/c.md"}]}])

    def test_a_chinese_page_is_in_the_chinese_menu(self):
        self.write("README.md", "# Home\n[book](docs/README.md)\n")
        self.write("README.zh.md", "# 首页\n")
        self.write("docs/README.md", "# Book\n")
        menu = navigation.menu(self.gathered(), {"try/a.md": "A", "try/a.zh.md": "甲"})
        self.assertIn({"Try it": [{"A": "try/a.md"}]}, menu)
        self.assertEqual(menu[-1]["中文"][-1], {"动手试": [{"甲": "try/a.zh.md"}]})


class Out(unittest.TestCase):
    """Where the site goes."""
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = os.path.realpath(work.name)
        self.out = os.path.join(self.work, "out")

    def make_site(self, path, text):
        os.makedirs(os.path.join(path, "assets"))
        with open(os.path.join(path, "assets", "search-index.js"), "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def text_of(self, path):
        with open(os.path.join(path, "assets", "search-index.js"), encoding="utf-8") as file:
            return file.read()

    def refuses(self, out, sentence):
        with self.assertRaisesRegex(build.CannotBuild, sentence):
            build.place_of(out)

    def test_an_empty_name_is_not_the_current_directory(self):
        self.refuses("", "needs a folder")

    def test_a_file_is_refused(self):
        with open(self.out, "w", encoding="utf-8"):
            pass
        self.refuses(self.out, "is a file")
        self.refuses(os.path.join(self.out, "below"), "cannot be written")

    def test_a_folder_that_is_not_a_site_is_refused(self):
        self.refuses(self.work + "/..", "is not a site")

    def test_a_symlink_stays(self):
        site = self.make_site(os.path.join(self.work, "site"), "old")
        os.symlink(site, self.out)
        build.put_in_place(self.make_site(self.work + "/made", "new"), build.place_of(self.out))
        self.assertTrue(os.path.islink(self.out))
        self.assertEqual(self.text_of(self.out), "new")
        self.assertEqual(sorted(os.listdir(self.work)), ["out", "site"])

    def test_an_earlier_site_stays_if_the_new_one_cannot_come(self):
        self.make_site(self.out, "old")
        with self.assertRaises(OSError):
            build.put_in_place(os.path.join(self.work, "absent"), self.out)
        self.assertEqual(self.text_of(self.out), "old")
        self.assertEqual(os.listdir(self.work), ["out"])

    def test_an_earlier_site_comes_back_if_the_new_one_cannot_take_its_place(self):
        self.make_site(self.out, "old")
        made = self.make_site(os.path.join(self.work, "made"), "new")
        rename = os.rename

        def refuse_new(source, target):
            if os.path.basename(source) == "new":
                raise OSError("no room")
            rename(source, target)

        with mock.patch.object(build.os, "rename", refuse_new), mock.patch.object(
                build.shutil, "move", rename), self.assertRaises(OSError):
            build.put_in_place(made, self.out)
        self.assertEqual(self.text_of(self.out), "old")

    def test_a_new_folder_is_made_with_those_above(self):
        out = build.place_of(os.path.join(self.out, "below"))
        build.put_in_place(self.make_site(os.path.join(self.work, "made"), "new"), out)
        self.assertEqual(self.text_of(out), "new")


class DeadLinks(unittest.TestCase):
    def test_names_page_and_target(self):
        with tempfile.TemporaryDirectory() as site:
            with open(os.path.join(site, "index.html"), "w", encoding="utf-8") as file:
                file.write('<h1 id="here"></h1><a href="#here"></a><a href="#gone"></a>'
                           '<a href="b.html"></a><a href="https://example.org/x"></a>')
            self.assertEqual(links.dead_links(site),
                             ["index.html links to #gone: no such heading",
                              "index.html links to b.html, which is not there"])


if __name__ == "__main__":
    unittest.main()
