"""Runs a model by every method that can run it, at a step and its halves, and compares what they give for its records
with a reference: a closed form, if the model declares one, or a named method at a finer step. Runs are made side by
side, one thread each; what is there is not made again. Writes compare.csv (a row for each run), compare.md and
report.html."""
import json
import math
import re
import shutil
import sys
from pathlib import Path

import numpy as np
from campaign import cell
from frames import fail
from model_program import Model, Words, fail_with, started
from report_parts import page_or_note
from run_folder import Job, Run, make_runs, root, say
from whole_file import replacing, write_whole

epilog = """Methods: moreau-jean (also -explicit or -midpoint, with forces evaluated there; -rigid or -compliant, with
other contacts; and the descriptions that the model declares, such as -cut-xy), absolute, generalized-alpha, smooth,
dem, and if the model can be cut: loose, staggered, tight, explicit-original, explicit-index1 to 3, dem-loose, mbdyn.
The largest step is that of each method, or --h. Other options are those of the model. The error of a record is the rms
of its deviation over the rms of the reference about its mean (about zero if it varies by less than a thousandth); that
of a run is the rms over its records."""
closed_form = "closed form"


def arguments(words):
    parser = Words("compare", __doc__, epilog)
    parser.add_argument("--methods", metavar="A,B", help="only these (default: all that apply)")
    parser.add_argument("--reference", metavar="METHOD", help="what errors are counted from (default: the closed form "
                        "if the model declares one, else moreau-jean with forces at the midpoint, with grains "
                        "as it is)")
    parser.add_argument("--reference-h", type=float, metavar="H",
                        help="its step (default: a quarter of the least one, with grains half of it)")
    parser.add_argument("--halvings", type=int, metavar="N", help="of the step (default: 2, with grains 1)")
    parser.add_argument("--columns", metavar="A,B", help="records to compare (default: those that the model names)")
    parser.add_argument("--no-report", action="store_true", help="make the tables and no page for a browser")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder (default: out/MODEL_compare)")
    return parser.parse(words)


# --- Which runs ------------------------------------------------------------------------------------------


def with_mbdyn(about):
    """MBDyn is a way where it is installed and has an input file for the model."""
    way = {"name": "mbdyn", "options": {}, "reason": "", "h": about["h"]}
    cut = next((w["reason"] for w in about["ways"] if w["name"] == "loose"), "no")
    if "coupling" not in about["parameters"]:
        way["reason"] = cut
    elif not mbdyn_input(about["model"]).is_file():
        way["reason"] = f"There is no input file for it, models/mbdyn/{about['model']}.mbd."
    elif not shutil.which("mbdyn"):
        way["reason"] = "There is no program mbdyn on the PATH."
    return [*about["ways"], way]


def mbdyn_input(model):
    return root / "models" / "mbdyn" / f"{model}.mbd"


def mbdyn_job(job, folder):
    """With an input and a socket of its own."""
    place = folder / f"mbdyn_{job.run.options['h']:g}"
    options = {**job.run.options, "peer": "mbdyn", "socket": f"{place}.sock", "peer-input": f"{place}.mbd"}
    job = job._replace(run=job.run._replace(options=options))
    return job._replace(again=not job.there)  # it has no checkpoint to go on from


def write_mbdyn_input(job, t_end):
    """With the step and the end of the run, and its socket. Other options of the model are not known to it: a
    comparison refuses them."""
    text, options = mbdyn_input(job.model).read_text(), job.run.options
    for name, value in (("H", options["h"]), ("T", t_end)):
        text = re.sub(rf"(?m)^(set: const real {name} = )[^;]*;", rf"\g<1>{value!r};", text)
    write_whole(Path(options["peer-input"]), re.sub(r'path, "[^"]*"', lambda _: f'path, "{options["socket"]}"', text))


