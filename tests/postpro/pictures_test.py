"""Pictures and movies of runs that have no script of their own, drawn off screen; skipped where VTK or its display is
not."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from argparse import Namespace
from pathlib import Path
from unittest import mock

try:
    import numpy as np
    import PIL  # noqa: F401
    import vtkmodules.vtkRenderingCore  # noqa: F401
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkIOImage import vtkPNGReader
except ImportError as reason:
    print(f"skipped: {reason}; tamis pictures installs it")
    sys.exit(77)

postpro = Path(__file__).resolve().parents[2] / "postpro"
sys.path.insert(0, str(postpro))
import gallery
import movie
import pictures
import run_files
from run_scene import RunScene, find_frames, limits
from vtk_scene import balls, behind, grain_centres, pick, points_of, read

display = shutil.which("xvfb-run")


def pixels(path):
    reader = vtkPNGReader()
    reader.SetFileName(str(path))
    reader.Update()
    image = reader.GetOutput()
    width, height, _ = image.GetDimensions()
    return vtk_to_numpy(image.GetPointData().GetScalars()).reshape(height, width, -1)[:, :, :3].astype(int)


class Pictures(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.run_folder = run_files.write_run(self.place / "run")

    def draw(self, script, *words):
        return subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", sys.executable,
                               postpro / script, *map(str, words)], capture_output=True, text=True)

    def refused(self, words, program, *arguments):
        with mock.patch("sys.argv", [f"{program.__name__}.py", *map(str, arguments)]), \
                mock.patch.dict("os.environ"), self.assertRaises(SystemExit) as ended:
            os.environ.pop("DISPLAY", None)
            program.main()
        self.assertRegex(str(ended.exception.code), rf"\A{program.__name__}: [^\n]*\.\Z")
        self.assertIn(words, ended.exception.code)

    @unittest.skipUnless(display, "without xvfb-run")
    def test_picture_shows_body_and_grains(self):
        done = self.draw("pictures.py", self.run_folder, "--times", "0.21", "--width", "640", "--out", self.place)
        self.assertEqual(done.returncode, 0, done.stderr)
        red, green, blue = pixels(self.place / "falling_0.2s.png")[:, :560].transpose(2, 0, 1)  # without the bar
        self.assertEqual(red.shape, (400, 560))
        self.assertGreater(np.sum((red > 2 * blue) & (red > 100)), 300)  # the arm, orange
        self.assertGreater(np.sum((blue > red + 20) & (blue > 80)), 100)  # fast grains, blue

    @unittest.skipUnless(display and shutil.which("ffmpeg") and shutil.which("ffprobe"), "without xvfb-run or ffmpeg")
    def test_movie_has_all_frames(self):
        out = self.place / "film.mp4"
        done = self.draw("movie.py", self.run_folder, "-o", out, "--width", "322", "--chains")
        self.assertEqual(done.returncode, 0, done.stderr)
        said = subprocess.run(["ffprobe", "-v", "error", "-count_frames", "-show_entries",
                               "stream=nb_read_frames,width,height", "-of", "csv=p=0", out],
                              capture_output=True, text=True)
        self.assertEqual(said.stdout.strip(), "322,202,6")
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["film.mp4", "run"])

    def with_encoder(self, text):
        """A stand-in for ffmpeg; what its last word names is the film."""
        path = self.place / "bin" / "ffmpeg"
        path.parent.mkdir()
        path.write_text(f"#!/bin/bash\n{text}\n")
        path.chmod(0o755)
        return {**os.environ, "PATH": f"{path.parent}:{os.environ['PATH']}"}

    @unittest.skipUnless(display, "without xvfb-run")
    def test_encoder_that_dies_is_one_sentence_and_leaves_the_old_movie(self):
        out = self.place / "film.mp4"
        out.write_text("old")
        environment = self.with_encoder("head -c 1000 >/dev/null; echo 'No space left on device' >&2; exit 1")
        with mock.patch.dict(os.environ, environment):
            done = self.draw("movie.py", self.run_folder, "-o", out, "--width", "640")
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"movie: ffmpeg could not make {out}: No space left on device.\n"))
        self.assertEqual(out.read_text(), "old")
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["bin", "film.mp4", "run"])

    @unittest.skipUnless(display, "without xvfb-run")
    def test_movie_that_is_stopped_leaves_nothing(self):
        environment = self.with_encoder("head -c 1000 >/dev/null; kill $PPID; exec cat >/dev/null")
        with mock.patch.dict(os.environ, environment):
            done = self.draw("movie.py", self.run_folder, "-o", self.place / "film.mp4", "--width", "640")
        self.assertEqual((done.returncode, done.stderr), (143, ""))
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["bin", "run"])

    @unittest.skipUnless(display and shutil.which("ffmpeg"), "without xvfb-run or ffmpeg")
    def test_movie_that_cannot_be_written_is_one_sentence(self):
        done = self.draw("movie.py", self.run_folder, "-o", "/dev/null/film.mp4", "--width", "322")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Amovie: cannot write /dev/null/film.mp4: [^\n]*\.\n\Z")

    def test_mistakes_get_one_sentence(self):
        for program in (pictures, movie):
            self.refused("there is no folder absent", program, "absent")
            self.refused("--cut 1.5", program, self.run_folder, "--cut", "1.5")
            self.refused("--width 5", program, self.run_folder, "--width", "5")
            self.refused("no X display", program, self.run_folder)
        self.refused("--rate 0", movie, self.run_folder, "--rate", "0")
        self.refused("stability is a study, which has no frames: tamis plot stability draws its figures", pictures,
                     "stability")
        study = self.place / "study"
        study.mkdir()
        (study / "summary.json").write_text('{"model": "stability"}')
        self.refused("stability is a study", movie, study)
        (self.run_folder / "falling.pvd").unlink()
        self.refused("make a run with frames first", pictures, self.run_folder)

    def test_a_model_that_is_a_study_by_an_option_alone_has_frames(self):
        (self.run_folder / "summary.json").write_text('{"model": "particle_damper"}')
        self.assertEqual(Path(find_frames(str(self.run_folder))), self.run_folder)

    def test_unknown_options_get_one_sentence(self):
        for program, name in ((pictures, "pictures"), (movie, "movie"), (gallery, "pictures --gallery")):
            said = io.StringIO()
            with mock.patch("sys.argv", [name, "a", "--frob"]), contextlib.redirect_stderr(said), \
                    self.assertRaises(SystemExit) as ended:
                program.main()
            self.assertEqual((ended.exception.code, said.getvalue()),
                             (2, f"tamis: Unrecognized arguments: --frob (see tamis {name} --help).\n"))

    def test_scene_without_grains_has_no_scale(self):
        folder = run_files.write_run(self.place / "plain", grains=0)
        scene = RunScene(folder, Namespace(colour="speed", chains=False, cut=0, glass=False, width=640))
        self.assertIsNone(scene.scale)
        self.assertEqual(len(list(scene.actors(scene.frames[0]))), 2)  # the lines of the floor, the arm

    def test_cut_leaves_out_what_is_in_front(self):
        how = Namespace(colour="speed", chains=False, cut=0.5, glass=False, width=640)
        scene = RunScene(self.run_folder, how)
        normal = scene.view.towards - scene.view.towards @ scene.view.up * scene.view.up
        half = (scene.view.low + scene.view.high) / 2 @ normal
        grains = read(scene.frames[0], "grains")
        front = grain_centres(grains) @ normal > half
        self.assertTrue(front.any() and not front.all())
        drawn = [shown.GetMapper().GetInput() for shown in scene.actors(scene.frames[0])]
        polygons = [data.GetNumberOfPolys() for data in drawn]
        self.assertIn(int(np.sum(~front)), polygons)

    def test_half_of_a_ball(self):
        points = read({"points": self.run_folder / "frames/falling_points_000000.vtp"}, "points")
        one = balls(points, np.arange(points.GetNumberOfPoints()) == 0)
        centre = points_of(points)[0]
        np.testing.assert_allclose(np.linalg.norm(points_of(one) - centre, axis=1), 0.02 * np.sqrt(3), rtol=1e-5)
        half = points_of(behind(one, centre, np.array([0, 1.0, 0])))
        self.assertGreaterEqual(half[:, 1].min(), centre[1] - 1e-6)
        self.assertGreater(half[:, 1].max(), centre[1] + 0.03)

    def test_scales_are_decades(self):
        self.assertEqual(limits(np.array([0, 0.02, 0.02, 40]), True), (0.01, 100))
        self.assertEqual(limits(np.array([1e-9, 1e-9, 5]), True), (1e-3, 10))
        self.assertEqual(limits(np.zeros(3), True), (0.1, 1))
        self.assertEqual(limits(np.array([2, 7]), False), (0, 7))

    def test_stones_are_picked_with_their_data(self):
        grains = read({"grains": self.run_folder / "frames/falling_grains_000000.vtp"}, "grains")
        first = pick(grains, np.arange(grains.GetNumberOfPolys()) < 6, "grain")
        self.assertEqual((first.GetNumberOfPoints(), first.GetNumberOfPolys()), (8, 6))


if __name__ == "__main__":
    unittest.main()
