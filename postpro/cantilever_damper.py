"""The cantilever with a particle damper: Figs 17 to 24 of Zhang et al. (2020). The beam inside the theta-scheme
(`whole`), coupled (`tight`) and reduced to one mass, for clearances from 4 to 10 mm; at 127 Hz with spectra; rotating.
Runs that the figures need are made on the way; table.md has the amplitudes."""
import sys

import numpy as np
from run_folder import Run, RunFolder, Runs, plot_arguments
from style import blue, green, grey, legend_above, orange, page, red, save, save_text

import matplotlib.pyplot as plt

ways = {"whole": {}, "tight": {"coupling": "tight"}, "reduced": {"beam": "reduced"}}
lines = {"whole": dict(color=blue, label="whole, with the beam"),
         "tight": dict(color=green, linestyle="--", label="tight coupling"),
         "reduced": dict(color=red, linestyle=":", label="reduced model"),
         "lumped": dict(color=grey, label="lumped mass")}
shot = ["force_y", "com_x", "com_y", "com_z"]


def arguments(words=None):
    return plot_arguments("cantilever_damper", __doc__, words, quick="two clearances, half a second, no 127 Hz")


def wanted(chosen):
    return Study(chosen).wanted.values()


class Study:
    def __init__(self, chosen):
        self.quick = chosen.quick
        self.clearances = [4, 8] if self.quick else [4, 5, 6, 7, 8, 9, 10]  # mm
        self.t_end = 0.5 if self.quick else 2.0
        self.wanted, self.runs = {}, None
        for way, options in ways.items():
            self.want(f"lumped_{way}", {**options, "particles": "lumped"})
            for c in self.clearances:
                self.want(f"{way}_{c}mm", {**options, "clearance": 1e-3 * c})
        tight = {"coupling": "tight", "clearance": 8e-3}
        self.want("rotating_lumped", {**tight, "excitation": "rotating", "particles": "lumped"})
        self.want("rotating_tight", {**tight, "excitation": "rotating"})
        if not self.quick:
            high = {"excitation": "high", "clearance": 4e-3, "coupling": "tight"}
            self.want("high_lumped", {**high, "particles": "lumped"})
            self.want("high_tight", high)

    def want(self, name, options):
        self.wanted[name] = Run(name, {"t-end": self.t_end, **options})

    def run(self, name):
        grains = self.wanted[name].options.get("particles") != "lumped"
        columns = ["t", "x", "y", "z", "v", *(shot if grains else [])]
        return RunFolder(self.runs(name), "cantilever_damper", columns, ["excitation"])

    @property
    def steady(self):
        """The last half: [1, 2] s, as in the paper."""
        return self.t_end / 2

    def rms(self, run, column):
        x = run[column][run["t"] >= self.steady]
        return float(np.sqrt(np.mean((x - np.mean(x)) ** 2)))


def fig17(study):
    found = {way: study.run(f"lumped_{way}") for way in ways}
    figure, panels = plt.subplots(2, 1, figsize=(page, 3.8), sharex=True)
    for axes, column, factor, label in zip(panels, "yv", (1e3, 1), ("displacement [mm]", "velocity [m/s]")):
        for way, run in found.items():
            axes.plot(run["t"], factor * run[column], linewidth=0.8, **lines[way])
        axes.set_ylabel(label)
    panels[1].set_xlabel("time $t$ [s]")
    legend_above(figure, 3, panels[0].get_legend_handles_labels()[0])
    return figure, found


def fig18(study):
    found = {(way, c): study.run(f"{way}_{c}mm") for c in study.clearances for way in ways}
    rows = (len(study.clearances) + 1) // 2
    figure, grid = plt.subplots(rows, 2, figsize=(page, 1.5 * rows + 0.5), sharex=True, sharey=True, squeeze=False)
    for axes, c in zip(grid.flat, study.clearances):
        for way in ways:
            axes.plot(found[way, c]["t"], found[way, c]["v"], linewidth=0.6, **lines[way])
        axes.set_title(f"clearance {c} mm")
    for axes in grid.flat[len(study.clearances):]:
        axes.set_visible(False)
    for axes in grid[:, 0]:
        axes.set_ylabel("velocity [m/s]")
    for axes in grid[-1]:
        axes.set_xlabel("time $t$ [s]")
    legend_above(figure, 3, grid[0, 0].get_legend_handles_labels()[0])
    return figure, found


def saturation(study, found, lumped):
    """rms velocity of the steady state against the clearance."""
    figure, axes = plt.subplots(figsize=(page / 2, 2.4))
    for way in ways:
        axes.plot(study.clearances, [study.rms(found[way, c], "v") for c in study.clearances], marker="o",
                  **lines[way])
    axes.set(xlabel="clearance [mm]", ylabel="rms velocity [m/s]", ylim=(0, None))
    axes.legend()
    return figure


def spectrum(run, column, since):
    """One-sided amplitudes of a signal without its mean, with Hann's window, padded so that peaks lie between."""
    t, x = run["t"], run[column]
    x = x[t >= since - 1e-9]
    window, size = np.hanning(len(x)), 8 * len(x)
    amplitude = 2 * np.abs(np.fft.rfft((x - np.mean(x)) * window, size)) / np.sum(window)
    return np.fft.rfftfreq(size, t[1] - t[0]), amplitude


