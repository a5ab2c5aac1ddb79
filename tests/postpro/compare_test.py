"""The comparison of methods: which runs, errors against a closed form and against a method, what does not apply."""
import contextlib
import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis compare installs them

here = Path(__file__).resolve().parent
postpro = here.parents[1] / "postpro"
sys.path.insert(0, str(postpro))
import compare
import stub_model
from model_program import Model


def solution(h, order, t_end=1.0):
    """What the stub has computed at its end, with record-every 1."""
    a = (1 - h if order == 1 else 1 - h + h * h / 2)**round(t_end / h)
    return a


class Errors(unittest.TestCase):
    def test_a_deviation_is_measured_by_how_the_reference_varies(self):
        t = np.linspace(0, 1, 1001)
        y = np.sin(2 * np.pi * t)
        self.assertAlmostEqual(compare.deviation(t, y + 0.1, t, y), 0.1 * np.sqrt(2), places=3)
        self.assertAlmostEqual(compare.deviation(t, 5 + 1.1 * y, t, 5 + y), 0.1)  # an offset does not hide it
        self.assertAlmostEqual(compare.deviation(t, np.full(1001, 5.5), t, np.full(1001, 5.0)), 0.1)  # a constant
        self.assertEqual(compare.deviation(t, 0 * t, t, 0 * t), 0)
        self.assertEqual(compare.deviation(t, 0 * t + 1, t, 0 * t), np.inf)

    def test_other_times_are_met_by_lines_between(self):
        t = np.linspace(0, 1, 11)
        self.assertAlmostEqual(compare.deviation(t[:-1] + 0.05, 3 * (t[:-1] + 0.05), t, 3 * t), 0)
        self.assertAlmostEqual(compare.deviation(np.array([0, 0.5, 2]), np.array([0, 1.5, 99]), t, 3 * t), 0)

    def test_order_is_that_of_the_least_steps(self):
        rows = [{"h": h, "error": 7 * h**2} for h in (0.4, 0.2, 0.1)]
        self.assertAlmostEqual(compare.order(rows), 2)
        self.assertTrue(np.isnan(compare.order(rows[:1])))


