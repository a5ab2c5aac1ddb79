"""A page about a run, or about several side by side: what was run and how it went, its frames and its histories."""
import os
import re
import sys
from pathlib import Path
from urllib.parse import quote

import numpy as np
from frames import fail, read_frames
from model_program import Arguments
from report import Link, Report, Series
from report.run import Run, description, source
from report.scene import Empty, Scene

most_rows = 200  # of a table


def find(word):
    """A folder, or that of the last run of a model."""
    if "/" in word or Path(word).exists():
        return Path(word)
    if not (Path("out") / word).is_dir():
        fail(f"there is no folder {word}, and no run of a model of that name in out: 'tamis run {word}' makes one.")
    return Path("out") / word


def name_runs(runs):
    """Different names, as short as can be: the ends of their folders."""
    parts = [run.folder.resolve().parts for run in runs]
    for depth in range(1, max(map(len, parts)) + 1):
        names = ["/".join(p[-depth:]) for p in parts]
        if len(set(names)) == len(runs):
            break
    for run, name in zip(runs, names):
        run.name = name


# --- What was run, and how it went ------------------------------------------------------------------------


def about(page, runs):
    page.heading("Run" if len(runs) == 1 else "Runs")
    for model in dict.fromkeys(run.model for run in runs if run.model):
        text = source(model)
        comment = re.match(r"(?:^//.*\n)+", text, re.M)
        if comment:
            page.html('<pre tabindex="0" class="sketch">' + page.escape(
                re.sub(r"^// ?", "", comment[0], flags=re.M).rstrip()) + "</pre>")
        if text:
            page.code(f"the model as it is now: models/{model}.cpp", text)
    keys = ["status", "command", "version", "commit", "compiler", "host", "started", "ended"]
    page.table(["", *(run.name for run in runs)], [[key, *(run.get(key) for run in runs)] for key in keys])
    options = {run.name: run.get("parameters") or {} for run in runs}
    names = list(dict.fromkeys(name for values in options.values() for name in values))
    rows = [[name, *(values.get(name) for values in options.values())] for name in names]
    if len(runs) > 1:
        differ = [row for row in rows if len(set(map(str, row[1:]))) > 1 and row[0] != "out"]
        page.table(["option", *options], differ, "Options that differ") if differ else \
            page.paragraph("All options are the same.")
    if rows:
        page.table(["option", *options], rows, "All options", folded=True)


def verdict(page, run, several):
    """Findings that matter in words, those that are good folded away."""
    prefix = f"{run.name}: " if several else ""
    for problem in run.problems:
        page.note(prefix + problem, "doubtful")
    if run.status == "running":
        page.note(f"{prefix}The run is still going, or was killed: this is what it has written by now.", "doubtful")
    elif run.status.startswith("failed"):
        page.note(f"{prefix}The run {run.status}", "absurd")
    elif run.status not in ("finished", "unknown"):
        page.note(f"{prefix}The run ended before its end: {run.status}.", "doubtful")
    findings = run.get("verdict", "findings") or []
    for finding in findings:
        if finding.get("severity") in ("doubtful", "absurd"):
            page.note(prefix + str(finding.get("sentence")), finding["severity"])
    bad, at = run.get("iterations", "steps_not_converged"), run.get("iterations", "not_converged_at_s") or []
    if bad:
        times = ", ".join(f"{t:g}" for t in at[:12])
        page.paragraph(f"{prefix}{bad} of {run.get('steps')} steps did not converge" +
                       (f", at t = {times}{', ...' if bad > 12 else ''} s." if at else "."))
    for note in run.get("notes") or []:
        page.paragraph(f"{prefix}{note}")
    believable = run.get("verdict", "believable")
    if believable == "yes":
        page.note(f"{prefix}All {len(findings)} findings on the run are good.", "good")
    if findings:
        page.table(["finding", "severity", "value", "doubtful beyond", "absurd beyond", ""],
                   [[f.get(k) for k in ("name", "severity", "value", "doubtful_beyond", "absurd_beyond", "sentence")]
                    for f in findings], f"{prefix}Findings", folded=True)


# --- Histories --------------------------------------------------------------------------------------------


def stem(name):
    """What columns of one panel have alike: theta1 and theta2, force_x and force_y."""
    return re.sub(r"(_?[xyz]|_?\d+)$", "", name)


