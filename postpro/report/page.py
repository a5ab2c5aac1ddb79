"""The parts of a page and how they are put together; what moves is in web/.

Numbers go into the page as compressed binary blobs, and a description of what is drawn from them as JSON. Everything
that a browser without scripts can show is plain HTML."""
import base64
import gzip
import json
import math
import re
from html import escape
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np
from frames import fail
from report.bundle import bundle
from report.scene import pack
from whole_file import write_whole

web = Path(__file__).resolve().parent / "web"
most_points = 4000  # of a curve


class Link(NamedTuple):
    """A cell of a table that leads to a file beside the page."""
    text: str
    to: str


class Series(NamedTuple):
    """A curve, or points without a line. Those with the same colour (a number) belong together."""
    label: str
    x: np.ndarray
    y: np.ndarray
    points: bool = False
    colour: Optional[int] = None
    dash: bool = False


def number(value, digits=6):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return str(value)


def content(value):
    """Of a cell of a table."""
    if isinstance(value, Link):
        return f'<a href="{escape(value.to)}">{escape(value.text)}</a>'
    return "–" if value is None else escape(number(value))


def cell(value):
    kind = ' class="number"' if isinstance(value, (int, float)) and not isinstance(value, bool) else ""
    return f"<td{kind}>{content(value)}</td>"


