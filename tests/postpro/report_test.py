"""Reports on runs without a browser: how frames are read and packed, and what a page says of runs of all kinds."""
import contextlib
import io
import json
import re
import sys
import tempfile
import unittest
import warnings
from html import unescape
from pathlib import Path
from unittest import mock

try:
    import numpy as np
except ImportError:
    sys.exit(77)  # skipped: tamis report installs it

postpro = Path(__file__).resolve().parents[2] / "postpro"
sys.path.insert(0, str(postpro))
import run_files
import run_report
from frames import read_frames
from report.page import Report, Series, thin
from report.scene import Layer, Packed, Scene, coarse, find, layer, levels, pack, turn, turned
from report.vtp import NotVtp, Vtp
from view import view_of


class Folder(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def scene(self, **how):
        folder = run_files.write_run(self.place / f"run{len(list(self.place.iterdir()))}", **how)
        return Scene(read_frames(folder, "falling"), [0, 0, -9.81])


class Frames(Folder):
    def test_arrays_are_those_that_were_written(self):
        path = self.place / "a.vtp"
        points = np.random.default_rng(1).normal(size=(100, 3)).astype("f4")
        run_files.write_vtp(path, points, [(0, 1, 2), (3, 4, 5, 6)], [(7, 8)],
                            {"speed": np.arange(100, dtype="f4")}, {"body": np.array([1, 2, 3], "i4")},
                            {"name": ["one", "two"]})
        data = Vtp(path)
        np.testing.assert_array_equal(data.points, points)
        np.testing.assert_array_equal(data["PointData", "speed"], np.arange(100))
        np.testing.assert_array_equal(data.cells("Polys")[0], range(7))
        np.testing.assert_array_equal(data.cells("Polys")[1], [0, 3, 7])
        np.testing.assert_array_equal(data.cells("Lines")[0], [7, 8])
        self.assertEqual(data.strings(("FieldData", "name")), ["one", "two"])
        with self.assertRaisesRegex(NotVtp, "a.vtp has no readable array PointData/force"):
            data["PointData", "force"]

    def test_what_vtk_writes_is_read(self):
        try:
            from vtkmodules.util.numpy_support import numpy_to_vtk
            from vtkmodules.vtkCommonCore import vtkPoints
            from vtkmodules.vtkCommonDataModel import vtkPolyData
            from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter
        except ImportError:
            self.skipTest("without python3-vtk9")
        points = np.random.default_rng(2).normal(size=(20000, 3)).astype("f4")  # of several blocks
        places, data, writer = vtkPoints(), vtkPolyData(), vtkXMLPolyDataWriter()
        places.SetData(numpy_to_vtk(points))
        data.SetPoints(places)
        writer.SetInputData(data)
        writer.SetDataModeToBinary()
        writer.SetFileName(str(self.place / "b.vtp"))
        writer.Write()
        np.testing.assert_array_equal(Vtp(self.place / "b.vtp").points, points)

    def test_points_are_found_to_the_bit(self):
        among = np.random.default_rng(3).normal(size=(50, 3)).astype("f4")
        wanted = np.concatenate([among[[7, 3]], np.nextafter(among[[5]], np.float32(9))])
        self.assertEqual(list(find(wanted, among)), [7, 3, -1])
        self.assertEqual(list(find(wanted, among[:0])), [-1, -1, -1])

    def test_ends_of_chains_are_grains_or_points(self):
        ends, force, points = self.scene().chains[2]
        self.assertEqual(ends.tolist(), [[0, 1], [1, 7]])  # there are seven grains
        self.assertEqual(list(force), [10, 1])
        np.testing.assert_allclose(points, [[0.05, 0.05, 0]], rtol=1e-6)

    def test_equal_stones_share_a_shape_that_does_not_turn(self):
        scene = self.scene()
        numbers, shapes = scene.shapes
        self.assertEqual(numbers[0], 1)
        self.assertEqual(numbers[6], 0)  # a ball
        side = np.rint(127 / np.sqrt(3))
        self.assertLessEqual(np.max(np.abs(np.abs(shapes[0][0]) - side)), 1)
        self.assertEqual([len(triangles) for _, triangles in shapes][:2], [12, 4])

    def test_packed_grains_stay_within_three_quarters_of_a_step(self):
        scene = self.scene(frames=12)
        packed, n = Packed(scene), scene.grains
        data = np.frombuffer(packed.blobs["grains"], np.uint8).reshape(12, 17, n)
        change = (data[:, 0:14:2].astype(np.uint16) | data[:, 1:14:2].astype(np.uint16) << 8).view(np.int16)
        shown = np.cumsum(change, axis=0, dtype=np.int16)
        for f in range(12):
            centres, q = run_files.poses(n, f)
            x = shown[f, :3].T * packed.quantum + packed.origin
            self.assertLess(np.max(np.abs(x - centres)), 0.76 * packed.quantum)
            got = shown[f, 3:].T / turn
            self.assertLess(np.max(np.minimum(np.abs(got - q).max(axis=1), np.abs(got + q).max(axis=1))), 0.76 / turn)
        self.assertEqual(list(data[3, 14]), [levels, levels * 2 // 3 + 1, 11, 1] + [levels, 21, 11])
        self.assertEqual(list(data[3, 16]), [0, 1, 2, 3, 4, 5, 0])

    def test_what_does_not_fit_is_left_out_and_told(self):
        scene = self.scene(frames=60)
        whole, _, notes = pack(scene, 100)
        self.assertEqual((len(whole["times"]), notes), (60, []))
        half, _, notes = pack(scene, 1e-3)
        self.assertEqual((len(half["times"]), notes), (15, ["15 of the 60 frames are in this page."]))
        self.assertEqual(half["times"], whole["times"][::4])

    def test_frame_that_cannot_be_read_is_told(self):
        folder = run_files.write_run(self.place / "broken")
        (folder / "frames/falling_points_000002.vtp").write_text("<VTKFile")
        scene = Scene(read_frames(folder, "falling"))
        counts = {len(x) for x in (scene.times, scene.poses, scene.bodies.frames, scene.walls.frames, scene.chains)}
        self.assertEqual(counts, {5})
        self.assertIn("t = 0.2 s cannot be read", scene.notes[0])

    def test_lists_need_not_name_forces(self):
        for grains, kind in ((7, "chains"), (0, "contacts")):
            folder = run_files.write_run(self.place / kind, grains=grains)
            path = folder / "falling.pvd"
            path.write_text(re.sub(rf' *<DataSet [^>]*name="{kind}"[^>]*>\n', "", path.read_text()))
            description, _, notes = pack(Scene(read_frames(folder, "falling")), 6)
            self.assertEqual((description["chains"], notes), ([[0, 0]] * 6, []))

    def test_grains_that_cross_the_whole_scene_in_a_frame(self):
        """Differences of int16 wrap round, without a complaint of the conversion."""
        scene = self.scene(frames=3)
        low, high = np.full(3, -40000.0), np.full(3, 40000.0)
        for k, pose in enumerate(scene.poses):
            pose["centre"] = np.tile(high if k % 2 else low, (scene.grains, 1))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            packed = Packed(scene)
        data = np.frombuffer(packed.blobs["grains"], np.uint8).reshape(3, 17, scene.grains)
        change = (data[:, 0:14:2].astype(np.uint16) | data[:, 1:14:2].astype(np.uint16) << 8).view(np.int16)
        shown = np.cumsum(change, axis=0, dtype=np.int16)[:, :3]
        self.assertTrue(np.all(shown[::2] == -32767) and np.all(shown[1] == 32767))

    def test_bodies_are_solids_and_walls_of_lines(self):
        scene = self.scene()
        (body,), (wall,) = scene.bodies.cells, scene.walls.cells
        self.assertEqual((body.corners.shape, len(body.colours), set(body.colours)), ((12, 3), 8, {2}))
        self.assertEqual((wall.corners.tolist(), set(wall.colours)), ([[0, 1], [1, 2], [2, 3], [3, 0]], {0}))
        self.assertEqual(scene.names, {0: "arm"})

    def test_run_without_solids_or_walls(self):
        for part in ("floor", "arm"):
            folder = run_files.write_run(self.place / part, grains=0)
            for f in range(6):
                run_files.bodies(folder / f"frames/falling_bodies_{f:06}.vtp", f, **{part: False})
            description, _, _ = pack(Scene(read_frames(folder, "falling")), 6)
            empty = description["layers"]["walls" if part == "floor" else "bodies"]
            self.assertEqual(empty, {"cells": [[0, 0]], "frames": [0] * 6})

    def test_cells_that_come_again_are_kept_once(self):
        kept = Layer()
        points = np.zeros((3, 3))
        for corners in ([[0, 1]], [[0, 2]], [[0, 1]]):
            kept.add(*layer(np.array(corners), np.array([0], np.uint8), points))
        self.assertEqual(len(kept.cells), 1)  # each has two points of its own
        kept.add(*layer(np.array([[0, 1], [1, 2]]), np.array([0, 0], np.uint8), points))
        kept.add(*layer(np.array([[0, 1]]), np.array([0], np.uint8), points))
        self.assertEqual([k for k, _ in kept.frames], [0, 0, 0, 1, 0])

    def test_frames_that_are_no_numbers_are_packed(self):
        folder = run_files.write_run(self.place / "exploded", grains=0)
        for k in (3, 4, 5):
            with mock.patch("run_files.cube", np.full((8, 3), np.nan)):
                run_files.bodies(folder / f"frames/falling_bodies_{k:06}.vtp", k)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            scene = Scene(read_frames(folder, "falling"))
            description, _, _ = pack(scene, 6)
        self.assertTrue(np.all(np.isfinite([*description["view"]["low"], *description["origin"]])))

    def test_coarse_shape_is_closed_and_inside(self):
        corners = np.rint(100 * np.random.default_rng(4).normal(size=(25, 3))).clip(-127, 127).astype(np.int8)
        kept, triangles = coarse(corners, 10)
        self.assertLessEqual(set(map(tuple, kept)), set(map(tuple, corners)))
        edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        self.assertTrue(np.all(np.unique(edges, axis=0, return_counts=True)[1] == 2))

    def test_quaternions_turn_as_matrices_do(self):
        q = np.array([0.5, -0.1, 0.7, 0.2])
        q /= np.linalg.norm(q)
        points = np.random.default_rng(5).normal(size=(4, 3))
        np.testing.assert_allclose(turned(points, np.tile(q, (4, 1))), points @ run_files.rotation(q).T, atol=1e-14)


class Views(unittest.TestCase):
    def test_box_just_fits_the_picture(self):
        low, high = np.array([-1.0, 0, 2]), np.array([3.0, 1, 5])
        for still, gravity in ((None, None), (None, [0, -9.81, 0]), (2, None), (1, [0, 0, -9.81])):
            view = view_of(low, high, still, gravity)
            right = np.cross(view.up, view.towards)
            right /= np.linalg.norm(right)
            above = np.cross(view.towards, right)
            eye = view.distance(30, 1.5) * view.towards
            corners = np.array([(i, j, k) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) * (high - low) / 2
            depth = (eye - corners) @ view.towards
            across = np.abs(corners @ right) / depth / np.tan(np.radians(15)) / 1.5
            upright = np.abs(corners @ above) / depth / np.tan(np.radians(15))
            self.assertLess(max(across.max(), upright.max()), 1)
            self.assertGreater(max(across.max(), upright.max()), 0.85)

    def test_planar_motion_is_seen_from_the_side_that_it_shows(self):
        view = view_of(np.zeros(3), np.ones(3), 2, [0, -9.81, 0])
        self.assertEqual((list(view.towards), list(view.up)), ([0, 0, 1], [0, 1, 0]))
        view = view_of(np.zeros(3), np.ones(3), 1, [0, 0, -9.81])
        self.assertEqual((list(view.towards), list(view.up)), ([0, -1, 0], [0, 0, 1]))


class Curves(unittest.TestCase):
    def test_thinned_curve_has_all_extremes_and_gaps(self):
        x = np.arange(100_000.0)
        y = np.sin(x)
        y[31_234], y[77_777] = 9, -8
        gap = y.copy()
        gap[50_000] = np.nan
        places, (a, b), size = thin(x, [y, gap])
        self.assertLessEqual(len(places), 4100)
        self.assertEqual(size, 50)
        self.assertTrue(np.all(np.diff(places) > 0))
        self.assertEqual((a.max(), a.min()), (9, -8))
        self.assertLess(abs(places[np.argmax(a)] - 31_234), size)
        self.assertEqual(np.isnan(b).sum(), 1)

    def test_short_curve_stays_as_it_is(self):
        x = np.arange(100.0)
        self.assertEqual(thin(x, [x])[2], 1)


class Pages(Folder):
    def report(self, *folders, **how):
        """What the page says in words."""
        out = self.place / "report.html"
        with mock.patch("report.page.bundle", return_value=""), contextlib.redirect_stdout(io.StringIO()):
            run_report.write([str(f) for f in folders], out, how.get("megabytes", 6))
        self.page = out.read_text()
        return unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(script|style).*?</\1>", "", self.page, flags=re.S)))

    def refused(self, *words):
        with mock.patch("sys.argv", ["run_report.py", *map(str, words)]), self.assertRaises(SystemExit) as ended:
            run_report.main()
        self.assertRegex(str(ended.exception.code), r"\Arun_report: [^\n]*\.\Z")
        return ended.exception.code

    def figures(self):
        text = re.search(r'<script type="application/json" id="data">(.*?)</script>', self.page, re.S)[1]
        return json.loads(text)["figures"]

    def labels(self):
        """Of the curves in each plot."""
        plots = [figure for figure in self.figures() if figure["kind"] == "plot"]
        return [[s["label"] for table in plot["tables"] for s in table["series"]] for plot in plots]

    def test_run_is_told_whole(self):
        said = self.report(run_files.write_run(self.place / "run"))
        for word in ("falling --quiet", "moreau-jean", "All 1 findings on the run are good", "3 (75 %)", "height",
                     "histories.csv"):
            self.assertIn(word, said)
        kinds = [figure["kind"] for figure in self.figures()]
        self.assertEqual(kinds[0], "player")
        self.assertEqual(self.labels()[:2], [["angle1", "angle2"], ["height"]])
        self.assertNotRegex(self.page, r"(src|href)=.https?:")

    def test_steps_that_did_not_converge_are_named_and_shown(self):
        said = self.report(run_files.write_run(
            self.place / "run", iterations={"steps_not_converged": 2, "not_converged_at_s": [0.1, 0.2]},
            verdict={"believable": "no", "findings": [
                {"name": "unconverged", "severity": "absurd", "value": 0.6, "sentence": "Raise --max-sweeps."}]}))
        self.assertIn("2 of 49 steps did not converge, at t = 0.1, 0.2 s", said)
        self.assertIn("Not believable.", said)
        self.assertIn("Raise --max-sweeps.", said)
        self.assertIn("not converged", str(self.figures()))

    def test_several_runs_are_compared(self):
        other = run_files.write_run(self.place / "b/run", parameters={"h": 0.02, "tolerance": 1e-4})
        said = self.report(run_files.write_run(self.place / "a/run"), other)
        self.assertIn("a/run", said)
        self.assertRegex(said, r"Options that differ.*\bh\s+0\.01\s+0\.02")
        self.assertIn(["a/run", "b/run"], self.labels())

    def test_run_that_goes_on(self):
        folder = run_files.write_run(self.place / "run", status="running", verdict={})
        with (folder / "histories.csv").open("a") as file:
            file.write("0.6,0.1")
        self.assertIn("still going", self.report(folder))

    def test_run_that_failed(self):
        folder = run_files.write_run(self.place / "run", frames=0, grains=0, status="failed: The disk is full.")
        said = self.report(folder)
        self.assertIn("The run failed: The disk is full.", said)
        self.assertIn("no frames", said)

    def test_cells_that_are_no_numbers(self):
        folder = run_files.write_run(self.place / "run")
        text = (folder / "histories.csv").read_text().replace("\n", "\nx,", 1)
        (folder / "histories.csv").write_text(text)
        self.assertIn("they are left out", self.report(folder))

    def test_histories_that_are_never_numbers(self):
        folder = self.place / "run"
        folder.mkdir()
        (folder / "histories.csv").write_text("t,a\n0,nan\n1,nan\n")
        said = self.report(folder)
        self.assertIn("a is never a number", said)
        self.assertIn("There is no summary.json", said)

    def test_histories_without_lines(self):
        folder = run_files.write_run(self.place / "run", grains=0)
        (folder / "histories.csv").write_text("t,a\n")
        self.assertIn("no two lines yet", self.report(folder))

    def test_text_of_a_run_is_no_markup(self):
        folder = run_files.write_run(self.place / "run", command="<script>alert(1)</script>", notes=["</script>&"])
        self.assertIn("<script>alert(1)</script>", self.report(folder) and unescape(self.page))
        self.assertNotIn("<script>alert", self.page)

    def test_mistakes_get_one_sentence(self):
        (self.place / "empty").mkdir()
        self.assertIn("holds nothing of a run", self.refused(self.place / "empty"))
        self.assertIn("there is no folder", self.refused(self.place / "absent"))
        run = run_files.write_run(self.place / "run")
        self.assertIn("--size -1", self.refused(run, "--size", "-1"))
        self.assertIn("is a folder", self.refused(run, "-o", self.place))
        with mock.patch("report.page.bundle", return_value=""):
            self.assertIn("cannot write", self.refused(run, "-o", "/dev/null/report.html"))
        (run / "falling.pvd").write_text("<VTKFile")
        self.assertIn("is not the list of frames", self.refused(run))

    def test_unknown_options_get_one_sentence(self):
        said = io.StringIO()
        with mock.patch("sys.argv", ["run_report.py", "out/a", "--frob"]), contextlib.redirect_stderr(said), \
                self.assertRaises(SystemExit) as ended:
            run_report.main()
        self.assertEqual((ended.exception.code, said.getvalue()),
                         (2, "tamis: Unrecognized arguments: --frob (see tamis report --help).\n"))

    def test_a_link_to_nothing_is_a_file_without_a_size(self):
        folder = run_files.write_run(self.place / "run")
        (folder / "elsewhere").symlink_to("absent")
        self.assertRegex(self.report(folder), r"elsewhere\s+–")

    def test_pace_is_what_the_run_has_told(self):
        folder = run_files.write_run(self.place / "run", pace={"t_s": [0.1, 0.2, 0.3], "work_s": [1.0, 2.0, 4.0]})
        t, pace = run_report.pace_of(run_report.Run(folder))
        np.testing.assert_allclose([t, pace], [[0.15, 0.25], [10, 20]])
        self.assertIn("Seconds of work for a simulated second", self.report(folder))
        self.assertIsNone(run_report.pace_of(run_report.Run(run_files.write_run(self.place / "old"))))

    def test_a_mode_of_an_analysis_is_played(self):
        folder = run_files.write_run(self.place / "analysis/mode_1", grains=0)
        for name in ("summary.json", "histories.csv"):
            (folder / name).unlink()
        (folder.parent / "analysis.json").write_text("{}")
        said = self.report(folder)
        self.assertEqual([figure["kind"] for figure in self.figures()], ["player"])
        self.assertNotIn("Doubtful", said)

    def test_numbers_that_are_none_are_null(self):
        page = Report("a")
        page.figure("player", {"a": [np.float64(1), float("nan")], "b": {"c": (np.inf, "d")}}, "what")
        with mock.patch("report.page.bundle", return_value=""):
            page.write(self.place / "a.html")
        self.page = (self.place / "a.html").read_text()
        self.assertEqual(self.figures(), [{"kind": "player", "a": [1, None], "b": {"c": [None, "d"]}}])

    def test_an_old_page_stays_until_the_new_one_is_whole(self):
        path = self.place / "a.html"
        path.write_text("old")

        def written(new, text):
            new.write_bytes(text[:10].encode())
            raise KeyboardInterrupt

        with mock.patch("report.page.bundle", return_value=""), mock.patch.object(Path, "write_text", written), \
                self.assertRaises(KeyboardInterrupt):
            Report("a").write(path)
        self.assertEqual([p.name for p in self.place.iterdir()], ["a.html"])
        self.assertEqual(path.read_text(), "old")

    def test_plots_of_other_pages(self):
        page = Report("Sweep")
        page.plot("by seed", [Series("runs", [2, 1, 1], [4, 5, 6], points=True)], log_x=True)
        with mock.patch("report.page.bundle", return_value=""):
            page.write(self.place / "sweep.html")
        self.page = (self.place / "sweep.html").read_text()
        self.assertEqual(self.figures()[0]["tables"][0]["rows"], 3)


if __name__ == "__main__":
    unittest.main()
