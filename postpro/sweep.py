"""Runs a model at many points of its options and makes one table and one report of what comes out. Points are all
combinations of the values that --vary names, or a Latin hypercube. Runs are made side by side, one thread each; a
campaign that was stopped goes on by the same command, and what is finished is not made again."""
import sys
from pathlib import Path

import numpy as np
import run_folder
from campaign import Campaign, fail_with, grid, latin_hypercube, read_axis, values_of
from model_program import Model, Words, started, words_of
from report_parts import page_or_note
from run_folder import say
from whole_file import replacing, write_whole

epilog = """--vary OPTION=VALUES, as often as options are to be varied. VALUES: a,b,c (these), a:b:n (n from a to b,
both ends included), a..b (all whole numbers from a to b), with --lhs also a:b (anything between). Other options are
those of the model, the same for all runs; frames are written only with --frames."""


def arguments(words):
    parser = Words("sweep", __doc__, epilog)
    parser.add_argument("--vary", action="append", default=[], metavar="OPTION=VALUES", help="see below")
    parser.add_argument("--lhs", type=int, metavar="N", help="a Latin hypercube of N points instead of a grid")
    parser.add_argument("--lhs-seed", type=int, default=1, metavar="SEED", help="of its points (default: %(default)s)")
    parser.add_argument("--fit", action="store_true",
                        help="fit a quadratic surface to the outputs, by least squares, and tell its error")
    parser.add_argument("--outputs", metavar="A,B", help="columns of campaign.csv to draw (default: the results of "
                        "the model, or what its records come to at the end)")
    add_running(parser, "out/MODEL_sweep")
    return parser.parse(words)


def add_running(parser, folder):
    """What says where and how runs are made, for sweeps and studies."""
    parser.add_argument("--no-report", action="store_true", help="make the table and no page for a browser")
    parser.add_argument("--out", type=Path, metavar="DIR", help=f"folder of the campaign (default: {folder})")
    parser.add_argument("--jobs", type=int, metavar="N", help="runs side by side (default: as many as processors)")
    parser.add_argument("--on", choices=["here", "slurm", "parallel"], default="here",
                        help="this machine, a job array of Slurm, or GNU parallel (default: %(default)s)")
    parser.add_argument("--hosts", metavar="A,B", help="of --on parallel, by ssh; they see the same folders")
    parser.add_argument("--sbatch", action="append", default=[], metavar="OPTION",
                        help="an option for --on slurm, such as --sbatch=--partition=short; may be repeated")
    parser.add_argument("--wait", action="store_true", help="with --on slurm: until all has ended")


def check_running(chosen):
    if chosen.jobs is not None and chosen.jobs < 1:
        fail_with(2, f"--jobs is {chosen.jobs}: give 1 or more.")
    if chosen.hosts and chosen.on != "parallel":
        fail_with(2, "--hosts is for --on parallel: give that as well.")


def plan_of(chosen, model):
    """The plan of the campaign; wrong options are refused by the model before anything runs."""
    if not chosen.vary:
        fail_with(2, "There is nothing to vary: give --vary OPTION=VALUES, such as --vary frequency=15:45:7.")
    if chosen.lhs is not None and not 1 <= chosen.lhs <= 1000000:
        fail_with(2, f"--lhs is {chosen.lhs}: give the number of points, 1 to a million.")
    if chosen.lhs_seed < 0:
        fail_with(2, f"--lhs-seed is {chosen.lhs_seed}: give 0 or a positive number.")
    check_running(chosen)
    about = model.ask("--describe")
    axes = [read_axis(text, about["parameters"], chosen.lhs is not None) for text in chosen.vary]
    options = model.own_options(about["parameters"])
    for k, axis in enumerate(axes):
        if axis.option in [a.option for a in axes[:k]]:
            fail_with(2, f"--{axis.option} is varied twice: give all values once.")
        if axis.option in options:
            fail_with(2, f"--{axis.option} is given, and to be varied: leave out one of the two.")
        for value in axis.samples():
            model.ask("--describe", words_of({axis.option: value}))
    for name in ("out", "quiet", "verbose", "no-output", "resume"):
        if name in options:
            fail_with(2, f"--{name} is not for the runs of a campaign: leave it out.")
    return {"model": about["model"], "program": [str(Path(word).resolve()) for word in model.words],
            "options": options if about["study"] else {"frames": 0, **options}, "command": " ".join(sys.argv[1:]),
            "axes": [axis.option for axis in axes],
            "points": latin_hypercube(axes, chosen.lhs, chosen.lhs_seed) if chosen.lhs is not None else grid(axes),
            "outputs": outputs_of(chosen, about), "fit": chosen.fit, "report": not chosen.no_report}


def outputs_of(chosen, about):
    if chosen.outputs:
        return chosen.outputs.split(",")
    return list(about["results"]) or [f"{c}_last" for c in about["compared"] or
                                      [column["name"] for column in about["columns"]]][:8]


# --- Table and report ------------------------------------------------------------------------------------


