"""Commands with programs of real models, as ./tamis starts them once they are built: a comparison, a campaign, a page
about their runs, and derivatives of a run. Skipped, saying so, without the programs or what a page is made by."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import matplotlib  # noqa: F401
except ImportError:
    print("skipped: there is no matplotlib; tamis sweep installs it")
    sys.exit(77)

postpro = Path(__file__).resolve().parents[2] / "postpro"
sys.path.insert(0, str(postpro))
from report.bundle import bundle
from run_folder import program_of

for model in ("slider_crank", "two_masses"):
    if not program_of(model).is_file():
        print(f"skipped: there is no {program_of(model)}; tamis build makes it")
        sys.exit(77)
try:
    bundle()
except SystemExit as reason:
    print(f"skipped: {reason}")
    sys.exit(77)


class EndToEnd(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def start(self, *words, model=None):
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive"}
        if model:
            environment["TAMIS_PROGRAM"] = str(program_of(model))
        done = subprocess.run([str(word) for word in words], env=environment, cwd=self.place, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def script(self, name, *words, model=None):
        return self.start("/usr/bin/python3", "-B", postpro / f"{name}.py", *words, model=model)

    def table(self, path):
        with open(self.place / path) as file:
            return list(csv.DictReader(file))

    def made(self, folder):
        """When the runs in the folder were made."""
        return {path: path.stat().st_mtime_ns for path in (self.place / folder).rglob("summary.json")}

    def test_a_comparison_is_made_once_and_is_right(self):
        """Methods of second order are much nearer to the reference than those of first order; and those that solve the
        same equations in other coordinates are where the others are."""
        words = ["--halvings", "0", "--t-end", "0.004"]
        said = self.script("compare", *words, model="slider_crank")
        rows = self.table("out/slider_crank_compare/compare.csv")
        self.assertEqual({row["status"] for row in rows}, {"finished"}, said)
        error = {row["method"]: float(row["error"]) for row in rows if float(row["h"]) == 1e-5}
        self.assertLess({"moreau-jean", "absolute"}, set(error))
        for name in ("moreau-jean-midpoint", "generalized-alpha"):
            self.assertLess(error[name], error["moreau-jean"] / 30, said)
        self.assertAlmostEqual(error["moreau-jean-cut-xy"] / error["moreau-jean"], 1, places=2)
        self.assertIn("- smooth: The smooth method knows no contacts", said)
        self.assertTrue((self.place / "out/slider_crank_compare/report.html").is_file())
        before = self.made("out/slider_crank_compare")
        again = self.script("compare", *words, model="slider_crank")
        self.assertNotIn(" took ", again)
        self.assertTrue(again.endswith(said[said.index("out/"):]), again)
        self.assertEqual(self.made("out/slider_crank_compare"), before)

    def test_a_campaign_is_made_once_and_reported(self):
        words = ["--vary", "clearance=1e-3,2e-3", "--t-end", "0.01", "--frames", "4"]
        self.script("sweep", *words, model="slider_crank")
        rows = self.table("out/slider_crank_sweep/campaign.csv")
        self.assertEqual([(float(row["clearance"]), row["status"]) for row in rows],
                         [(1e-3, "finished"), (2e-3, "finished")])
        folders = [self.place / "out/slider_crank_sweep/runs" / row["run"] for row in rows]
        for row, folder in zip(rows, folders):
            last = json.loads((folder / "summary.json").read_text())["columns"]["theta1"]["last"]
            self.assertEqual(float(row["theta1_last"]), last)
        before = self.made("out/slider_crank_sweep")
        self.script("sweep", *words, model="slider_crank")
        self.assertEqual(self.made("out/slider_crank_sweep"), before)
        self.script("run_report", *folders, "-o", "both.html")
        page = (self.place / "both.html").read_text()
        for row in rows:
            self.assertIn(row["run"], page)
        self.assertEqual(page.count('<figure class="player"'), 2)

    def test_derivatives_of_a_run_are_those_of_its_closed_form(self):
        """x = v sin(wt) / w with w^2 = k / M: dx/dk = v (wt cos(wt) - sin(wt)) / (2 k w). The midpoint rule is of
        second order: its own frequency is w (1 - (wh)^2 / 12)."""
        h, t, k, mass, v = 1e-4, 0.05, 5000, 2, 0.1
        self.start(program_of("two_masses"), "--analysis", "sensitivity", "--by", "k1,speed", "--of", "x1", "--t-end",
                   t, "--h", h, "--force", "midpoint", "--quiet", "--out", "a")
        found = json.loads((self.place / "a/analysis.json").read_text())["sensitivity"]["x1 last"]
        w = math.sqrt(k / mass)
        for option, exact in (("k1", v * (w * t * math.cos(w * t) - math.sin(w * t)) / (2 * k * w)),
                              ("speed", math.sin(w * t) / w)):
            self.assertAlmostEqual(found[option]["derivative"] / exact, 1, delta=10 * (w * h)**2)


if __name__ == "__main__":
    unittest.main()
