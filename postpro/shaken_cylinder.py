"""The shaken cylinder of Biondani et al. (2022): Fig. 4, the height of the balls' centre of mass by every method, and
Fig. 5, the cost against the number of balls. Runs that they need are made on the way, on one thread each; table.md has
how far methods are from each other and what they dissipate."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import black, blue, fail, green, legend_above, orange, page, purple, red, save, save_text

import matplotlib.pyplot as plt

columns = ["t", "z_com", "z_wall", "force_z", "dissipated"]
published = {3: 151, 2: 602, 1.5: 1569, 1: 5200, 0.75: 12383, 0.5: 41203, 0.25: 328435, 0.15: 1543449}  # by mm
methods = {
    "dem_elastic": ("DEM, elastic", dict(color=blue), {"method": "dem", "friction-model": "elastic"}),
    "dem_directional": ("DEM, directional", dict(color=green), {"method": "dem", "friction-model": "directional"}),
    "rigid": ("nonsmooth", dict(color=red), {"method": "moreau-jean"}),
    "associated": ("nonsmooth, associated", dict(color=orange), {"method": "moreau-jean",
                                                                 "friction-law": "associated"}),
    "compliant": ("nonsmooth, compliant", dict(color=purple, linestyle="--"),
                  {"method": "moreau-jean", "stiffness-from": "material", "h": 2e-6}),
}
period = 0.1  # s


def own_arguments(parser):
    parser.add_argument("--diameters", type=float, nargs="+", default=[3, 2, 1.5, 1], metavar="MM",
                        choices=list(published), help="of the balls, mm (default: 3 2 1.5 1)")
    parser.add_argument("--methods", nargs="+", default=list(methods), choices=list(methods),
                        help="to compare; compliant takes several times as long as the others (default: all)")
    parser.add_argument("--t-end", type=float, default=0.3, help="end of the runs, s (default: %(default)s)")
    parser.add_argument("--cost-of", type=float, nargs="*", default=[0.75, 0.5], metavar="MM", choices=list(published),
                        help="diameters of which the cost of 0.5 ms by DEM and nonsmooth is drawn, too, mm; 0.25 and "
                             "0.15 have 328435 and 1543449 balls (default: 0.75 0.5)")


def options_of(diameter, method, t_end):
    return {"diameter": round(1e-3 * diameter, 9), "t-end": t_end, "frames": 0, "threads": 1, **methods[method][2]}


def arguments(words=None):
    chosen = plot_arguments("shaken_cylinder", __doc__, words, add=own_arguments,
                            quick="balls of 3 and 2 mm, a tenth of a second, by DEM with elastic friction and rigid")
    if chosen.quick:
        chosen.diameters, chosen.methods, chosen.t_end, chosen.cost_of = [3, 2], ["dem_elastic", "rigid"], 0.1, []
    return chosen


def needed(chosen):
    """Runs by diameter and method."""
    runs = {(diameter, method): Run(f"{diameter:g}mm_{method}", options_of(diameter, method, chosen.t_end))
            for diameter in chosen.diameters for method in chosen.methods}
    for diameter in chosen.cost_of:
        for method in ("dem_elastic", "rigid"):
            if diameter not in chosen.diameters and method in chosen.methods:
                runs[diameter, method] = Run(f"{diameter:g}mm_{method}_cost", options_of(diameter, method, 5e-4))
    return runs


def wanted(chosen):
    return needed(chosen).values()


def read(folder):
    return RunFolder(folder, "shaken_cylinder", columns, ["diameter", "method"])


def apart(a, b, t_end):
    """rms difference of two heights until t_end, m."""
    t = np.linspace(0, t_end, 401)
    return np.sqrt(np.mean((a.at(t, "z_com") - b.at(t, "z_com")) ** 2))


def per_period(run):
    """Mean of the energy dissipated in each whole period but the first, J."""
    ends = np.arange(period, run["t"][-1] * (1 + 1e-9), period)
    return np.mean(np.diff(run.at(ends, "dissipated"))) if len(ends) > 1 else np.nan


def balls(run, diameter):
    """As counted by the run; other numbers than the published ones would make no comparison."""
    number = run.summary["grains"]["number"]
    if number != published[diameter]:
        fail(f"{run.folder} has {number} balls of {diameter:g} mm, and the published number is {published[diameter]}.")
    return number


def cost(run):
    """Seconds of stepping per simulated second."""
    seconds = run.summary["seconds"]
    return (seconds["total"] - seconds["output"]) / run["t"][-1]


def fig4(found, diameters):
    figure, panels = plt.subplots(len(diameters), 1, figsize=(page, 0.6 + 1.7 * len(diameters)), sharex=True,
                                  squeeze=False)
    for axes, diameter in zip(panels[:, 0], diameters):
        for method, (label, line, _) in methods.items():
            if (diameter, method) not in found:
                continue
            run = found[diameter, method]
            axes.plot(1e3 * run["t"], 1e3 * run["z_com"], label=label, linewidth=0.9, **line)
        axes.plot(1e3 * run["t"], 1e3 * run["z_wall"], color=black, linewidth=0.6, linestyle=":", label="floor")
        axes.set_ylabel("height [mm]")
        axes.set_title(f"{diameter:g} mm, {balls(run, diameter)} balls")
        axes.margins(x=0.01)
    panels[-1, 0].set_xlabel("time $t$ [ms]")
    legend_above(figure, 3, panels[0, 0].get_legend_handles_labels()[0])
    return figure


def fig5(found):
    figure, axes = plt.subplots(figsize=(page * 0.6, 3))
    for method, (label, line, _) in methods.items():
        points = sorted((balls(run, d), cost(run)) for (d, m), run in found.items() if m == method)
        if points:
            axes.loglog(*zip(*points), marker="o", markerfacecolor="none", label=label, **line)
    axes.set(xlabel="number of balls", ylabel="seconds per simulated second")
    axes.legend()
    return figure


def table(found, t_end):
    lines = ["| d, mm | balls | method | from DEM, elastic, until 0.2 s, mm | dissipated in a period, mJ "
             "| s per simulated s | ns per ball and step |", "|---|---|---|---|---|---|---|"]
    for (diameter, method), run in found.items():
        beside = found.get((diameter, "dem_elastic"))
        distance = (f"{1e3 * apart(run, beside, min(0.2, t_end)):.2f}" if beside and run["t"][-1] >= 0.02 else "–")
        step = run.summary["t"] / run.summary["steps"]
        dissipated = f"{1e3 * per_period(run):.2f}" if np.isfinite(per_period(run)) else "–"
        lines.append(f"| {diameter:g} | {balls(run, diameter)} | {methods[method][0]} | {distance} | "
                     f"{dissipated} | {cost(run):.3g} | "
                     f"{1e9 * cost(run) * step / balls(run, diameter):.0f} |")
    return "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    runs = Runs("shaken_cylinder", chosen.out, wanted(chosen), chosen.again)
    found = {key: read(runs(run.name)) for key, run in needed(chosen).items()}
    save(fig4(found, chosen.diameters), chosen.out / "fig4.png")
    save(fig5(found), chosen.out / "fig5.png")
    save_text(table(found, chosen.t_end), chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