def columns_of(campaign, names, rows):
    """Inputs that are numbers, the others, and the outputs to be drawn, with their values."""
    inputs = {axis: np.array([row[axis] for row in rows], float) for axis in campaign.plan["axes"]
              if all(isinstance(row[axis], (int, float)) and not isinstance(row[axis], bool) for row in rows)}
    outputs = {}
    for name in campaign.plan["outputs"]:
        if name not in names:
            if rows and any(row["status"] == "finished" for row in rows):
                say(f"there is no output '{name}'; campaign.csv has: {', '.join(names)}")
            continue
        outputs[name] = values_of(rows, name)
    return inputs, outputs


def surfaces(inputs, outputs):
    """A surface, or the sentence why there is none, by output."""
    from response import Surface
    found = {}
    for name, y in outputs.items():
        try:
            found[name] = Surface(list(inputs), np.stack(list(inputs.values()), axis=1) if inputs else
                                  np.zeros((len(y), 0)), y)
        except ValueError as error:
            found[name] = str(error)
    return found


def fit_table(found):
    """Lines of Markdown: the surfaces in words and numbers."""
    lines = ["| output | runs | coefficients | R² | R² of runs left out | error of runs left out (rms) | least, at | "
             "largest, at |", "|---|---|---|---|---|---|---|---|"]
    for name, s in found.items():
        if isinstance(s, str):
            lines.append(f"| {name} | – | – | – | – | – | {s} | |")
            continue
        least, most = (f"{y:.4g} at " + ", ".join(f"{n} = {x:.4g}" for n, x in place.items())
                       for place, y in s.extremes())
        lines.append(f"| {name} | {s.runs} | {len(s.b)} | {s.r2:.4f} | {s.r2_unseen:.4f} | {s.unseen:.3g} | {least} | "
                     f"{most} |")
    return lines


def draw_contours(campaign, inputs, outputs, found):
    """Pictures by name: each output over each pair of inputs, dots where runs are. In between a fitted surface (others
    of its inputs in their middle), or triangles from run to run where there are just two inputs."""
    from style import black, page  # before the library, which it sets
    import matplotlib.pyplot as plt
    pictures, names = {}, [n for n, x in inputs.items() if len(np.unique(x)) > 1]
    for output, y in outputs.items():
        good = np.isfinite(y)
        pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1:]]
        surface = found.get(output)
        fitted = surface is not None and not isinstance(surface, str)
        if np.count_nonzero(good) < 4 or np.ptp(y[good]) == 0 or not (fitted or len(names) == 2):
            continue
        for a, b in pairs[:6]:
            figure, axes = plt.subplots(figsize=(page / 2, 2.8))
            p, q = inputs[a], inputs[b]
            if fitted:
                gp, gq = np.meshgrid(np.linspace(p.min(), p.max(), 60), np.linspace(q.min(), q.max(), 60))
                places = np.tile([np.mean([x.min(), x.max()]) for x in inputs.values()], (gp.size, 1))
                places[:, list(inputs).index(a)], places[:, list(inputs).index(b)] = gp.ravel(), gq.ravel()
                filled = axes.contourf(gp, gq, surface(places).reshape(gp.shape), levels=12, cmap="cividis")
            else:
                try:
                    filled = axes.tricontourf(p[good], q[good], y[good], levels=12, cmap="cividis")
                except (RuntimeError, ValueError):  # runs on one line
                    plt.close(figure)
                    continue
            axes.plot(p[good], q[good], linestyle="none", marker=".", color=black)
            axes.set(xlabel=a, ylabel=b)
            axes.set_title(f"{output}, {'fitted surface' if fitted else 'between runs'}", fontsize=8)
            figure.colorbar(filled, ax=axes)
            path = campaign.folder / f"contour_{output}_{a}_{b}.svg".replace("/", "_")
            with replacing(path) as new:
                figure.savefig(new, format="svg")
            plt.close(figure)
            pictures[f"{output} over {a} and {b}"] = path
    return pictures


