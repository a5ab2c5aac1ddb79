"""The plots of lim_oscillator: which runs they ask for, what they read of them, and how they refuse."""
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)  # skipped: tamis plot installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import lim_oscillator
from mocked import make_runs_by
from run_folder import Run, Runs

header = "case,variables,scheme,iterated,substeps,extrapolation,error\n"


def write_table(folder, H):
    """Errors that are H^(order + 1), the same for all schemes; of the whole system H."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [f"1,{v},{s},{i},5,{k},{H ** (k + 1)}\n" for v in lim_oscillator.panels
            for s, i in lim_oscillator.schemes for k in lim_oscillator.orders]
    (folder / "table.csv").write_text(header + f"1,monolithic,,,1,,{H}\n" + "".join(rows))


class Plots(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def make(self, job):
        self.made.append(job.run)
        if "all" in job.run.flags:
            write_table(job.folder, job.run.options["H"])

    def test_errors_are_those_of_the_tables(self):
        self.made = []
        with mock.patch("run_folder.make_runs", make_runs_by(self.make)):
            figure = lim_oscillator.error_figure(Runs("lim_oscillator", self.folder, lim_oscillator.wanted()))
        self.assertEqual([run.options["H"] for run in self.made if run.flags], lim_oscillator.steps)
        self.assertEqual(len(self.made), 2 * 6 + len(lim_oscillator.steps))
        for axes in figure.axes:
            curves = {line.get_label(): line for line in axes.get_lines()}
            self.assertEqual(list(curves["monolithic, one rate"].get_ydata()), [100 * H for H in lim_oscillator.steps])
            for k, (_, name) in lim_oscillator.orders.items():
                for _, _, label in lim_oscillator.schemes.values():
                    errors = curves[f"{label}, {name}"].get_ydata()
                    for H, error in zip(lim_oscillator.steps, errors):
                        self.assertAlmostEqual(error / (100 * H ** (k + 1)), 1)

    def test_runs_that_are_there_are_not_made_again(self):
        for again, made in ((False, 0), (True, 1)):
            self.made = []
            (self.folder / "a").mkdir(exist_ok=True)
            (self.folder / "a/summary.json").write_text(
                '{"status": "finished", "parameters": {"H": 0.001, "all": true, "case": "1"}}')
            with mock.patch("run_folder.make_runs", make_runs_by(self.make)):
                Runs("lim_oscillator", self.folder, [Run("a", {"H": 1e-3}, ("all",))], again)
            self.assertEqual(len(self.made), made)

    def test_refuse_what_is_no_table(self):
        def refused(words, action):
            with self.assertRaises(SystemExit) as ended:
                action()
            self.assertRegex(str(ended.exception.code), r"\A[^\n]*\.\Z")
            self.assertIn(words, ended.exception.code)

        refused("cannot read", lambda: lim_oscillator.table(self.folder))
        for text, words in (("a,b\n1,2\n", "is not a table"), (header, "has no rows"),
                            (header + "1,fs,jacobi,no,1,0,much\n", "is not a table")):
            (self.folder / "table.csv").write_text(text)
            refused(words, lambda: lim_oscillator.table(self.folder))
        (self.folder / "table.csv").write_text(header + "1,fs,jacobi,no,1,0,0.5\n")
        rows = lim_oscillator.table(self.folder)
        self.assertEqual(lim_oscillator.select(rows, case=1, variables="fs")["error"], 0.5)
        refused("has 0 rows", lambda: lim_oscillator.select(rows, case=2))


if __name__ == "__main__":
    unittest.main()
