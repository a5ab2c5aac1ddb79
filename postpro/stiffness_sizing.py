"""Sizing of contact stiffness by Biondani et al. (2022): Fig. 2, what softer contacts save by the closed form; Fig. 7,
frequency responses with contacts of the material and softer ones; Fig. 8, the error against the overlap, and the
overlap over that of a single ball. table.md has eta and beta of each configuration. Studies that are missing are made,
one for each configuration."""
import json
import sys

import numpy as np
from run_folder import Run, Runs, plot_arguments
from style import fail, grey, page, save, save_text

import matplotlib.pyplot as plt


configurations = ["original", "bigger-particles", "smaller-particles", "capsule", "double-amplitude", "half-friction",
                  "quarter-friction", "heavier-particles", "longer-cavity", "shorter-cavity", "gravity-45",
                  "gravity-parallel"]  # Table 5


def own_arguments(parser):
    parser.add_argument("--configuration", default="all", choices=["none", "all", *configurations],
                        help="of Table 5, or all; none: Fig. 2 alone (default: %(default)s)")


def arguments(words=None):
    return plot_arguments("stiffness_sizing", __doc__, words, add=own_arguments,
                          quick="two configurations, two frequencies, three stiffnesses, four periods")


def chosen_configurations(chosen):
    if chosen.configuration != "all":
        return [chosen.configuration]
    return configurations[:2] if chosen.quick else configurations


def wanted(chosen):
    sizes = (2, 3, 4) if chosen.quick else (8, 7, 40)
    return [Run(name, {"configuration": name, **dict(zip(("frequencies", "stiffnesses", "cycles"), sizes))})
            for name in chosen_configurations(chosen)]


def read(folder, name, columns):
    """Columns by name; rows that are equal in the first one belong to one configuration."""
    try:
        lines = (folder / name).read_text().splitlines()
        header = lines[0].split(",")
        values = np.loadtxt(lines[1:], delimiter=",", usecols=[header.index(c) for c in columns], ndmin=2)
    except (OSError, ValueError, IndexError) as error:
        fail(f"cannot read {folder / name}: {error}.")
    return dict(zip(columns, values.T))


def read_all(folders, name, columns):
    """The same of several studies, one below the other."""
    tables = [read(folder, name, columns) for folder in folders]
    return {column: np.concatenate([table[column] for table in tables]) for column in columns}


def fig2(table):
    n = len(np.unique(table["frequency"]))
    f, a, ratio = (table[c].reshape(n, -1) for c in ("frequency", "acceleration_g", "speedup"))
    figure, axes = plt.subplots(figsize=(page * 0.6, 3))
    axes.contourf(f, a, table["by_duration"].reshape(n, -1), levels=[-1, 0.5, 2], colors=["#56B4E930", "#E69F0030"])
    lines = axes.contour(f, a, ratio, levels=[1, 2, 4, 8, 16, 32, 64], colors="black", linewidths=0.8)
    axes.clabel(lines, fmt="%g", fontsize=7)
    axes.set(xscale="log", yscale="log", xlabel="frequency [Hz]", ylabel="acceleration [g]",
             title="blue: sized by overlap, orange: by duration")
    return figure


def fig7(table, configuration):
    figure, axes = plt.subplots(figsize=(page * 0.6, 3))
    mine = table["configuration"] == configuration
    levels = sorted(np.unique(table["relative_stiffness"][mine]))[::-1]
    for k, level in enumerate(levels):
        rows = mine & (table["relative_stiffness"] == level)
        axes.plot(table["frequency"][rows], 1e3 * table["rms"][rows], marker="o", markersize=2.5,
                  color=plt.get_cmap("viridis")(k / len(levels)), label="material" if level == 1 else f"{level:.2g}")
    axes.set(xlabel="frequency [Hz]", ylabel="rms of the mass [mm]")
    axes.legend(title="stiffness", fontsize=7)
    return figure


def fig8(table, names, accepted):
    figure, (left, right) = plt.subplots(1, 2, figsize=(page, 2.8), sharex=True)
    for number in np.unique(table["configuration"]):
        rows = table["configuration"] == number
        order = np.argsort(table["eta"][rows])
        for axes, column in ((left, "error"), (right, "beta")):
            axes.semilogx(table["eta"][rows][order], table[column][rows][order], marker="o", markersize=2.5,
                          label=names[int(number) - 1])
    left.axhline(accepted, color=grey, linewidth=0.8)
    left.set(xlabel="largest overlap / radius", ylabel="error of the response", title="(a)")
    right.set(xlabel="largest overlap / radius", ylabel="overlap / that of one ball", title="(b)")
    left.legend(fontsize=6)
    return figure


def table_of(results):
    lines = ["| configuration | eta | published | beta | published |", "|---|---|---|---|---|"]
    lines += [f"| {name} | {x['eta']:.3f} | {x['published_eta']:.2f} | {x['beta']:.2f} | {x['published_beta']:.1f} |"
              for name, x in results.items()]
    return "\n".join(lines) + "\n"


def main():
    chosen = arguments()
    runs = Runs("stiffness_sizing", chosen.out, wanted(chosen), chosen.again)
    folders = [runs(name) for name in chosen_configurations(chosen)]
    save(fig2(read(folders[0], "speedup.csv", ["frequency", "acceleration_g", "speedup", "by_duration"])),
         chosen.out / "fig2.png")
    if chosen.configuration == "none":
        return
    responses = read(folders[0], "responses.csv", ["configuration", "relative_stiffness", "frequency", "rms"])
    sizing = read_all(folders, "sizing.csv", ["configuration", "relative_stiffness", "error", "eta", "beta"])
    summaries = [json.loads((folder / "summary.json").read_text()) for folder in folders]
    save(fig7(responses, responses["configuration"][0]), chosen.out / "fig7.png")
    save(fig8(sizing, summaries[0]["results"]["configurations"], summaries[0]["parameters"]["accept"]),
         chosen.out / "fig8.png")
    save_text(table_of({name: x for s in summaries for name, x in s["results"]["sizing"].items()}),
              chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
