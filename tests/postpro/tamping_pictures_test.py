"""The pictures of tamping on frames as src/io/vtk_writer.cpp writes them: a wall of lines and a sleeper on the ground,
an arm with a tine, and cubes as grains on both sides of the cut."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

try:
    import numpy as np
    from vtkmodules.util.numpy_support import vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkFloatArray, vtkIntArray, vtkPoints, vtkStringArray
    from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPolyData
    from vtkmodules.vtkIOImage import vtkPNGReader
    from vtkmodules.vtkIOXML import vtkXMLPolyDataWriter
except ImportError:
    sys.exit(77)  # skipped: tamis pictures installs them

postpro = Path(__file__).resolve().parents[2] / "postpro"
sys.path.insert(0, str(postpro))
import tamping_pictures as pictures

faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def array(kind, name, values):
    result = kind()
    result.SetName(name)
    for value in values:
        result.InsertNextValue(value)
    return result


def boxes(places):
    """Boxes of (centre, lengths), each on eight points of its own."""
    data, points, polygons = vtkPolyData(), vtkPoints(), vtkCellArray()
    for centre, lengths in places:
        first = points.GetNumberOfPoints()
        for corner in np.ndindex(2, 2, 2):
            points.InsertNextPoint(*(np.array(centre) + (np.array(corner) - 0.5) * lengths))
        for face in faces:
            polygons.InsertNextCell(4)
            for k in face:
                polygons.InsertCellPoint(first + k)
    data.SetPoints(points)
    data.SetPolys(polygons)
    return data


def bodies():
    data = boxes([((0, 0, 0.2), (0.3, 0.6, 0.2)), ((0.4, 0, 1.2), (0.1, 0.1, 0.8)), ((0.4, 0, 0.5), (0.1, 0.1, 0.6)),
                  ((0, 0, 1.5), (0.6, 0.1, 0.1))])
    line = vtkCellArray()
    line.InsertNextCell(2)
    for x in (-1, 1):
        line.InsertCellPoint(data.GetPoints().InsertNextPoint(x, 0, 0))
    data.SetLines(line)
    data.GetCellData().AddArray(array(vtkIntArray, "body", [-1] + [-1] * 6 + [1] * 12 + [0] * 6))
    data.GetFieldData().AddArray(array(vtkStringArray, "name", ["floor", "sleeper", "arm 1", "Tine 1", "chassis"]))
    data.GetFieldData().AddArray(array(vtkIntArray, "body", [-1, -1, 1, 1, 0]))
    return data


def grains():
    centres = [(-0.4, y, 0.1) for y in (-0.25, -0.01, 0.01, 0.25)]
    data = boxes([(c, (0.1, 0.1, 0.1)) for c in centres])
    data.GetCellData().AddArray(array(vtkFloatArray, "speed", np.repeat([1, 1, 1e-2, 1e-2], 6)))
    data.GetCellData().AddArray(array(vtkFloatArray, "force", np.repeat([1, 10, 100, 1000], 6)))
    data.GetCellData().AddArray(array(vtkIntArray, "grain", np.repeat(range(4), 6)))
    return data


def chains():
    data, points, lines = vtkPolyData(), vtkPoints(), vtkCellArray()
    for y in (-0.2, 0.2):
        lines.InsertNextCell(2)
        for z in (0.1, 0.2):
            lines.InsertCellPoint(points.InsertNextPoint(0, y, z))
    data.SetPoints(points)
    data.SetLines(lines)
    data.GetCellData().AddArray(array(vtkFloatArray, "force", [10, 1000]))
    return data


def write_run(folder, times):
    folder.mkdir()
    entries = ""
    for name, data in (("bodies", bodies()), ("grains", grains()), ("chains", chains())):
        writer = vtkXMLPolyDataWriter()
        writer.SetInputData(data)
        writer.SetFileName(str(folder / f"{name}.vtp"))
        writer.Write()
        entries += "".join(f'<DataSet timestep="{t}" part="0" name="{name}" file="{name}.vtp"/>\n' for t in times)
    (folder / "tamping.pvd").write_text(f'<VTKFile type="Collection"><Collection>{entries}</Collection></VTKFile>')


class Pictures(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.run_folder = Path(place.name) / "run"

    def refused(self, words, *arguments):
        with mock.patch("sys.argv", ["tamping_pictures.py", str(self.run_folder), *arguments]), \
                mock.patch.dict("os.environ"), self.assertRaises(SystemExit) as ended:
            os.environ.pop("DISPLAY", None)
            pictures.main()
        self.assertRegex(str(ended.exception.code), r"\Atamping_pictures: [^\n]*\.\Z")
        self.assertIn(words, ended.exception.code)

    def test_parts_of_a_body_have_their_names(self):
        self.assertEqual(list(pictures.names_of_polygons(bodies())),
                         [""] * 6 + ["arm 1"] * 6 + ["Tine 1"] * 6 + ["chassis"] * 6)

    def test_grains_are_picked_whole_by_their_centres(self):
        data = grains()
        part = pictures.pick(data, pictures.grain_centres(data)[:, 1] >= 0, "force")
        self.assertEqual(list(vtk_to_numpy(part.GetCellData().GetArray("force"))), [100] * 6 + [1000] * 6)
        np.testing.assert_allclose(part.GetBounds(), (-0.45, -0.35, -0.04, 0.30, 0.05, 0.15), atol=1e-6)

    def test_tubes_are_behind_the_cut_and_thickest_with_the_largest_force(self):
        bounds = pictures.tubes(chains(), 0).GetBounds()
        self.assertAlmostEqual(bounds[2], 0.2 - pictures.thickest, delta=0.05 * pictures.thickest)

    def test_last_frame_of_each_phase(self):
        write_run(self.run_folder, [0, 0.5, 1, 1.5, 2])
        rows = "".join(f"{k / 10},{0 if k < 6 else 1 if k < 16 else 2}\n" for k in range(21))
        (self.run_folder / "histories.csv").write_text("t,stage\n" + rows)
        frames = pictures.read_frames(self.run_folder, "tamping")
        self.assertEqual(pictures.last_frames_of_phases(self.run_folder, frames),
                         {"held": 0.5, "diving": 1.5, "squeezing": 2})

    def test_mistakes_get_one_sentence(self):
        self.refused("make a run with frames first")
        write_run(self.run_folder, [0])
        self.refused("cannot read")
        (self.run_folder / "histories.csv").write_text("t,phase\n0,0\n")
        self.refused("--times")
        self.refused("no X display", "--times", "0")
        (self.run_folder / "tamping.pvd").write_text("<VTKFile><Collection></Collection></VTKFile>")
        self.refused("lists no frames")
        (self.run_folder / "tamping.pvd").write_text("<VTKFile")
        self.refused("is not the list of frames")

    @unittest.skipUnless(shutil.which("xvfb-run"), "without xvfb-run")
    def test_picture_shows_tine_and_stone(self):
        write_run(self.run_folder, [0, 1])
        result = subprocess.run(["xvfb-run", "-a", "-s", "-screen 0 1280x1024x24 -noreset", sys.executable,
                                 postpro / "tamping_pictures.py", self.run_folder, "--times", "0.9"],
                                capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        reader = vtkPNGReader()
        reader.SetFileName(str(self.run_folder / "tamping_1.000s.png"))
        reader.Update()
        image = reader.GetOutput()
        self.assertEqual(image.GetDimensions()[:2], (1600, 1000))
        pixels = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(1000, 1600, -1)
        red, green, blue = pixels[:, :1400, :3].astype(int).transpose(2, 0, 1)  # without the bar of colours
        # Orange is the tine alone. Stones at 1 cm/s are pale blue, those at 1 m/s, dark violet, are in front.
        self.assertGreater(np.sum((red > 2 * blue) & (red > 100)), 3000)
        self.assertGreater(np.sum((blue > red + 20) & (blue > 120)), 300)
        self.assertEqual(np.sum((red > green + 15) & (blue > red + 15)), 0)


if __name__ == "__main__":
    unittest.main()
