"""The plots of two_masses and double_pendulum: which runs they ask for, and what they make of them."""
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
import double_pendulum
import two_masses
from mocked import make_runs_by
from run_folder import Runs


def write_run(folder, model, options, table):
    folder.mkdir(parents=True, exist_ok=True)
    parameters = {"m1": 1, "k1": 1, "length": 0.4, "coupling": "monolithic", **options}
    (folder / "summary.json").write_text(json.dumps(
        {"model": model, "status": "finished", "parameters": parameters,
         "coupling": {"iterations": round(1 / options["h"])}}))
    rows = [",".join(table), *(",".join(repr(float(x)) for x in row) for row in zip(*table.values()))]
    (folder / "histories.csv").write_text("\n".join(rows) + "\n")


class Plots(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)
        self.made = []

    def runs(self, script, *words):
        return Runs(script.__name__, self.folder, script.wanted(script.arguments(["--out", str(self.folder), *words])))

    def make_two_masses(self, job):
        """Errors at the end are h times 1 to 4."""
        options = job.run.options
        self.made.append(options)
        t = np.linspace(0, options["t-end"], 5)
        table = {"t": t, "x1": t, "x2": 2 * t, "x": 0 * t, "v1": 1 + t, "v": 1 + 0 * t}
        for k, column in enumerate(("error_x1", "error_v1", "error_x2", "error_v2")):
            table[column] = np.linspace(0, (k + 1) * options["h"], 5)
        write_run(job.folder, job.model, options, table)

    def test_two_masses_take_errors_from_the_end_of_runs(self):
        steps = two_masses.steps
        with mock.patch("run_folder.make_runs", make_runs_by(self.make_two_masses)):
            runs = self.runs(two_masses)
            first = two_masses.errors_of_table_1(runs, list(two_masses.table_1))
            errors = two_masses.errors_of_fig9(runs, steps)
            two_masses.fig8(runs)
            two_masses.fig11(runs)
        self.assertEqual(first, [(h, 3 * h, round(1 / h)) for h in two_masses.table_1])
        for scheme, rows in errors.items():
            self.assertEqual(rows, [[h, 2 * h, 3 * h, 4 * h] for h in two_masses.steps])
        for options in self.made:
            self.assertEqual(options.get("coupling-iterations"), 10 if options["rho-inf"] == 0.56 and
                             options["coupling"] == "tight" else None)
        lines = two_masses.fig9(errors, steps).axes[1].get_lines()
        self.assertEqual(list(lines[0].get_ydata()), [2 * h for h in two_masses.steps])
        text = two_masses.tables(first, errors, steps)
        self.assertIn("| 0.001 | 0.003 | 0.0323 | 1000 | 1732 |", text)
        self.assertIn("| tight | 1e-05 | 1.00000e-05 | 2.00000e-05 | 3.00000e-05 | 4.00000e-05 |", text)

    def test_double_pendulum_is_compared_with_the_solution(self):
        exact = double_pendulum.solution()

        def make(job):
            options = job.run.options
            every = round(options["h"] / 1e-3)
            rows = exact[::every]
            t = np.arange(len(rows)) * options["h"]
            off = options["h"] if options.get("coupling") else 0
            table = {"t": t, "opening": t * off}
            for k, column in enumerate(double_pendulum.columns):
                table[column] = rows[:, k] + (k + 1) * off
            write_run(job.folder, job.model, options, table)

        with mock.patch("run_folder.make_runs", make_runs_by(make)):
            text = double_pendulum.table(self.runs(double_pendulum), exact)
            double_pendulum.figure_of(self.runs(double_pendulum), exact)
        self.assertIn("| smooth | 0.002 | 0.00e+00 | 0.00e+00 | 0.0e+00 |", text)
        self.assertIn("| tight | 0.004 | 8.00e-03 | 1.60e-02 | 2.0e-02 |", text)

    def test_solution_is_that_of_an_independent_integration(self):
        """Of eighth order, at 0.498 and 4.998 s."""
        exact = double_pendulum.solution()
        for t, row in ((498, (1.22540218979, 1.6310216643, -1.87113661436, -0.267558162849)),
                       (4998, (-1.48173199052, 0.545068992178, -0.140736360644, 2.18320557755))):
            np.testing.assert_allclose(exact[t], row, atol=2e-10, rtol=0)


if __name__ == "__main__":
    unittest.main()
