"""The study of all dampers: what it makes, what it remembers, where it goes on, and what is quick about --quick."""
import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import matplotlib  # noqa: F401
    import numpy as np  # noqa: F401
except ImportError:
    sys.exit(77)  # skipped: tamis study installs them

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import dampers

there = list(dampers.parts)


class Study(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name) / "study"
        self.made, self.drawn = [], []
        self.ends = {}  # by the name of a run: what it says when it fails, or an exception
        self.draws = {}  # by model: the exit code of its plot

    def make_runs(self, jobs, ended):
        failed = {}
        for job in jobs:
            if job.there:
                continue
            end = self.ends.get(job.name)
            if isinstance(end, BaseException):
                raise end
            self.made.append(job.name)
            if end:
                failed[job.name] = end
            else:
                job.folder.mkdir(parents=True, exist_ok=True)
                (job.folder / "summary.json").write_text(
                    json.dumps({"status": "finished", "parameters": job.parameters}))
            ended(job, end)
        return failed

    def draw(self, part):
        self.drawn.append((part.model, part.failed))
        return self.draws.get(part.model, 0)

    def run_study(self, *arguments):
        """Exit code and what was printed."""
        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["dampers", "--out", str(self.folder), *arguments]), \
                mock.patch("run_folder.make_runs", self.make_runs), mock.patch("dampers.draw", self.draw), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                dampers.main()
                return 0, out.getvalue()
            except SystemExit as end:
                return (end.code if isinstance(end.code, int) else 1), out.getvalue() + str(end.code)

    def status(self):
        return {m: e["status"] for m, e in json.loads((self.folder / "dampers.json").read_text()).items()}

    def test_makes_each_run_once_and_draws_each_model_when_its_runs_are_there(self):
        self.assertEqual(self.run_study("--quick")[0], 0)
        self.assertEqual([model for model, _ in self.drawn], there)
        self.assertEqual(list(dict.fromkeys(name.split("/")[0] for name in self.made)), there)
        self.assertEqual(len(self.made), len(set(self.made)))
        self.assertEqual(set(self.status().values()), {"done"})
        self.made.clear()
        self.drawn.clear()
        self.assertEqual(self.run_study("--quick")[0], 0)
        self.assertEqual((self.made, self.drawn), ([], []))
        self.run_study("--quick", "two_masses", "--again")
        self.assertEqual((self.made, self.drawn), ([], [("two_masses", False)]))

    def test_goes_on_where_it_was_stopped(self):
        self.ends["crank_damper/tight"] = SystemExit(130)
        self.assertEqual(self.run_study("--quick", "two_masses", "crank_damper")[0], 130)
        self.assertEqual(self.status(), {"two_masses": "done"})
        before = len(self.made)
        self.ends.clear()
        self.assertEqual(self.run_study("--quick", "two_masses", "crank_damper")[0], 0)
        self.assertEqual(self.made[before], "crank_damper/tight")
        self.assertEqual(len(self.made), len(set(self.made)))
        self.assertEqual([model for model, _ in self.drawn], ["two_masses", "crank_damper"])

    def test_a_failure_does_not_stop_the_others_and_is_named_at_the_end(self):
        self.ends["stability/maps_z22_fig5"] = "exit code 1: It is late."
        self.draws["cantilever"] = 1
        code, said = self.run_study("--quick")
        self.assertEqual(code, 1)
        self.assertEqual([model for model, _ in self.drawn], [model for model in there if model != "stability"])
        self.assertIn("dampers: stability/maps_z22_fig5 failed, exit code 1: It is late.\n", said)
        self.assertRegex(said, r"1 of \d+ runs failed, and figures are missing of: stability, cantilever\.")
        self.assertEqual([m for m, status in self.status().items() if status == "failed"], ["stability", "cantilever"])
        self.made.clear()
        self.drawn.clear()
        self.ends.clear()
        self.draws.clear()
        self.assertEqual(self.run_study("--quick")[0], 0)
        self.assertEqual(self.made, ["stability/maps_z22_fig5"])
        self.assertEqual([model for model, _ in self.drawn], ["cantilever", "stability"])

    def test_maps_are_drawn_without_the_runs_that_failed(self):
        self.ends["damping_map/elastic/frequency_50_level_4"] = "exit code 1: no"
        code, said = self.run_study("--quick", "damping_map")
        self.assertEqual((code, self.drawn), (1, [("damping_map", True)]))
        self.assertIn("of the runs that are there", said)
        self.assertEqual(self.status(), {"damping_map": "failed"})

    def test_a_model_whose_runs_have_gone_is_open_again(self):
        self.run_study("--quick", "cantilever")
        (self.folder / "cantilever" / "force" / "summary.json").unlink()
        self.assertIn("cantilever         open    3 of 4 runs", self.run_study("--quick", "cantilever", "--list")[1])
        self.run_study("--quick", "cantilever")
        self.assertEqual(self.made[4:], ["cantilever/force"])

    def test_lists_without_doing(self):
        code, said = self.run_study("--list")
        self.assertEqual((code, self.made), (0, []))
        self.assertEqual([line.split()[:3] for line in said.splitlines()], [[model, "open", "0"] for model in there])
        self.assertFalse(self.folder.exists())

    def test_refuses_what_it_does_not_know(self):
        self.assertIn("no model 'drum' in this study", self.run_study("drum")[1])
        self.folder.mkdir()
        (self.folder / "dampers.json").write_text("[1]")
        self.assertIn("remove it", self.run_study()[1])


class Quick(unittest.TestCase):
    def test_every_model_has_a_quick_variant_that_passes_for_no_other(self):
        for model in there:
            full, quick = ({job.run.name: job for job in dampers.Part(model, Path("out"), q).jobs}
                           for q in (False, True))
            self.assertLessEqual(len(quick), len(full), model)
            self.assertNotEqual([j.parameters for j in quick.values()], [j.parameters for j in full.values()], model)
            for name in full.keys() & quick.keys():
                if full[name].parameters != quick[name].parameters:
                    self.assertFalse(full[name].parameters.items() <= quick[name].parameters.items(), name)

    def test_help_says_what_is_quick(self):
        for model in there:
            out = io.StringIO()
            with contextlib.redirect_stdout(out), self.assertRaises(SystemExit):
                dampers.Part(model, Path("out"), True).script.arguments(["--help"])
            self.assertIn("not the published numbers", " ".join(out.getvalue().split()), model)


if __name__ == "__main__":
    unittest.main()