class Comparison:
    def __init__(self, chosen, model):
        say("asking which methods can run the model; a bed of grains that is not there is made first")
        self.about = about = model.ask("--methods")
        self.grains, self.own = about["grains"], model.own_options(about["parameters"])
        self.folder = chosen.out or Path("out") / f"{about['model']}_compare"
        self.model = model
        ways = {way["name"]: way for way in with_mbdyn(about)}
        if ways["mbdyn"]["reason"] == "" and set(self.own) - {"h", "t-end"}:
            ways["mbdyn"]["reason"] = "Its input file has other options than this run: docs/external_solvers.md."
        self.refused = {name: way["reason"] for name, way in ways.items() if way["reason"]}
        asked = chosen.methods.split(",") if chosen.methods else list(ways)
        for name in asked:
            if name not in ways:
                fail_with(2, f"There is no method '{name}' of this model; there are: {', '.join(ways)}.")
            if chosen.methods and name in self.refused:
                fail_with(2, f"The method '{name}' does not apply: {self.refused[name]}")
        self.ways = {name: ways[name] for name in asked if name not in self.refused}
        if not chosen.methods and not self.ways:
            fail_with(1, f"No method can run this: {next(iter(self.refused.values()))}")
        self.halvings = (1 if self.grains else 2) if chosen.halvings is None else chosen.halvings
        if not 0 <= self.halvings <= 20:
            fail_with(2, f"--halvings is {self.halvings}: give 0 to 20.")
        self.columns = self.choose_columns(chosen)
        self.exact = {c["name"]: c["exact"] for c in about["columns"] if "exact" in c}
        self.choose_reference(chosen, ways)
        self.interval = about["record_every"] * about["h"]
        self.jobs = {(name, h): self.job(name, way, h) for name, way in self.ways.items()
                     for h in self.steps(way)}
        if self.reference != closed_form:
            self.jobs.setdefault((self.reference, self.reference_h),
                                 self.job(self.reference, ways[self.reference], self.reference_h))

    def choose_columns(self, chosen):
        known = [c["name"] for c in self.about["columns"]]
        columns = chosen.columns.split(",") if chosen.columns else self.about["compared"] or known
        for column in columns:
            if column not in known:
                fail_with(2, f"The model records no '{column}'; it records: {', '.join(known)}.")
        if not columns:
            fail_with(1, "The model records nothing to compare: let it say record(...).")
        return columns

    def choose_reference(self, chosen, ways):
        names = {"exact": closed_form, "closed-form": closed_form}
        self.reference = names.get(chosen.reference, chosen.reference)
        all_exact = all(c in self.exact for c in self.columns)
        if self.reference is None:
            midpoint = "moreau-jean" if self.grains or self.about["parameters"]["force"] == "midpoint" else \
                "moreau-jean-midpoint"
            can = [n for n in (midpoint, "moreau-jean", *self.ways) if n in ways and n not in self.refused]
            self.reference = closed_form if all_exact else can[0]
        if self.reference == closed_form:
            if not all_exact:
                without = [c for c in self.columns if c not in self.exact]
                fail_with(2, f"The model declares no closed form of {', '.join(without)}: "
                             "name a method as --reference.")
            self.reference_h = 0
            return
        if self.reference not in ways:
            fail_with(2, f"There is no method '{self.reference}' to be the reference; there are: {', '.join(ways)}.")
        if self.reference in self.refused:
            fail_with(2, f"--reference {self.reference} does not apply: {self.refused[self.reference]}")
        least = self.steps(ways[self.reference])[-1]
        self.reference_h = chosen.reference_h if chosen.reference_h is not None else least / (2 if self.grains else 4)
        if not 0 < self.reference_h < math.inf:
            fail_with(2, f"--reference-h is {self.reference_h}: give a positive number.")

    def steps(self, way):
        return [way["h"] / 2**k for k in range(self.halvings + 1)]

    def job(self, name, way, h):
        types = self.about["parameters"]
        options = {"frames": 0, **self.own,
                   **{o: float(v) if isinstance(types.get(o), float) else v for o, v in way["options"].items()},
                   "h": h, "record-every": max(1, round(self.interval / h))}
        flags = tuple(o for o, v in options.items() if v is True)
        run = Run(f"{name}/h_{h:g}", {o: v for o, v in options.items() if not isinstance(v, bool)}, flags, True)
        job = Job(self.about["model"], run, self.folder / "runs" / run.name, False, self.model.words)
        return mbdyn_job(job, self.folder) if name == "mbdyn" else job


# --- What they gave --------------------------------------------------------------------------------------


def read_histories(path, columns):
    """Columns of a run, and t; nothing if it has none."""
    try:
        with open(path) as file:
            header = file.readline().strip().split(",")
            places = [header.index(c) for c in ("t", *columns)]
            lines = file.readlines()
        if not lines:
            return None
        return dict(zip(("t", *columns), np.loadtxt(lines, delimiter=",", usecols=places, ndmin=2).T))
    except (OSError, ValueError, IndexError):
        return None


def scale(reference):
    """What a deviation is measured by."""
    varies, size = np.std(reference), np.sqrt(np.mean(reference**2))
    return varies if varies > 1e-3 * size else size


