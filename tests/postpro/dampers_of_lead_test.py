"""The plots of cantilever_damper and crank_damper: which runs they ask for, what they draw and tabulate of them."""
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import cantilever_damper
import crank_damper
from mocked import make_runs_by

matplotlib.rcParams["savefig.dpi"] = 30

columns = ["t", "x", "y", "z", "v", "force_y", "com_x", "com_y", "com_z", "turn_x", "torque_x"]


def write(folder, options, amplitude, status="finished", rows=2001):
    """A run that vibrates at 127 Hz."""
    folder.mkdir(parents=True, exist_ok=True)
    t = np.linspace(0, options.get("t-end", 2.0) * (rows - 1) / 2000, rows)
    y = amplitude * np.sin(2 * np.pi * 127 * t)
    table = np.stack([t] + [y if name in ("y", "v") else 0 * t + 1e-3 for name in columns[1:]], axis=1)
    text = [",".join(columns)] + [",".join(map(repr, map(float, row))) for row in table]
    (folder / "histories.csv").write_text("\n".join(text) + "\n")
    summary = {"status": status, "parameters": {"excitation": "force", "thickness": 2e-3, **options},
               "seconds": {"total": 1.5}, "coupling": {"iterations": 7}}
    (folder / "summary.json").write_text(json.dumps(summary))


class Plots(unittest.TestCase):
    def draw(self, script, make, *more):
        """Names and options of the runs made, the table, and the figures."""
        made = {}

        def make_run(job):
            name, options, _, may_fail, _ = job.run
            self.assertNotIn(name, made)  # none is made twice
            made[name] = options
            make(name, job.folder, options, may_fail)

        figures = {}

        def save(figure, path):  # to render them all would take long
            for axes in figure.axes:
                self.assertTrue(axes.lines or not axes.get_visible(), path)
            figures[path.name] = figure
            if len(figures) == 1:
                figure.savefig(path)
                self.assertGreater(path.stat().st_size, 1000)

        with tempfile.TemporaryDirectory() as place, mock.patch("run_folder.make_runs", make_runs_by(make_run)), \
                mock.patch("builtins.print"), mock.patch.object(script, "save", save), \
                mock.patch.object(sys, "argv", [script.__name__, "--out", place, *more]):
            script.main()
            return made, (Path(place) / "table.md").read_text(), figures

    def test_cantilever(self):
        amplitude = {"high_lumped": 0.4, "high_tight": 0.1}
        made, table, figures = self.draw(
            cantilever_damper, lambda name, folder, options, _: write(folder, options, amplitude.get(name, 0.2)))
        self.assertEqual(len(made), 3 + 3 * 7 + 2 + 2)
        self.assertEqual(made["tight_4mm"], {"t-end": 2.0, "coupling": "tight", "clearance": 4e-3})
        self.assertEqual(made["high_lumped"]["particles"], "lumped")
        self.assertEqual(set(figures), {"z20_fig17.png", "z20_fig18.png", "z20_fig19.png", "z20_fig20.png",
                                        "z20_fig21.png", "z20_fig22.png", "z20_fig23_24.png", "saturation.png"})
        self.assertIn("| 8 | 0.1414, 200.00 | 0.1414, 200.00 | 0.1414, 200.00 |", table)
        self.assertIn("| largest velocity [m/s] within 3 Hz | 0.4 | 0.1 |", table)
        self.assertIn("| rotating | 0.1414 | 1.000 |", table)

    def test_cantilever_quickly(self):
        made, table, figures = self.draw(cantilever_damper,
                                         lambda name, folder, options, _: write(folder, options, 0.2), "--quick")
        self.assertEqual(len(made), 3 + 3 * 2 + 2)  # rotating with shot, and lumped; not rotating is one of the others
        self.assertTrue(all(options["t-end"] == 0.5 for options in made.values()))
        self.assertNotIn("127 Hz", table)

    def test_crank(self):
        def make(name, folder, options, may_fail):
            if may_fail:
                write(folder, options, 0.2, "failed: it diverges", 12)
            else:
                write(folder, options, 0.3 if name == "index1" else 0.2)

        made, table, figures = self.draw(crank_damper, make)
        self.assertEqual({name for name in made if not name.startswith(("thin", "lumped"))},
                         {"index1", "index2", "index3", "original", "tight", "whole", "reduced"})
        self.assertEqual(made["tight"]["cut"], "contacts")
        self.assertEqual(made["thin_whole"]["thickness"], 1e-3)
        self.assertEqual(set(figures), {f"z22_fig{k}.png" for k in range(14, 20)})
        columns = np.reshape(figures["z22_fig16.png"].axes, (2, 2)).T  # torsion of both, side by side
        self.assertEqual([axes[0].get_title(loc="left") for axes in columns], ["tight", "explicit, index 1"])
        self.assertEqual({len(axes.lines) for axes in columns.flat}, {1})
        self.assertIn("| index2 | 2 | diverges at 0.011 s |", table)
        self.assertIn("| index1 | 2 | finished | 212.0", table)
        self.assertIn("| reduced | 2 | finished | 141.3", table)


if __name__ == "__main__":
    unittest.main()