def histories(page, runs):
    recorded = [run for run in runs if len(run.columns.get("t", [])) > 1]
    if not recorded:
        page.paragraph("There are no histories, or they have no two lines yet.")
        return
    page.paragraph("Drag over a plot to enlarge a part of it, double click for the whole. A name below a plot hides "
                   "and shows its curve.")
    if len(runs) == 1:
        run, groups = runs[0], {}
        for name in run.records:
            groups.setdefault((run.unit(name), stem(name)), []).append(name)
        for (unit, _), names in groups.items():
            plot(page, ", ".join(names), [Series(name, run.columns["t"], run.columns[name]) for name in names], unit)
        return
    for name in dict.fromkeys(name for run in recorded for name in run.records):
        having = [(k, run) for k, run in enumerate(runs) if run in recorded and name in run.columns]
        plot(page, name, [Series(run.name, run.columns["t"], run.columns[name], colour=k) for k, run in having],
             having[0][1].unit(name))


def plot(page, title, series, unit, **more):
    finite = [s for s in series if np.any(np.isfinite(s.y))]
    absent = [s.label for s in series if not np.any(np.isfinite(s.y))]
    note = f"{', '.join(absent)}: never a number." if absent else ""
    if finite:
        page.plot(title, finite, x="t [s]", y=f"[{unit}]" if unit else "", together="t", note=note, **more)
    else:
        page.paragraph(f"{title} is never a number.")


# --- The solver -------------------------------------------------------------------------------------------


def solver(page, runs):
    several = len(runs) > 1
    grains = [(k, run) for k, run in enumerate(runs) if run.has_grains and len(run.columns["t"]) > 1]
    for title, names, unit, log in (("Residuals", ["residual_rms", "residual_max", "wrench_change"], "", True),
                                    ("Sweeps in a step", ["sweeps"], "", False),
                                    ("Contacts", ["contacts"], "", False),
                                    ("Violation and penetration", ["violation", "penetration"], "m", True)):
        if not grains:
            break
        series = [Series(f"{name}, {run.name}" if several else name, run.columns["t"], run.columns[name],
                         colour=k if several else None, dash=several and name != names[0])
                  for k, run in grains for name in names if name in run.columns]
        if title == "Residuals":
            series += unconverged(grains)
            for tolerance in {run.get("parameters", "tolerance") for _, run in grains} - {None}:
                ends = np.array([min(run.columns["t"][0] for _, run in grains),
                                 max(run.columns["t"][-1] for _, run in grains)])
                series.append(Series(f"tolerance {tolerance:g}", ends, np.full(2, tolerance), colour=6, dash=True))
        plot(page, title, series, unit, log_y=log)
    pace = [Series(run.name if several else "pace", *found, colour=k) for k, run in enumerate(runs)
            if (found := pace_of(run))]
    if pace:
        page.plot("Seconds of work for a simulated second", pace, x="t [s]", y="s / s", together="t")
    phases = list(dict.fromkeys(p for run in runs for p in run.get("seconds") or {} if p != "total"))
    if phases:
        rows = [[phase, *(share(run, phase) for run in runs)] for phase in phases]
        rows.append(["total", *(run.get("seconds", "total") for run in runs)])
        page.table(["phase", *(f"{run.name}, s" for run in runs)], rows, "Time by phase")
    else:
        page.paragraph("There is no timing.")


def unconverged(grains):
    """Points where steps did not converge, as high as the largest residual there."""
    found = []
    for _, run in grains:
        at, t = np.array(run.get("iterations", "not_converged_at_s") or [], float), run.columns["t"]
        if len(at):
            row = np.clip(np.searchsorted(t, at - 1e-12 * max(t[-1], 1)), 0, len(t) - 1)
            found.append(Series(f"not converged, {run.name}", at, run.columns["residual_max"][row], True, 1))
    return found


def share(run, phase):
    seconds, total = run.get("seconds", phase), run.get("seconds", "total")
    return f"{seconds:.3g} ({100 * seconds / total:.0f} %)" if seconds is not None and total else None


def pace_of(run):
    """Times and seconds of work for a simulated second, of the part of a run that one program has made; or nothing."""
    t, work = (np.array(run.get("pace", name) or [], float) for name in ("t_s", "work_s"))
    if len(t) < 2 or len(t) != len(work):
        return None
    return (t[1:] + t[:-1]) / 2, np.diff(work) / np.diff(t)


# --- The rest ---------------------------------------------------------------------------------------------


def flat(value, path=""):
    """{"energy / end_J": value, ...}"""
    if not isinstance(value, dict):
        return {path: ", ".join(map(str, value[:12])) + (", ..." if len(value) > 12 else "")
                if isinstance(value, list) else value}
    return {k: v for key, inner in value.items()
            for k, v in flat(inner, f"{path} / {key}" if path else key).items()}


