"""The plots of stability on maps whose stable points are known: those with w01h >= 10 rho_inf."""
import json
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
    sys.exit(77)  # skipped: tamis plot installs them

postpro = Path(__file__).resolve().parents[2] / "postpro"
sys.path.insert(0, str(postpro))
import stability

names = {"z20_fig6/a": "loose", "z20_fig6/b": "tight", "z22_fig5/a": "original inputs"}


def write(folder, names, parameters={}, steps=50):
    rows = [f"{k / steps},{10 * j / steps},{1 + 1e-7 if j >= k else 1.1},1"
            for k in range(steps + 1) for j in range(steps + 1)]
    for name in names:
        path = folder / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(["rho_inf,w01h,radius,radius_measured", *rows]) + "\n")
    results = {name: {"title": title} for name, title in names.items()}
    (folder / "summary.json").write_text(json.dumps(
        {"model": "stability", "status": "finished", "parameters": parameters, "results": results}))


class Plots(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.folder = Path(place.name)

    def plot(self, *arguments):
        return subprocess.run([sys.executable, postpro / "stability.py", *arguments], capture_output=True, text=True)

    def refused(self, words, *arguments):
        """In one sentence that has the words, instead of a traceback."""
        with mock.patch("sys.argv", ["stability.py", *map(str, arguments)]), self.assertRaises(SystemExit) as ended:
            stability.main()
        self.assertRegex(str(ended.exception.code), r"\Astability: [^\n]*\.\Z")
        self.assertIn(words, ended.exception.code)

    def test_squares_are_the_stable_points_of_every_other_line(self):
        write(self.folder, names)
        figures = stability.figures_of(stability.Run(self.folder))
        self.assertEqual(list(figures), ["z20_fig6", "z22_fig5"])
        shown = [axes for axes in figures["z20_fig6"].axes if axes.get_visible()]
        self.assertEqual([axes.get_title(loc="left") for axes in shown], ["(a) loose", "(b) tight"])
        squares = shown[0].lines[0].get_xydata()
        expected = [(k / 25, 0.4 * j) for k in range(26) for j in range(26) if j >= k]
        np.testing.assert_allclose(squares, expected, atol=1e-12)
        alone = [axes for axes in figures["z22_fig5"].axes if axes.get_visible()]
        self.assertEqual(len(alone), 1)

    def test_coarse_maps_are_shown_whole(self):
        values = np.repeat(np.arange(26), 3)
        self.assertTrue(stability.thinned(values)[0].all())
        self.assertEqual(stability.thinned(np.arange(27))[1], 14)

    def test_pictures_of_published_figures_need_no_new_run(self):
        for figure in stability.figures:
            write(self.folder / f"maps_{figure}", {f"{figure}/a": "tight"},
                  {"figure": figure, "rho-steps": 100, "w-steps": 200}, steps=5)
        ended = self.plot("--out", self.folder)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(ended.stdout.split(), [str(self.folder / f"{figure}.png") for figure in stability.figures])
        for path in ended.stdout.split():
            self.assertGreater(Path(path).stat().st_size, 4000)

    def test_figures_for_print_are_drawn_with_lines(self):
        write(self.folder, {"z22_fig5/a": names["z22_fig5/a"]})
        for kind, head in ("pdf", b"%PDF"), ("svg", b"<?xml"):
            ended = self.plot(self.folder, "--format", kind)
            self.assertEqual(ended.stdout.split(), [str(self.folder / f"z22_fig5.{kind}")], ended.stderr)
            self.assertTrue((self.folder / f"z22_fig5.{kind}").read_bytes().startswith(head))

    def test_own_map_is_drawn_into_its_folder(self):
        write(self.folder, {"map": "index1"}, {"rm": 0.5, "rk": 0.0, "rc": 0.0, "xi1": 0.0})
        ended = self.plot(self.folder)
        self.assertEqual(ended.stdout, f"{self.folder / 'map.png'}\n", ended.stderr)

    def test_other_folders_are_refused(self):
        self.refused("cannot read", self.folder / "nothing")
        (self.folder / "summary.json").write_text('{"model": "pendulum"}')
        self.refused("is not the summary of a stability run", self.folder)
        write(self.folder, {"map": "loose"}, {"rm": 1.0, "rk": 0.0, "rc": 0.0, "xi1": 0.0})
        (self.folder / "map.csv").write_text("a,b\n1,2\n")
        self.refused("is not a stability map", self.folder)
        (self.folder / "map.csv").unlink()
        self.refused("cannot read", self.folder)
        write(self.folder, {})
        self.refused("has no maps yet", self.folder)


if __name__ == "__main__":
    unittest.main()
