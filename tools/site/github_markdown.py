"""Markdown as GitHub reads it, made into Markdown as the generator of the site reads it.

The two differ in how far the inside of a list is indented, in where a blank line is needed, and in
what is read inside <details>. Pure functions.
"""
import re
import unicodedata

FENCE = re.compile(r"^\s*(```|~~~)")
MARKER = re.compile(r"^(\s*)([-*+]|\d+[.)])(\s+)(?=\S)")
TABLE_RULE = re.compile(r"^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)+\|?\s*$")
STEP = 4  # how far the generator wants a list's inside to be indented


def lines_with_kind(text):
    """Each line, and whether it is inside a fenced block (its two fences included)."""
    fence = None
    for line in text.splitlines():
        match = FENCE.match(line)
        if fence is None and match:
            fence = match.group(1)
            yield line, True
        elif fence is not None:
            yield line, True
            if match and match.group(1) == fence and line.strip() == fence:
                fence = None
        else:
            yield line, False


class Lists:
    """Follows a text's lists line by line: how far each line is to be indented."""

    def __init__(self):
        self.contents = []  # of each list that is open: the column of its items' text

    def indented(self, line, in_fence):
        if not line.strip():
            return line
        column = len(line) - len(line.lstrip(" "))
        marker = None if in_fence else MARKER.match(line)
        while self.contents and column < self.contents[-1]:
            self.contents.pop()
        depth = len(self.contents)
        beyond = max(0, column - self.contents[-1]) if self.contents else column
        if marker and beyond < STEP:
            self.contents.append(len(marker.group(0)))
            return " " * (STEP * depth) + line.lstrip(" ")
        return " " * (STEP * depth + beyond) + line.lstrip(" ")


def needs_blank_before(line, following, before, in_list):
    """Would the generator take `line` for a part of the paragraph in `before`?"""
    if not before.strip():
        return False
    if before.startswith("<!--") or line.startswith("<!--"):
        return True
    if MARKER.match(line) and not in_list and not MARKER.match(before):
        return line[0] in "-*+" or line.startswith("1.")
    is_table = "|" in line and following is not None and TABLE_RULE.match(following)
    return bool(is_table)


def for_the_site(text):
    """The same text for the generator. Lines of fenced blocks keep their words."""
    lines = list(lines_with_kind(text))
    lists = Lists()
    result = []
    for i, (line, in_fence) in enumerate(lines):
        before = lines[i - 1][0] if i else ""
        following = lines[i + 1][0] if i + 1 < len(lines) else None
        before_is_fence = i > 0 and lines[i - 1][1]
        opens_fence = in_fence and not before_is_fence
        in_list = bool(lists.contents) and before.strip() != ""
        if not in_fence and not before_is_fence and needs_blank_before(
                line, following, before, in_list):
            result.append("")
        if opens_fence and before.startswith("<!--"):
            result.append("")
        indented = lists.indented(line, in_fence)
        result.append(indented.replace("<details>", '<details markdown="1">'))
    return "\n".join(result) + "\n"


def slug(title, separator="-"):
    """The anchor that GitHub gives a heading."""
    kept = [c for c in title.strip().lower()
            if c in "-_ " or unicodedata.category(c)[0] in "LNM"]
    return "".join(kept).replace(" ", separator)


LINK = re.compile(r"(\]\()([^()\s]+(?:\([^()\s]*\))?)((?:\s+\"[^\"]*\")?\))")
ATTRIBUTE = re.compile(r"((?:src|href|srcset)=\")([^\"]+)(\")")
REFERENCE = re.compile(r"^(\[[^\]]+\]:\s+)(\S+)()$")


def with_links(text, change):
    """`text` with each link's target replaced by change(target). Code stays as it is."""
    def replace(match):
        return match.group(1) + change(match.group(2)) + match.group(3)

    result = []
    for line, in_fence in lines_with_kind(text):
        if not in_fence:
            parts = re.split(r"(`[^`]*`)", line)
            for i in range(0, len(parts), 2):
                for pattern in (LINK, ATTRIBUTE, REFERENCE):
                    parts[i] = pattern.sub(replace, parts[i])
            line = "".join(parts)
        result.append(line)
    return "\n".join(result) + "\n"


def first_heading(text):
    """The title of a page, without what makes code and links of its words."""
    for line, in_fence in lines_with_kind(text):
        if not in_fence and line.startswith("# "):
            words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", line[2:])
            return words.replace("`", "").strip()
    return None