def write_report(campaign, names, rows, inputs, outputs, found, pictures):
    from report import Report, Series
    from report_parts import picture
    plan, done = campaign.plan, sum(row["status"] == "finished" for row in rows)
    page = Report(f"Campaign of {plan['model']}", f"{done} of {len(rows)} runs; varied: {', '.join(plan['axes'])}.")
    page.code("Command", f"tamis {plan['command']}" if plan["command"] else "a study")
    doubtful = [row["run"] for row in rows if row.get("believable") == "doubtful"]
    absurd = [row["run"] for row in rows if row.get("believable") == "no"]
    failed = [row["run"] for row in rows if row["status"] == "failed"]
    for runs, severity, what in ((absurd, "absurd", "not believable, and left out of the pictures"),
                                 (failed, "absurd", "failed"), (doubtful, "doubtful", "doubtful")):
        if runs:
            page.note(f"{len(runs)} runs are {what}: ".replace("are failed", "failed") + ", ".join(runs[:8])
                      + (" and others." if len(runs) > 8 else "."), severity)
    page.heading("Outputs over inputs")
    for output, y in outputs.items():
        for name, x in inputs.items():
            if len(np.unique(x)) < 2:
                continue
            page.plot(f"{output} over {name}", scatter(Series, name, x, y, rows, plan["axes"]), x=name, y=output)
    if pictures:
        page.heading("Contours")
        for title, path in pictures.items():
            picture(page, path, title)
    if found:
        page.heading("Response surface")
        page.paragraph("A fit, not runs: polynomials of second degree in the inputs, by least squares. How far to "
                       "trust them: the error of runs left out, each predicted by the surface of all the others.")
        for name, s in found.items():
            if isinstance(s, str):
                page.paragraph(f"{name}: none, since {s}.")
                continue
            page.table(["term (inputs from -1 to 1)", "coefficient", "standard deviation"],
                       [[t, float(b), float(d)] for t, b, d in zip(s.term_names(), s.b, s.deviations)],
                       f"{name}: R² {s.r2:.4f}, of runs left out {s.r2_unseen:.4f}; error of runs left out "
                       f"{s.unseen:.3g} (rms)")
            for word, (place, value) in zip(("least", "largest"), s.extremes()):
                page.paragraph(f"{word} value of the surface: {value:.5g} at "
                               + ", ".join(f"{n} = {x:.4g}" for n, x in place.items()))
    page.heading("Runs")
    shown = ["run", *plan["axes"], "status", "believable", "seconds", *outputs]
    page.table(shown, [[row.get(n) for n in shown] for row in rows], "all columns: campaign.csv", folded=True)
    page.write(campaign.folder / "report.html")


def scatter(Series, name, x, y, rows, axes):
    """Points, in the colours of another input if that has few values."""
    others = [a for a in axes if a != name]
    values = list(dict.fromkeys(row[others[0]] for row in rows)) if others else []
    if not 1 < len(values) <= 8:
        return [Series("runs", x, y, points=True)]
    which = np.array([values.index(row[others[0]]) for row in rows])
    return [Series(f"{others[0]} = {value:g}" if isinstance(value, float) else f"{others[0]} = {value}",
                   x[which == k], y[which == k], points=True, colour=k) for k, value in enumerate(values)]


def conclude(campaign, failed=()):
    """Table, pictures and report of what is there; returns the exit code."""
    names, rows = campaign.write_table()
    done = sum(row["status"] == "finished" for row in rows)
    print(f"{campaign.folder / 'campaign.csv'} ({done} of {len(rows)} runs)", flush=True)
    if done:
        inputs, outputs = columns_of(campaign, names, rows)
        found = surfaces(inputs, outputs) if campaign.plan["fit"] else {}
        if found:
            text = "\n".join(["A fit, not runs: quadratic response surfaces by least squares.", "", *fit_table(found)])
            write_whole(campaign.folder / "fit.md", text + "\n")
            print(text)
        pictures = draw_contours(campaign, inputs, outputs, found) if len(inputs) > 1 else {}
        if campaign.plan["report"]:
            page_or_note(campaign.folder / "report.html",
                         lambda: write_report(campaign, names, rows, inputs, outputs, found, pictures))
    for name, sentence in dict(failed).items():
        print(f"tamis: {name} failed, {sentence}", file=sys.stderr)
    absurd = [row["run"] for row in rows if row.get("believable") == "no"]
    if absurd:
        more = f" and {len(absurd) - 8} others" if len(absurd) > 8 else ""
        print(f"tamis: {len(absurd)} of {len(rows)} runs are not believable: {', '.join(absurd[:8])}{more}.",
              file=sys.stderr)
    missing = len(rows) - done
    if missing:
        print(f"tamis: {missing} of {len(rows)} runs are missing; the same command tries them again.", file=sys.stderr)
    return 1 if missing else 0


def make(campaign, chosen):
    """Where it was asked for. Returns the exit code, nothing if the runs are to be concluded from, and what those said
    that failed."""
    from cluster import check_queue, on_parallel, on_slurm
    campaign.lock()
    check_queue(campaign)  # what waits there is of the plan that is written
    campaign.write_plan()
    if chosen.on == "slurm":
        code = on_slurm(campaign, chosen.sbatch, chosen.wait)
        return (code if code or not chosen.wait else None), {}
    if chosen.on == "parallel":
        return on_parallel(campaign, chosen.hosts, chosen.jobs) or None, {}
    if chosen.jobs:
        run_folder.at_a_time = lambda: chosen.jobs
    return None, campaign.make()


def carry_out(campaign, chosen):
    """Runs, table and report; returns the exit code."""
    code, failed = make(campaign, chosen)
    return conclude(campaign, failed) if code is None else code


def main():
    chosen, options = arguments(sys.argv[1:])
    model = Model(started(), options)
    plan = plan_of(chosen, model)
    sys.exit(carry_out(Campaign(chosen.out or Path("out") / f"{plan['model']}_sweep", plan), chosen))


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