def deviation(t, y, t_reference, reference):
    """Rms of the deviation over the scale of the reference, at the times of y that the reference has."""
    there = t <= t_reference[-1] * (1 + 1e-9)
    if not np.any(there):
        return math.nan
    by = scale(reference)
    rms = np.sqrt(np.mean((y[there] - np.interp(t[there], t_reference, reference))**2))
    return rms / by if by > 0 else (0.0 if rms == 0 else math.inf)


class Results:
    """The runs of a comparison as they are on the disk."""

    def __init__(self, comparison):
        self.of = comparison
        exact = comparison.reference == closed_form
        self.histories, self.rows = {}, []
        for key, job in comparison.jobs.items():
            more = [comparison.exact[c] for c in comparison.columns] if exact else []
            self.histories[key] = read_histories(job.folder / "histories.csv", list(dict.fromkeys(
                [*comparison.columns, *more])))
        self.reference = None if exact else self.histories[comparison.reference, comparison.reference_h]
        if not exact and (self.reference is None or not self.finished(comparison.jobs[comparison.reference,
                                                                                      comparison.reference_h])):
            fail(f"the reference, {comparison.reference} at h = {comparison.reference_h:g} s, has failed: "
                 f"{self.why(comparison.jobs[comparison.reference, comparison.reference_h])}")
        for (name, h), job in comparison.jobs.items():
            self.rows.append(self.row(name, h, job))

    @staticmethod
    def summary(job):
        try:
            return json.loads((job.folder / "summary.json").read_text())
        except (OSError, ValueError):
            return {}

    def finished(self, job):
        return self.summary(job).get("status") == "finished"

    def why(self, job):
        return self.summary(job).get("status", "it has no summary")

    def errors(self, key):
        """By column."""
        y = self.histories[key]
        if y is None:
            return {c: math.nan for c in self.of.columns}
        if self.of.reference == closed_form:
            return {c: deviation(y["t"], y[c], y["t"], y[self.of.exact[c]]) for c in self.of.columns}
        return {c: deviation(y["t"], y[c], self.reference["t"], self.reference[c]) for c in self.of.columns}

    def row(self, name, h, job):
        s = self.summary(job)
        findings = {f["name"]: f for f in s.get("verdict", {}).get("findings", [])}
        seconds, grains = s.get("seconds", {}), s.get("grains", {})
        finished = s.get("status") == "finished"
        row = {"method": name, "h": h, "status": s.get("status", "open"),
               "believable": s.get("verdict", {}).get("believable", "unknown")}
        errors = self.errors((name, h)) if finished else {c: math.nan for c in self.of.columns}
        row["error"] = math.sqrt(np.mean(np.square(list(errors.values()))))
        resumed = job.folder.exists() and s.get("parameters", {}).get("resume")
        cost = seconds.get("total", math.nan) - seconds.get("output", 0)
        row["cost_s_per_s"] = math.nan if resumed or not finished else cost / s["t"]
        energy = s.get("energy", {})
        row["energy_start_J"], row["energy_end_J"] = (energy.get(k, math.nan) for k in ("start_J", "end_J"))
        row["energy_gained"] = value_of(findings, "energy")
        row["momentum_error"] = value_of(findings, "momentum")
        residuals = s.get("residuals", {})
        row["residual_max"] = residuals.get("contact_natural_map_max", math.nan)
        row["loop_error_max_m"] = residuals.get("loop_error_max_m", math.nan)
        row["penetration_max"] = value_of(findings, "penetration")
        row["penetration_max_m"] = grains.get("penetration_max_m", math.nan)
        row["steps_not_converged"] = s.get("iterations", {}).get("steps_not_converged", math.nan)
        row.update({f"error_{c}": e for c, e in errors.items()})
        row.update({name: math.nan if v is None else v for name, v in (s.get("results") or {}).items()})
        row["sentences"] = " ".join(f["sentence"] for f in findings.values() if f.get("severity") != "good")
        return row

    def by_method(self):
        """Rows of each method, the largest step first; the run that is the reference is not among them."""
        found = {}
        for row in self.rows:
            if (row["method"], row["h"]) != (self.of.reference, self.of.reference_h):
                found.setdefault(row["method"], []).append(row)
        return {name: sorted(rows, key=lambda r: -r["h"]) for name, rows in found.items()}

    def reference_error(self):
        """Of the reference itself, as far as its own method tells: the deviation of its least step from it, over the
        ratio of the steps less one, as for an order of one."""
        rows = self.by_method().get(self.of.reference)
        if not rows or not rows[-1]["h"] > self.of.reference_h:
            return math.nan
        return rows[-1]["error"] / (rows[-1]["h"] / self.of.reference_h - 1)


def value_of(findings, name):
    value = findings.get(name, {}).get("value")
    return math.nan if value is None else value


