"""Displacement of the particle damper by several solvers of its smooth side: LABEL=FOLDER for each run, the first of
them the one that the others are compared with. Draws them over each other, and how far each is from the first."""
from pathlib import Path

import numpy as np
from model_program import Arguments
from run_folder import RunFolder
from style import fail, legend_above, page, save

import matplotlib.pyplot as plt


def runs_of(words):
    runs = {}
    for word in words:
        label, equals, folder = word.partition("=")
        if not equals:
            fail(f"'{word}' is no LABEL=FOLDER.")
        runs[label] = RunFolder(folder, "particle_damper", ["t", "x"], ["particles", "frequency"])
    return runs


def figure(runs):
    drawn, (moved, apart) = plt.subplots(2, 1, figsize=(page, 3.6), sharex=True)
    reference = next(iter(runs.values()))
    for k, (label, run) in enumerate(runs.items()):
        moved.plot(run["t"], 1e3 * run["x"], color=f"C{k}", linestyle=(2.0 * k, (6, 4)) if k else "-", label=label)
        if k:
            apart.semilogy(run["t"], 1e3 * np.abs(run["x"] - reference.at(run["t"], "x")) + 1e-9, color=f"C{k}",
                           linewidth=0.7)
    moved.set_ylabel("displacement $x$ [mm]")
    apart.set(xlabel="time $t$ [s]", ylabel=f"from '{next(iter(runs))}' [mm]")
    legend_above(drawn, len(runs), moved.get_legend_handles_labels()[0])
    return drawn


if __name__ == "__main__":
    parser = Arguments(description=__doc__)
    parser.add_argument("runs", nargs="+", metavar="LABEL=FOLDER")
    parser.add_argument("--out", type=Path, default=Path("peers.png"), help="(default: %(default)s)")
    chosen = parser.parse_args()
    save(figure(runs_of(chosen.runs)), chosen.out)
