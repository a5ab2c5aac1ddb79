"""A cantilever with a particle damper, after Biondani et al. (2022): transfer functions at controlled accelerations
(Fig. 11) and damping ratios by level (Fig. 12), by several methods. Sweeps that they need are made on the way, in
hours."""
import json
import sys

import numpy as np
from run_folder import Runs, plot_arguments
from style import blue, fail, green, grey, legend_above, orange, page, red, save, save_text

import matplotlib.pyplot as plt

levels = [0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5]  # rms acceleration over g
methods = {"dem_loose": ("dem, loose", {"method": "dem", "coupling": "loose"}, blue, "o"),
           "dem": ("dem, monolithic", {"method": "dem", "coupling": "monolithic"}, green, "s"),
           "nonsmooth_loose": ("nonsmooth, loose", {"method": "moreau-jean", "coupling": "loose"}, orange, "^"),
           "nonsmooth": ("nonsmooth, monolithic", {"method": "moreau-jean", "coupling": "monolithic"}, red, "v")}
published = {"experiment": 1.31, "dem, directional": 2.32, "dem, elastic": 2.40}  # %, at 0.75 g, Sect. 3.5.3


class Sweep:
    """The transfer function of a sweep, and the damping ratio that it came to, NaN if none."""

    def __init__(self, folder):
        try:
            results = json.loads((folder / "summary.json").read_text())["results"]
            self.damping = 100 * results["damping"] if "damping" in results else float("nan")
            rows = np.loadtxt(folder / "response.csv", delimiter=",", skiprows=1, ndmin=2)
            self.frequency, self.gain = rows[:, 0], rows[:, 3]
        except (OSError, ValueError, KeyError, IndexError):
            fail(f"{folder} holds no sweep of beam_damper.")


def transfer_functions(sweeps):
    figure, panels = plt.subplots(1, len(methods), figsize=(page, 2.6), sharey=True, squeeze=False)
    for axes, (name, (title, _, _, _)) in zip(panels[0], methods.items()):
        for k, level in enumerate(levels):
            sweep = sweeps[name][level]
            axes.plot(sweep.frequency, sweep.gain, color=plt.cm.viridis(k / len(levels)), label=f"{level:g} g")
        axes.set(title=title, xlabel="frequency [Hz]")
    panels[0][0].set_ylabel("acceleration over force [1/kg]")
    legend_above(figure, len(levels), panels[0][0].get_legend_handles_labels()[0])
    return figure


def damping_ratios(sweeps):
    figure, axes = plt.subplots(figsize=(page, 3))
    for name, (title, _, colour, marker) in methods.items():
        axes.plot(levels, [sweeps[name][level].damping for level in levels], color=colour, marker=marker, label=title)
    axes.plot([0.75] * len(published), list(published.values()), color=grey, linestyle="", marker="x",
              label="published, 0.75 g")
    axes.set(xlabel="rms acceleration over g", ylabel="damping ratio [%]", ylim=(0, None))
    axes.legend()
    return figure


def table(sweeps):
    lines = ["| acceleration [g] | " + " | ".join(title for title, *_ in methods.values()) + " |",
             "|---" * (len(methods) + 1) + "|"]
    for level in levels:
        lines.append(f"| {level:g} | " + " | ".join(f"{sweeps[name][level].damping:.2f}" for name in methods) + " |")
    return "Damping ratio [%] by half-power points.\n\n" + "\n".join(lines) + "\n"


def main():
    arguments = plot_arguments("beam_damper", __doc__)
    make = Runs("beam_damper", arguments.out, arguments.again)
    sweeps = {name: {level: Sweep(make(f"{name}_{level:g}", {**options, "acceleration": level}, ["stepped-sine"]))
                     for level in levels} for name, (_, options, _, _) in methods.items()}
    save(transfer_functions(sweeps), arguments.out / "b22_fig11.png")
    save(damping_ratios(sweeps), arguments.out / "b22_fig12.png")
    save_text(table(sweeps), arguments.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