def order(rows):
    """Between the two least steps."""
    if len(rows) < 2 or not all(0 < r["error"] < math.inf for r in rows[-2:]):
        return math.nan
    return math.log(rows[-2]["error"] / rows[-1]["error"]) / math.log(rows[-2]["h"] / rows[-1]["h"])


# --- Table, pictures, report -----------------------------------------------------------------------------


def shown(value, layout=".3g"):
    return "–" if value is None or (isinstance(value, float) and math.isnan(value)) else format(value, layout)


def head(of):
    if of.reference == closed_form:
        return f"{of.about['model']} by {len(of.ways)} methods; errors against the closed form."
    return (f"{of.about['model']} by {len(of.ways)} methods; errors against {of.reference} at h = "
            f"{of.reference_h:g} s.")


def summary_table(results):
    """Of each method at its least step."""
    head = ["method", "h [s]", "error", "order", "s per simulated s", "energy gained", "momentum error", "residual",
            "loop error [m]", "not converged", "believable"]
    rows = []
    for name, of in results.by_method().items():
        r = of[-1]
        if r["status"] != "finished":
            rows.append([name, f"{r['h']:g}", *["–"] * 8, r["status"].split(":")[0]])
            continue
        rows.append([name, f"{r['h']:g}", shown(r["error"], ".2e"), shown(order(of), ".1f"), shown(r["cost_s_per_s"]),
                     *(shown(r[k], ".1e") for k in ("energy_gained", "momentum_error", "residual_max",
                                                    "loop_error_max_m")),
                     shown(r["steps_not_converged"], "g"), r["believable"]])
    return head, rows


def result_table(results):
    """Numbers of the model by method, at the least step, and by how much they differ from the reference."""
    of = results.of
    names = list(of.about["results"])
    rows = {(r["method"], r["h"]): r for r in results.rows}
    base = rows.get((of.reference, of.reference_h), {})
    table = []
    for name, runs in results.by_method().items():
        cells = []
        for n in names:
            value, reference = runs[-1].get(n, math.nan), base.get(n, math.nan)
            known = reference and not math.isnan(value / reference)
            part = f" ({100 * (value / reference - 1):+.1f} %)" if known else ""
            cells.append(shown(value, ".4g") + part)
        table.append([name, *cells])
    return ["method", *names], table


def markdown(head, rows):
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(row)} |" for row in rows)]


def by_reason(refused):
    """Names of methods with the same reason, and this."""
    found = {}
    for name, reason in refused.items():
        found.setdefault(reason, []).append(name)
    return [(", ".join(names), reason) for reason, names in found.items()]


def tables(results):
    of = results.of
    lines = [head(of), "", *markdown(*summary_table(results)), ""]
    own = results.reference_error()
    if not math.isnan(own):
        lines += [f"Error of the reference itself: about {own:.1e}; errors below that tell nothing.", ""]
    if failed := [r for r in results.rows if r["status"] != "finished"]:
        lines += [*(f"- {r['method']}, h = {r['h']:g} s: {r['status']}" for r in failed), ""]
    if of.about["results"]:
        lines += [*markdown(*result_table(results)), ""]
    if of.refused:
        lines += ["Not run:", "", *(f"- {names}: {reason}" for names, reason in by_reason(of.refused)), ""]
    return "\n".join(lines)


def write_csv(results, path):
    names = list(dict.fromkeys(name for row in results.rows for name in row))
    lines = [",".join(names), *(",".join(cell(row.get(n, math.nan)) for n in names) for row in results.rows)]
    write_whole(path, "\n".join(lines) + "\n")
    print(path)


markers = "osD^v<>Pphd*X"


def draw(results, path):
    """Error against step, and against cost: one picture."""
    from style import colours, grey, page  # before the library, which it sets
    import matplotlib.pyplot as plt
    figure, (left, right) = plt.subplots(1, 2, figsize=(page, 3.3), sharey=True)
    for k, (name, rows) in enumerate(results.by_method().items()):
        good = [r for r in rows if 0 < r["error"] < math.inf]
        look = {"marker": markers[k % len(markers)], "color": colours[k % len(colours)], "markerfacecolor": "none",
                "linestyle": "-" if k < len(colours) else "--"}
        left.plot([r["h"] for r in good], [r["error"] for r in good], label=name, **look)
        right.plot([r["cost_s_per_s"] for r in good], [r["error"] for r in good], **look)
    own = results.reference_error()
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        if own > 0:
            axes.axhline(own, color=grey, linewidth=0.8, linestyle=":")
    if own > 0:
        left.annotate("of the reference", (0.02, own), xycoords=("axes fraction", "data"), xytext=(0, 2),
                      textcoords="offset points", color=grey, fontsize=7)
    left.set(xlabel="step $h$ [s]", ylabel="error")
    right.set(xlabel="seconds per simulated second")
    left.set_title("error against step")
    right.set_title("work and precision")
    figure.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    for place in (path, path.with_suffix(".svg")):
        with replacing(place) as new:
            figure.savefig(new)
    plt.close(figure)
    print(path)


