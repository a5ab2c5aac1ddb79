"""The study of all dampers: what it starts, what it remembers, and where it goes on."""
import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "postpro"))
import dampers

there = [model for model in dampers.parts if dampers.script(model).is_file()]


class Study(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name) / "study"
        self.made = []
        self.ends = {}  # by model: an exit code, or an exception

    def run_study(self, *arguments):
        """Exit code and what was printed."""

        def make(model, folder, quick):
            self.made.append((model, quick))
            end = self.ends.get(model, 0)
            if isinstance(end, BaseException):
                raise end
            return end

        out = io.StringIO()
        with mock.patch.object(sys, "argv", ["dampers", "--out", str(self.folder), *arguments]), \
                mock.patch("dampers.make", make), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            try:
                dampers.main()
                return 0, out.getvalue()
            except SystemExit as end:
                return (end.code if isinstance(end.code, int) else 1), out.getvalue() + str(end.code)

    def status(self):
        return {m: e["status"] for m, e in json.loads((self.folder / "dampers.json").read_text()).items()}

    def test_makes_each_model_once(self):
        self.assertEqual(self.run_study()[0], 0)
        self.assertEqual(self.made, [(model, False) for model in there])
        self.assertEqual(set(self.status().values()), {"done"})
        self.made.clear()
        self.assertIn("is done", self.run_study()[1])
        self.assertEqual(self.made, [])
        self.run_study("two_masses", "--again")
        self.assertEqual(self.made, [("two_masses", False)])

    def test_goes_on_where_it_was_stopped(self):
        self.ends["two_masses"] = KeyboardInterrupt()
        code, said = self.run_study()
        self.assertEqual(code, 130)
        self.assertIn("goes on there", said)
        self.assertEqual(self.status()["two_masses"], "stopped")
        self.assertNotIn("cantilever_damper", self.status())
        self.ends.clear()
        before, self.made = self.made, []
        self.assertEqual(self.run_study()[0], 0)
        self.assertEqual([m for m, _ in self.made], there[len(before) - 1:])

    def test_a_failure_does_not_stop_the_others(self):
        self.ends["stability"] = 1
        code, said = self.run_study()
        self.assertEqual((code, len(self.made)), (1, len(there)))
        self.assertIn("no figures of stability", said)
        self.assertEqual(self.status()["stability"], "failed")
        self.made.clear()
        self.run_study()
        self.assertEqual(self.made, [("stability", False)])

    def test_quick_leaves_out_what_has_no_small_variant(self):
        self.run_study("--quick")
        self.assertEqual(self.made, [(m, True) for m in there if dampers.has_quick(m)])
        self.assertIn(("cantilever_damper", True), self.made)
        self.assertNotIn(("stability", True), self.made)

    def test_lists_without_doing(self):
        code, said = self.run_study("--list")
        self.assertEqual((code, self.made), (0, []))
        self.assertEqual([line.split()[:2] for line in said.splitlines()], [[model, "open"] for model in there])
        self.assertFalse(self.folder.exists())

    def test_refuses_what_it_does_not_know(self):
        self.assertIn("no model 'drum' in this study", self.run_study("drum")[1])
        self.folder.mkdir()
        (self.folder / "dampers.json").write_text("[1]")
        self.assertIn("remove it", self.run_study()[1])


if __name__ == "__main__":
    unittest.main()