def thin(x, columns, most=most_points):
    """Columns over x with no more rows than `most`: of as many rows as go into one, the first place has the value that
    comes first of the least and the largest, the second place the other. Returns x, columns, and rows in one, or 1."""
    n = len(x)
    if n <= most:
        return x, columns, 1
    size = -(-n // (most // 2))
    count = n // size * size
    places = np.arange(0, count, size)
    rest = np.arange(count, n)  # fewer than size: as they are
    kept_x = np.concatenate([np.stack([x[places], x[places + size // 2]], axis=1).ravel(), x[rest]])
    kept = []
    for values in columns:
        bucket = values[:count].reshape(-1, size)
        gap = ~np.isfinite(bucket)
        low = np.where(gap, np.inf, bucket).argmin(axis=1)
        high = np.where(gap, -np.inf, bucket).argmax(axis=1)
        pair = np.sort(np.stack([low, high], axis=1), axis=1)
        pair[gap.any(axis=1), 0] = gap[gap.any(axis=1)].argmax(axis=1)  # what is no number stays to be seen
        kept.append(np.concatenate([np.take_along_axis(bucket, pair, axis=1).ravel(), values[rest]]))
    return kept_x, kept, size


class Report:
    """Parts in the order of the calls."""
    escape = staticmethod(escape)

    def __init__(self, title, lead=""):
        self.title = title
        self.parts = [f"<h1>{escape(title)}</h1>", *([f'<p class="lead">{escape(lead)}</p>'] if lead else [])]
        self.contents, self.figures, self.blobs = [], [], []

    def html(self, text):
        self.parts.append(text)

    def heading(self, text):
        anchor = f"part-{len(self.contents) + 1}"
        self.contents.append((anchor, text))
        self.html(f'<h2 id="{anchor}">{escape(text)}</h2>')

    def paragraph(self, text, kind=""):
        self.html(f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>")

    def note(self, text, severity):
        """A box with a word for its colour; severity: good, doubtful or absurd."""
        word = {"good": "Good", "doubtful": "Doubtful", "absurd": "Not believable"}[severity]
        self.html(f'<p class="note {severity}"><strong>{word}.</strong> {escape(text)}</p>')

    def code(self, summary, text):
        """Folded away."""
        self.html(f"<details><summary>{escape(summary)}</summary><pre tabindex=\"0\">{escape(text)}</pre></details>")

    def table(self, head, rows, caption="", folded=False):
        """Cells are text, numbers, None or Link; the first one names the row."""
        columns = "".join(f'<th scope="col">{escape(str(name))}</th>' for name in head)
        body = "".join(f'<tr><th scope="row">{content(first)}</th>{"".join(map(cell, others))}</tr>'
                       for first, *others in rows)
        name = escape(caption or "table")
        above = "" if folded or not caption else f"<caption>{name}</caption>"
        table = (f'<div class="scroll" tabindex="0" role="region" aria-label="{name}"><table>{above}'
                 f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>")
        self.html(f"<details><summary>{name}</summary>{table}</details>" if folded else table)

    def blob(self, compressed):
        """Returns its name."""
        self.blobs.append(base64.b64encode(compressed).decode())
        return len(self.blobs) - 1

    def figure(self, kind, description, label, note=""):
        """A place that web/ fills by a function of its own."""
        self.figures.append({"kind": kind, **description})
        self.html(f'<figure class="{kind}" id="figure-{len(self.figures) - 1}" aria-label="{escape(label)}">'
                  f"<figcaption>{escape(label)}{f' <small>{escape(note)}</small>' if note else ''}</figcaption>"
                  '<noscript>This needs JavaScript.</noscript></figure>')

    def plot(self, title, series, x="", y="", log_x=False, log_y=False, together="", note=""):
        """Curves over x. Plots with the same `together` show the same range of x."""
        tables, arrays, thinned = [], [], 1
        for group in grouped(series):
            places, columns = np.asarray(group[0].x, float), [np.asarray(s.y, float) for s in group]
            order = np.argsort(places, kind="stable")
            places, columns, size = thin(places[order], [c[order] for c in columns],
                                         len(places) if group[0].points else most_points)
            thinned = max(thinned, size)
            arrays += [places, *columns]
            tables.append({"rows": len(places), "series": [
                {"label": s.label, "points": s.points, "colour": s.colour, "dash": s.dash} for s in group]})
        if thinned > 1:
            note = f"{note} Least and largest of {thinned} lines at a time.".strip()
        numbers = gzip.compress(b"".join(a.tobytes() for a in arrays), 6, mtime=0)
        self.figure("plot", {"tables": tables, "blob": self.blob(numbers), "x": x, "y": y, "log_x": log_x,
                             "log_y": log_y, "together": together}, title, note)

    def player(self, title, scene, megabytes=6, waits=False):
        """The frames of a run, see scene.py; `waits`: until it is asked for."""
        description, blobs, notes = pack(scene, megabytes)
        description["blobs"] = {name: self.blob(data) for name, data in blobs.items()}
        self.figure("player", {**description, "waits": waits}, title, " ".join(notes))

    def write(self, path):
        """Returns the size of the file in bytes."""
        links = "".join(f'<a href="#{anchor}">{escape(text)}</a>' for anchor, text in self.contents)
        fields = {"title": escape(self.title), "style": (web / "style.css").read_text(), "contents": links,
                  "body": "\n".join(self.parts), "script": bundle(),
                  "data": json.dumps(plain({"figures": self.figures}), allow_nan=False).replace("<", "\\u003c"),
                  "blobs": "\n".join(f'<script type="text/plain" id="blob-{k}">{text}</script>'
                                     for k, text in enumerate(self.blobs))}
        page = re.sub("@([a-z]+)@", lambda field: fields[field[1]], (web / "page.html").read_text())
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            fail(f"cannot write {path}: {error.strerror}.")
        write_whole(path, page)
        return len(page.encode())


def grouped(series):
    """Series over the same x share a table."""
    groups = []
    for s in series:
        if groups and not s.points and groups[-1][0].x is s.x and not groups[-1][0].points:
            groups[-1].append(s)
        else:
            groups.append([s])
    return groups


def plain(value):
    """What JSON knows: numbers of numpy are others, and what is no number is null."""
    if isinstance(value, dict):
        return {key: plain(of) for key, of in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(of) for of in value]
    value = value.item() if hasattr(value, "item") else value
    return None if isinstance(value, float) and not math.isfinite(value) else value