def for_page(table):
    """Numbers as numbers, which a page does not break."""
    def number(text):
        try:
            return float(text)
        except ValueError:
            return text
    return table[0], [[row[0], *map(number, row[1:])] for row in table[1]]


def write_report(results, picture_path):
    from report import Link, Report, Series
    from report_parts import picture
    of = results.of
    page = Report(f"{of.about['model']} by every method", head(of))
    page.heading("Methods at their least step")
    page.table(*for_page(summary_table(results)))
    own = results.reference_error()
    if not math.isnan(own):
        page.paragraph(f"The reference itself is wrong by about {own:.1e}, as far as its own method tells; errors "
                       "below that tell nothing.")
    if of.grains:
        page.paragraph("Motions of grains are chaotic: histories part after some impacts, whatever the method, and "
                       "their errors stop falling with the step. Compare results and means then.")
    if of.about["results"]:
        page.table(*for_page(result_table(results)), "Results, and how far they are from those of the reference")
    page.paragraph("Cost is that of steps on one thread, without output, while other runs were made side by side.")
    page.heading("Error, step and cost")
    series = list(results.by_method().items())
    for title, x, label in (("Error against step", "h", "h [s]"),
                            ("Work and precision", "cost_s_per_s", "seconds per simulated second")):
        page.plot(title, [Series(name, *(np.array([r[c] for r in sorted(rows, key=lambda r: r[x])
                                                   if 0 < r["error"] < math.inf]) for c in (x, "error")), colour=k)
                          for k, (name, rows) in enumerate(series)], x=label, y="error", log_x=True, log_y=True)
    picture(page, picture_path, "The same for print")
    page.heading("Records")
    page.paragraph("Each method at its least step.")
    for c in of.columns:
        curves = [Series(name, h["t"], h[c], colour=k) for k, (name, rows) in enumerate(series)
                  if (h := results.histories[name, rows[-1]["h"]]) is not None]
        page.plot(c, curves, x="t [s]", y=c, together="records")
    page.heading("Doubts")
    doubts = [(r["method"], r["h"], r) for rows in results.by_method().values() for r in rows
              if r["sentences"] or r["status"] != "finished"]
    for name, h, r in doubts:
        page.note(f"{name}, h = {h:g} s: {r['status'] if r['status'] != 'finished' else r['sentences']}",
                  "absurd" if r["believable"] == "no" or r["status"] != "finished" else "doubtful")
    if not doubts:
        page.paragraph("None: all runs are believable by their own verdicts.")
    if of.refused:
        page.heading("Methods that do not apply")
        page.table(["methods", "reason"], by_reason(of.refused))
    page.heading("All runs")
    names = ["method", "h", "status", "error", "cost_s_per_s", "energy_start_J", "energy_end_J",
             *(f"error_{c}" for c in of.columns)]
    page.table([*names, "files"], [[*(r[n] for n in names), Link("folder", f"runs/{r['method']}/h_{r['h']:g}")]
                                   for r in results.rows], "all columns: compare.csv", folded=True)
    page.write(of.folder / "report.html")


def main():
    chosen, options = arguments(sys.argv[1:])
    for name in ("--no-output", "--quiet", "--resume"):
        if name in options:
            fail_with(2, f"{name} is not for the runs of a comparison: leave it out.")
    comparison = Comparison(chosen, Model(started(), options))
    try:
        comparison.folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {comparison.folder}: {error.strerror}.")
    for (name, _), job in comparison.jobs.items():
        if name == "mbdyn" and job.again:
            write_mbdyn_input(job, comparison.about["t_end"])
    failed = make_runs(list(comparison.jobs.values()))
    for name, sentence in failed.items():
        say(f"{name} failed, {sentence}")
    results = Results(comparison)
    write_csv(results, comparison.folder / "compare.csv")
    text = tables(results)
    write_whole(comparison.folder / "compare.md", text)
    print(text, end="")
    path = comparison.folder / "work_precision.png"
    draw(results, path)
    if not chosen.no_report:
        page_or_note(comparison.folder / "report.html", lambda: write_report(results, path))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