class Comparing(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def compare(self, *words, code=0):
        environment = {**os.environ, "TAMIS_PROGRAM": str(here / "stub_model.py"), "HOME": str(self.folder)}
        done = subprocess.run(["/usr/bin/python3", "-B", postpro / "compare.py", *words, "--out", self.folder / "c",
                               "--no-report", "--log", self.folder / "log"], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def rows(self):
        with open(self.folder / "c" / "compare.csv") as file:
            return {(r["method"], float(r["h"])): r for r in csv.DictReader(file)}

    def test_every_method_at_a_step_and_its_halves_against_a_method(self):
        said = self.compare()
        rows = self.rows()
        self.assertEqual(sorted(rows), sorted([(m, h) for m in ("moreau-jean", "moreau-jean-midpoint", "absolute",
                                                                "loose") for h in (0.01, 0.005, 0.0025)]
                                              + [("moreau-jean-midpoint", 0.000625)]))
        h = 0.0025
        k = np.arange(0, 401, 4)  # recorded every 0.01 s
        reference = (1 - 0.000625 + 0.000625**2 / 2)**(4 * k)
        error = np.sqrt(np.mean(((1 - h)**k - reference)**2)) / np.std(reference)
        self.assertAlmostEqual(float(rows["moreau-jean", h]["error"]), error, places=10)
        self.assertIn("| moreau-jean | 0.0025 |", said)
        self.assertRegex(said, r"\| moreau-jean \| 0.0025 \| \S+ \| 1.0 \|")
        self.assertRegex(said, r"\| absolute \| 0.0025 \| \S+ \| 2.[01] \|")  # the reference has h^2 of its own
        self.assertIn("- smooth: It knows no contacts.", said)
        self.assertRegex(said, "Error of the reference itself: about .*e-07")
        self.assertAlmostEqual(float(rows["absolute", h]["cost_s_per_s"]), 0.4)
        self.assertTrue((self.folder / "c" / "work_precision.svg").is_file())
        self.assertEqual((self.folder / "c" / "compare.md").read_text(), said[said.index("stub by 4"):
                                                                               said.rindex(str(self.folder))])
        starts = len((self.folder / "log").read_text().splitlines())
        self.compare()  # all is there
        self.assertEqual(len((self.folder / "log").read_text().splitlines()), starts)

    def test_a_closed_form_is_the_reference_where_there_is_one(self):
        said = self.compare("--do", "exact", "--methods", "moreau-jean,absolute", "--halvings", "1")
        self.assertIn("errors against the closed form", said)
        rows = self.rows()
        self.assertEqual(len(rows), 4)
        t = np.arange(0, 101) * 0.01
        error = np.sqrt(np.mean((0.99**np.arange(101) - np.exp(-t))**2)) / np.std(np.exp(-t))
        self.assertAlmostEqual(float(rows["moreau-jean", 0.01]["error"]), error, places=10)

    def test_a_reference_that_fails_is_told(self):
        said = self.compare("--methods", "moreau-jean", "--do", "fail", code=1)
        self.assertIn("the reference, moreau-jean-midpoint at h = 0.000625 s, has failed: failed: no", said)

    def test_mistakes_are_told_in_a_sentence(self):
        for words, sentence in ((["--methods", "magic"], "There is no method 'magic' of this model; there are: more"),
                                (["--methods", "smooth"], "'smooth' does not apply: It knows no contacts."),
                                (["--reference", "magic"], "no method 'magic' to be the reference"),
                                (["--reference", "smooth"], "--reference smooth does not apply"),
                                (["--reference", "exact"], "declares no closed form of a: name a method"),
                                (["--reference-h", "-1"], "--reference-h is -1.0"),
                                (["--halvings", "99"], "--halvings is 99"),
                                (["--columns", "z"], "The model records no 'z'; it records: a, b."),
                                (["--frob"], "There is no option '--frob'")):
            err = io.StringIO()
            with contextlib.redirect_stderr(err), self.assertRaises(SystemExit) as end:
                chosen, options = compare.arguments(words)
                compare.Comparison(chosen, Model([str(here / "stub_model.py")], options))
            said = err.getvalue()
            self.assertEqual(end.exception.code, 2)
            self.assertIn(sentence, said)
            self.assertEqual(said.count("\n"), 1, said)

    def test_mbdyn_has_a_reason(self):
        about = stub_model.methods(stub_model.read([]))
        self.assertIn("models/mbdyn/stub.mbd", compare.with_mbdyn(about)[-1]["reason"])
        about["model"] = "particle_damper"
        with mock.patch.object(compare.shutil, "which", lambda name: None):
            self.assertEqual(compare.with_mbdyn(about)[-1]["reason"], "There is no program mbdyn on the PATH.")
        with mock.patch.object(compare.shutil, "which", lambda name: name):
            self.assertEqual(compare.with_mbdyn(about)[-1]["reason"], "")

    def test_mbdyn_has_an_input_for_each_step(self):
        jobs = [compare.mbdyn_job(compare.Job("particle_damper", compare.Run("mbdyn/h", {"h": h}), self.folder / "r"),
                                  self.folder) for h in (2.5e-5, 2.25e-5)]
        self.assertEqual(list(self.folder.iterdir()), [])  # not before it is needed
        for job in jobs:
            compare.write_mbdyn_input(job, 0.25)
        for job, h in zip(jobs, ("2.5e-05", "2.25e-05")):
            text = Path(job.run.options["peer-input"]).read_text()
            for line in (f"set: const real H = {h};", "set: const real T = 0.25;",
                         f'path, "{self.folder}/mbdyn_{h}.sock"'):
                self.assertIn(line, text)
            self.assertEqual(job.run.options["socket"], f"{self.folder}/mbdyn_{h}.sock")
            self.assertTrue(job.again)

    def test_the_page_has_all_that_was_found(self):
        self.compare()
        page = mock.MagicMock()
        with mock.patch.dict(sys.modules, report=mock.MagicMock(Report=page)), \
                contextlib.redirect_stdout(io.StringIO()):
            chosen, options = compare.arguments(["--out", str(self.folder / "c"), "--log", str(self.folder / "log")])
            results = compare.Results(compare.Comparison(chosen, Model([str(here / "stub_model.py")], options)))
            compare.write_report(results, self.folder / "c" / "work_precision.png")
        titles = [call.args[0] for call in page.return_value.plot.call_args_list]
        self.assertEqual(titles, ["Error against step", "Work and precision", "a"])
        text = " ".join(str(call) for call in page.return_value.method_calls)
        self.assertIn("('smooth', 'It knows no contacts.')", text)


if __name__ == "__main__":
    unittest.main()