def fig19_20(study):
    found = {"lumped": study.run("high_lumped"), "tight": study.run("high_tight")}
    time, panels = plt.subplots(2, 1, figsize=(page, 3.8), sharex=True)
    spectra, both = plt.subplots(1, 2, figsize=(page, 2.6))
    for k, (column, factor, label) in enumerate((("y", 1e3, "displacement [mm]"), ("v", 1, "velocity [m/s]"))):
        for name, run in found.items():
            panels[k].plot(run["t"], factor * run[column], linewidth=0.5, **lines[name])
            f, amplitude = spectrum(run, column, 0.5)
            both[k].semilogy(f[f < 400], factor * amplitude[f < 400], linewidth=0.8, **lines[name])
        panels[k].set_ylabel(label)
        both[k].set(xlabel="frequency [Hz]", ylabel=label)
    panels[1].set_xlabel("time $t$ [s]")
    legend_above(time, 2, panels[0].get_legend_handles_labels()[0])
    legend_above(spectra, 2, both[0].get_legend_handles_labels()[0])
    return time, spectra, found


def rotating(study):
    return {"lumped": study.run("rotating_lumped"), "rotating": study.run("rotating_tight"),
            "still": study.run("tight_8mm")}


def fig21(study, found):
    figure = plt.figure(figsize=(page / 2, 3))
    axes = figure.add_subplot(projection="3d")
    for name, style in (("lumped", lines["lumped"]), ("rotating", dict(color=blue, label="shot"))):
        run = found[name]
        part = (run["t"] >= study.steady) & (run["t"] <= 1.5 * study.steady)
        axes.plot(run["x"][part], run["z"][part], 1e3 * run["y"][part], linewidth=0.8, **style)
    axes.set(xlabel="x [m]", ylabel="z [m]", zlabel="y [mm]")
    axes.legend()
    return figure


def fig22(found):
    figure, panels = plt.subplots(3, 1, figsize=(page, 4.6), sharex=True)
    styles = {"lumped": dict(color=grey, label="lumped mass, rotating"),
              "rotating": dict(color=blue, label="shot, rotating"),
              "still": dict(color=orange, linestyle="--", label="shot, not rotating")}
    for axes, column, factor, label in zip(panels, "xyz", (1, 1e3, 1), ("x [m]", "y [mm]", "z [m]")):
        for name, style in styles.items():
            axes.plot(found[name]["t"], factor * found[name][column], linewidth=0.7, **style)
        axes.set_ylabel(label)
    panels[2].set_xlabel("time $t$ [s]")
    legend_above(figure, 3, panels[0].get_legend_handles_labels()[0])
    return figure


def fig23_24(study, found):
    """Where the shot is in its container, over the last five periods: above its floor, and outwards."""
    figure, panels = plt.subplots(3, 1, figsize=(page, 4.2), sharex=True)
    for name, label, colour in (("still", "not rotating", orange), ("rotating", "rotating", blue)):
        run = found[name]
        part = run["t"] >= study.t_end - 5 / 15.5
        # Outwards is along the container's x axis, which turns with the beam.
        for axes, column in zip(panels, ("y", "com_y", "com_x")):
            axes.plot(run["t"][part], 1e3 * run[column][part], color=colour, label=label)
    for axes, label in zip(panels, ("container, y [mm]", "shot above floor [mm]", "shot outwards [mm]")):
        axes.set_ylabel(label)
    panels[2].set_xlabel("time $t$ [s]")
    legend_above(figure, 2, panels[0].get_legend_handles_labels()[0])
    return figure


def table(study, lumped, found, high, turning):
    text = ["| clearance [mm] | " + " | ".join(f"{way}: rms v [m/s], peak y [mm]" for way in ways) + " |",
            "|---" * (1 + len(ways)) + "|"]

    def cells(run):
        last = run["t"] >= study.steady
        y = run["y"][last]
        return f"{study.rms(run, 'v'):.4f}, {1e3 * np.max(np.abs(y - np.mean(y))):.2f}"

    text.append("| lumped mass | " + " | ".join(cells(lumped[way]) for way in ways) + " |")
    text += [f"| {c} | " + " | ".join(cells(found[way, c]) for way in ways) + " |" for c in study.clearances]
    if high:
        text += ["", "| at 127 Hz | lumped mass | shot |", "|---|---|---|"]
        for column, factor, label in (("y", 1e3, "displacement [mm]"), ("v", 1, "velocity [m/s]")):
            peaks = []
            for run in high.values():
                f, amplitude = spectrum(run, column, 0.5)
                near = np.abs(f - 127) < 3
                peaks.append(f"{factor * np.max(amplitude[near]):.4g}")
            text.append(f"| largest {label} within 3 Hz | " + " | ".join(peaks) + " |")
    text += ["", "| rotation | rms v [m/s] | shot outwards, mean [mm] |", "|---|---|---|"]
    for name, run in turning.items():
        outwards = "" if name == "lumped" else f"{1e3 * np.mean(run['com_x'][run['t'] >= study.steady]):.3f}"
        text.append(f"| {name} | {study.rms(run, 'v'):.4f} | {outwards} |")
    return "\n".join(text) + "\n"


def main():
    chosen = arguments()
    study = Study(chosen)
    study.runs = Runs("cantilever_damper", chosen.out, study.wanted.values(), chosen.again)
    figure, lumped = fig17(study)
    save(figure, chosen.out / "z20_fig17.png")
    figure, found = fig18(study)
    save(figure, chosen.out / "z20_fig18.png")
    save(saturation(study, found, lumped), chosen.out / "saturation.png")
    turning = rotating(study)
    save(fig21(study, turning), chosen.out / "z20_fig21.png")
    save(fig22(turning), chosen.out / "z20_fig22.png")
    save(fig23_24(study, turning), chosen.out / "z20_fig23_24.png")
    high = {}
    if not study.quick:
        time, spectra, high = fig19_20(study)
        save(time, chosen.out / "z20_fig19.png")
        save(spectra, chosen.out / "z20_fig20.png")
    save_text(table(study, lumped, found, high, turning), chosen.out / "table.md")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