def numbers(page, runs):
    told = {"columns", "parameters", "verdict", "notes", "seconds", "pace", "status", "command", "version", "commit",
            "compiler", "host", "started", "ended"}
    values = [flat({k: v for k, v in run.summary.items() if k not in told}) for run in runs]
    names = list(dict.fromkeys(name for v in values for name in v))
    results = [name for name in names if name.startswith("results / ")]
    for part, caption, folded in ((results, "Results", False),
                                  ([n for n in names if n not in results], "Numbers of the run", False)):
        if part:
            page.table(["", *(run.name for run in runs)],
                       [[name.removeprefix("results / "), *(v.get(name) for v in values)] for name in part], caption,
                       folded)
    for run in runs:
        columns = run.get("columns") or {}
        statistics = ["min", "max", "mean", "rms", "last"]
        if columns:
            page.table(["column", "unit", *statistics], [[name, c.get("unit"), *(c.get(s) for s in statistics)]
                                                         for name, c in columns.items()],
                       f"Columns of histories.csv{f', {run.name}' if len(runs) > 1 else ''}", folded=True)
        for name, (head, lines) in run.tables().items():
            cut = f", the first {most_rows} of {len(lines)} lines" if len(lines) > most_rows else ""
            page.table(head, lines[:most_rows], f"{run.name}/{name}{cut}", folded=True)


def size(path):
    try:
        if path.is_dir():
            return f"{sum(1 for _ in path.iterdir())} files"
        number = path.stat().st_size
    except OSError:  # a link to nothing, or what is not for everybody
        return None
    return f"{number / 1e6:.1f} MB" if number >= 1e6 else f"{number / 1e3:.1f} kB"


def files(page, runs, place):
    rows = []
    for run in runs:
        for path in sorted(run.folder.iterdir()):
            if path.resolve() == place.resolve() or path.name.startswith("."):
                continue
            label = f"{run.name}/{path.name}" if len(runs) > 1 else path.name
            to = quote(os.path.relpath(path, place.parent))
            rows.append([Link(label, to), size(path)])
    page.table(["file", "size"], rows)


def players(page, runs, megabytes):
    several = len(runs) > 1
    drawn = [run for run in runs if (run.folder / f"{run.model}.pvd").is_file()]
    for run in runs:
        title = run.name if several else f"Frames of {run.model}"
        if run not in drawn:
            page.paragraph(f"{run.name} has no frames." if several else "The run has no frames.")
            continue
        try:
            scene = Scene(read_frames(run.folder, run.model), run.get("gravity_m_s2"))
        except Empty as reason:
            page.paragraph(f"The frames of {run.name} cannot be shown: {reason}.")
            continue
        page.player(title, scene, megabytes / len(drawn), waits=several)


def write(folders, out, megabytes):
    runs = [Run(find(folder)) for folder in folders]
    name_runs(runs)
    out = out or Path(os.path.commonpath([run.folder.resolve() for run in runs])) / "report.html"
    models = list(dict.fromkeys(run.model for run in runs if run.model)) or [runs[0].name]
    page = Report(models[0] if len(runs) == 1 else f"{', '.join(models)}: {len(runs)} runs", description(models[0]))
    for run in runs:
        verdict(page, run, len(runs) > 1)
    about(page, runs)
    page.heading("Frames")
    players(page, runs, megabytes)
    page.heading("Histories")
    histories(page, runs)
    page.heading("Solver")
    solver(page, runs)
    page.heading("Summary")
    numbers(page, runs)
    page.heading("Files")
    files(page, runs, out)
    length = page.write(out)
    print(f"{out}: {length / 1e6:.1f} MB; open it in a browser")


def main():
    parser = Arguments(prog="tamis report", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="RUN",
                        help="folder of a run, or the name of a model whose run is in out; several are compared")
    parser.add_argument("-o", "--out", type=Path, metavar="FILE",
                        help="the page (default: report.html in the folder, or in what several have in common)")
    parser.add_argument("--size", type=float, default=6, metavar="MB",
                        help="of the frames in the page: beyond, some are left out (default: %(default)g)")
    arguments = parser.parse_args()
    if not arguments.size > 0:
        fail(f"--size {arguments.size:g} is no size: take megabytes, such as 6.")
    if arguments.out and arguments.out.is_dir():
        fail(f"{arguments.out} is a folder: name a file by -o, such as {arguments.out / 'report.html'}.")
    write(arguments.folders, arguments.out, arguments.size)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
