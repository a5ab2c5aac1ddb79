"""The plots of shaken_cylinder, shear_test and stiffness_sizing: the runs they ask for, what they make of them."""
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import shaken_cylinder
import shear_test
import stiffness_sizing
from mocked import make_runs_by
from run_folder import Run, Runs


def write_table(path, table):
    rows = [",".join(table), *(",".join(repr(float(x)) for x in row) for row in zip(*table.values()))]
    path.write_text("\n".join(rows) + "\n")


def write_run(folder, options, table, more):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "summary.json").write_text(json.dumps({"status": "finished", "parameters": options, **more}))
    write_table(folder / "histories.csv", table)


class Plots(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def test_shaken_cylinder_compares_methods(self):
        def make(job):
            """A method is a millimetre higher than DEM, takes 2 s for 0.5 s, and dissipates 1 J per second."""
            options = job.run.options
            t = np.linspace(0, options["t-end"], 101)
            up = 0 if options.get("friction-model") == "elastic" else 1e-3
            write_run(job.folder, options,
                      {"t": t, "z_com": np.sin(t) + up, "z_wall": 0 * t, "force_z": 0 * t, "dissipated": t},
                      {"t": options["t-end"], "steps": 1000, "seconds": {"total": 2.25, "output": 0.25},
                       "grains": {"number": 151}})

        with mock.patch("run_folder.make_runs", make_runs_by(make)):
            of = ("dem_elastic", "rigid")
            runs = Runs("shaken_cylinder", self.folder,
                        [Run(method, shaken_cylinder.options_of(3, method, 0.5)) for method in of])
            found = {(3, method): shaken_cylinder.read(runs(method)) for method in of}
        text = shaken_cylinder.table(found, 0.5)
        self.assertIn("| 3 | 151 | DEM, elastic | 0.00 | 100.00 | 4 | 13245 |", text)
        self.assertIn("| 3 | 151 | nonsmooth | 1.00 | 100.00 | 4 | 13245 |", text)
        shaken_cylinder.fig4(found, [3])
        line = shaken_cylinder.fig5(found).axes[0].get_lines()[0]
        self.assertEqual([line.get_xdata()[0], line.get_ydata()[0]], [151, 4])
        for run in found.values():
            run.summary["grains"]["number"] = 150  # not by the table of the paper
        with self.assertRaises(SystemExit) as refused:
            shaken_cylinder.table(found, 0.5)
        self.assertIn("150 balls of 3 mm, and the published number is 151", str(refused.exception))

    def test_shear_is_taken_over_the_normal_force_at_its_start(self):
        t = np.linspace(0, 2.6, 26001)
        moved = np.clip(0.1 * (t - 2.5), 0, None)
        folder = self.folder / "run"
        write_run(folder, {"particles": 10, "seed": 1},
                  {"t": t, "shift": moved, "shear": 3 * (moved > 4e-3) + 1.0, "normal": np.where(t <= 2.5, 10, 99)}, {})
        run = shear_test.RunFolder(folder, "shear_test", shear_test.columns, ["seed"])
        shift = np.arange(0.05e-3, 10e-3, 0.1e-3)
        curve, normal = shear_test.ratio(run, shift)
        self.assertAlmostEqual(normal, 10)
        np.testing.assert_allclose(curve[:39], 0.1)
        np.testing.assert_allclose(curve[41:], 0.4)
        curves = {"dem_elastic": [curve, 3 * curve]}
        shear_test.figure_of(curves, shift)
        self.assertIn("| DEM, elastic | 2 | 15 | 0.800 | 0.800 | 0.400 |",
                      shear_test.table(curves, {"dem_elastic": [10, 20]}, shift))

    def test_stiffness_sizing_draws_what_the_study_wrote(self):
        f, a = (x.ravel() for x in np.meshgrid([1, 10, 100], [0.1, 1, 10], indexing="ij"))
        write_table(self.folder / "speedup.csv",
                    {"frequency": f, "acceleration_g": a, "speedup": 10 / a, "by_duration": f > 10})
        write_table(self.folder / "sizing.csv",
                    {"configuration": [1, 1, 1], "relative_stiffness": [1, 0.1, 0.01], "error": [0, 0.01, 0.3],
                     "eta": [0.01, 0.03, 0.1], "beta": [2, 2.1, 2.2]})
        stiffness_sizing.fig2(stiffness_sizing.read(self.folder, "speedup.csv",
                                                    ["frequency", "acceleration_g", "speedup", "by_duration"]))
        sizing = stiffness_sizing.read(self.folder, "sizing.csv", ["configuration", "error", "eta", "beta"])
        left, right = stiffness_sizing.fig8(sizing, ["original"], 0.05).axes
        self.assertEqual(list(left.get_lines()[0].get_ydata()), [0, 0.01, 0.3])
        self.assertEqual(list(right.get_lines()[0].get_ydata()), [2, 2.1, 2.2])
        self.assertIn("| original | 0.030 | 0.11 | 2.10 | 2.7 |", stiffness_sizing.table_of(
            {"original": {"eta": 0.03, "published_eta": 0.11, "beta": 2.1, "published_beta": 2.7}}))

    def test_shaken_cylinder_names_its_runs(self):
        chosen = shaken_cylinder.arguments(["--diameters", "3", "2", "--cost-of", "0.5", "2"])
        names = [run.name for run in shaken_cylinder.wanted(chosen)]
        self.assertEqual(len(names), 12)  # 2 mm is there anyway
        self.assertEqual((names[0], names[-1]), ("3mm_dem_elastic", "0.5mm_rigid_cost"))
        names = [run.name for run in shaken_cylinder.wanted(shaken_cylinder.arguments([]))]
        self.assertEqual(len(names), 4 * 5 + 2 * 2)
        self.assertLessEqual({"1mm_compliant", "0.75mm_dem_elastic_cost", "0.5mm_rigid_cost"}, set(names))

    def test_stiffness_sizing_puts_all_of_table_5_in_one_figure(self):
        def make(job):
            """A study of one configuration, numbered as in Table 5."""
            number = stiffness_sizing.configurations.index(job.run.name) + 1
            job.folder.mkdir(parents=True)
            write_table(job.folder / "speedup.csv", {"frequency": [1, 1, 10, 10], "acceleration_g": [1, 10, 1, 10],
                                                     "speedup": [1, 2, 3, 4], "by_duration": [0, 0, 0, 1]})
            write_table(job.folder / "responses.csv", {"configuration": [number] * 2, "relative_stiffness": [1, 1],
                                                       "frequency": [8, 9], "rms": [1e-3, 2e-3]})
            write_table(job.folder / "sizing.csv", {"configuration": [number] * 2, "relative_stiffness": [1, 0.1],
                                                    "error": [0, 0.1], "eta": [0.01, 0.02], "beta": [2, number]})
            results = {"configurations": stiffness_sizing.configurations, "sizing": {
                job.run.name: {"eta": 0.1, "published_eta": 0.1, "beta": number, "published_beta": 2}}}
            (job.folder / "summary.json").write_text(json.dumps(
                {"status": "finished", "parameters": {**job.parameters, "accept": 0.05}, "results": results}))

        figures = {}
        with mock.patch("run_folder.make_runs", make_runs_by(make)), mock.patch("builtins.print"), \
                mock.patch.object(sys, "argv", ["stiffness_sizing", "--out", str(self.folder)]), \
                mock.patch.object(stiffness_sizing, "save", lambda figure, path: figures.update({path.name: figure})):
            stiffness_sizing.main()
        self.assertEqual(list(figures), ["fig2.png", "fig7.png", "fig8.png"])
        left, right = figures["fig8.png"].axes
        curves = {line.get_label(): line.get_ydata()[-1] for line in right.get_lines()}
        self.assertEqual(curves, {name: k + 1 for k, name in enumerate(stiffness_sizing.configurations)})
        rows = (self.folder / "table.md").read_text().splitlines()
        self.assertEqual(len(rows), 2 + 12)
        self.assertEqual(rows[-1], "| gravity-parallel | 0.100 | 0.10 | 12.00 | 2.0 |")
        self.assertEqual([run.name for run in stiffness_sizing.wanted(stiffness_sizing.arguments(
            ["--configuration", "capsule"]))], ["capsule"])


if __name__ == "__main__":
    unittest.main()
