"""Pictures of a run of tamping without ParaView: the machine in the bed, whose front half is left out.

A picture shows the last frame of each phase, or the frames nearest to given times. Grains are left out whole, by
their centres; the sleeper is cut. VTK draws off screen, but wants an X display: `tamis pictures` starts one."""
import argparse
import csv
import os
import sys
import xml.etree.ElementTree as xml
from pathlib import Path

import numpy as np
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPlane, vtkPlaneCollection, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersGeneral import vtkClipClosedSurface
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor
from vtkmodules.vtkRenderingCore import (vtkActor, vtkColorTransferFunction, vtkLight, vtkPolyDataMapper, vtkRenderer,
                                         vtkRenderWindow, vtkTextActor, vtkWindowToImageFilter)
import vtkmodules.vtkRenderingFreeType  # noqa: F401  (letters)
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (the renderer behind vtkRenderer)

size = 1600, 1000  # pixels
thickest = 0.01  # m, radius of the chain with the largest force
steel, orange, concrete = (0.52, 0.56, 0.61), (0.90, 0.45, 0.05), (0.72, 0.72, 0.70)
phases = ["held", "diving", "squeezing"]  # by the value of stage
# What colours show: heading, and the range of a logarithmic scale.
scales = {"speed": ("speed [m/s]", 1e-3, 1), "force": ("force [N]", 1, 1e4)}
# From still to fast: pale stone to dark blue, ever darker, and never like the tines.
ramp = [(0.84, 0.81, 0.75), (0.60, 0.75, 0.83), (0.25, 0.50, 0.75), (0.24, 0.13, 0.45)]


def fail(sentence):
    """One sentence, and no traceback, for what the user can put right."""
    sys.exit(f"{Path(sys.argv[0]).stem}: {sentence}")


# --- Files -----------------------------------------------------------------------------------------------


def read_frames(folder, model="tamping"):
    """{time: {"bodies": file, "grains": file, ...}} of the run."""
    path = folder / f"{model}.pvd"
    if not path.is_file():
        fail(f"there is no {path}; make a run with frames first.")
    frames = {}
    try:
        for entry in xml.parse(path).iter("DataSet"):
            frames.setdefault(float(entry.get("timestep")), {})[entry.get("name")] = folder / entry.get("file")
    except (OSError, xml.ParseError, TypeError, ValueError) as error:
        fail(f"{path} is not the list of frames of a run: {error}.")
    if not frames:
        fail(f"{path} lists no frames yet.")
    return frames


def last_frames_of_phases(folder, frames):
    """{phase: time}: the last frame of each phase that the run has come to."""
    path = folder / "histories.csv"
    try:
        with path.open() as file:
            rows = [(float(row["t"]), int(float(row["stage"]))) for row in csv.DictReader(file) if row["stage"]]
    except OSError as error:
        fail(f"cannot read {path}: {error.strerror}.")
    except (KeyError, TypeError, ValueError):
        fail(f"{path} has no readable columns t and stage; name the pictures' times by --times.")
    found = {}
    if not rows:
        fail(f"{path} has no rows.")
    times, stages = np.array(rows).T
    for t in sorted(frames):
        row = min(np.searchsorted(times, t - 1e-9), len(times) - 1)
        stage = int(stages[row])
        if 0 <= stage < len(phases):
            found[phases[stage]] = t
    return found


def read(frame, name):
    if name not in frame or not frame[name].is_file():
        fail(f"a frame has no file of its {name}; make the run with frames again.")
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(frame[name]))
    reader.Update()
    return reader.GetOutput()


# --- Parts -----------------------------------------------------------------------------------------------


def polygons(data):
    """Connectivity and offsets: polygon k has the points connectivity[offsets[k]:offsets[k + 1]]."""
    cells = data.GetPolys()
    return vtk_to_numpy(cells.GetConnectivityArray()), vtk_to_numpy(cells.GetOffsetsArray())


def of_polygons(data, name):
    """Cell data of the polygons, which stand behind those of the lines."""
    return vtk_to_numpy(data.GetCellData().GetArray(name))[data.GetNumberOfCells() - data.GetNumberOfPolys():]


def cells(connectivity, offsets):
    array = vtkCellArray()
    array.SetData(*(numpy_to_vtkIdTypeArray(np.ascontiguousarray(x, dtype=np.int64), deep=True)
                    for x in (offsets, connectivity)))
    return array


def named(values, name):
    array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
    array.SetName(name)
    return array


def pick(data, chosen, quantity=None):
    """Those polygons that are chosen, on points of their own, with one of their cell data."""
    connectivity, offsets = polygons(data)
    corners = np.diff(offsets)
    used, connectivity = np.unique(connectivity[np.repeat(chosen, corners)], return_inverse=True)
    part, points = vtkPolyData(), vtkPoints()
    points.SetData(numpy_to_vtk(vtk_to_numpy(data.GetPoints().GetData())[used], deep=True))
    part.SetPoints(points)
    part.SetPolys(cells(connectivity, np.concatenate([[0], np.cumsum(corners[chosen])])))
    if quantity:
        part.GetCellData().AddArray(named(of_polygons(data, quantity)[chosen], quantity))
    return part


def names_of_polygons(data):
    """The name of the drawing that a polygon belongs to; "" where that cannot be told. Drawings stand one behind the
    other and share no points, so one begins where all later polygons have points behind all earlier ones."""
    connectivity, offsets = polygons(data)
    body = of_polygons(data, "body")
    if len(body) == 0:
        return np.array([], dtype=str)
    first = np.minimum.reduceat(connectivity, offsets[:-1])
    last = np.maximum.reduceat(connectivity, offsets[:-1])
    later = np.minimum.accumulate(first[::-1])[::-1]
    begins = np.concatenate([[True], later[1:] > np.maximum.accumulate(last)[:-1]])
    drawing = np.cumsum(begins) - 1
    fields = data.GetFieldData()
    array = fields.GetAbstractArray("name")
    names = [array.GetValue(k) for k in range(array.GetNumberOfValues())]
    bodies = vtk_to_numpy(fields.GetArray("body"))
    result = np.full(len(body), "", dtype=object)
    for b in set(body):
        of_body = [name for name, owner in zip(names, bodies) if owner == b]
        pieces = np.unique(drawing[body == b])
        if len(pieces) == len(of_body):  # not so on the ground, whose planes have no polygons
            for piece, name in zip(pieces, of_body):
                result[drawing == piece] = name
    return result


def grain_centres(data):
    """For each polygon, the mean of the corners of its grain's polygons."""
    connectivity, offsets = polygons(data)
    points = vtk_to_numpy(data.GetPoints().GetData())
    grain = np.repeat(of_polygons(data, "grain"), np.diff(offsets))
    total = np.stack([np.bincount(grain, points[connectivity, k]) for k in range(3)], axis=1)
    return (total / np.maximum(np.bincount(grain), 1)[:, None])[of_polygons(data, "grain")]


# --- Scene -----------------------------------------------------------------------------------------------


def colours_of(quantity):
    _, low, high = scales[quantity]
    function = vtkColorTransferFunction()
    for k, colour in enumerate(ramp):
        function.AddRGBPoint(k / (len(ramp) - 1), *colour)
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    for k in range(256):
        table.SetTableValue(k, *function.GetColor(k / 255), 1)
    table.SetTableRange(low, high)
    table.SetScaleToLog10()
    return table


def actor(data, colour=None, table=None, array=None):
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(data)
    if table:
        mapper.SetScalarModeToUseCellFieldData()
        mapper.SelectColorArray(array)
        mapper.SetLookupTable(table)
        mapper.UseLookupTableScalarRangeOn()
    else:
        mapper.ScalarVisibilityOff()
    shown = vtkActor()
    shown.SetMapper(mapper)
    look = shown.GetProperty()
    if colour:
        look.SetColor(colour)
    look.SetInterpolationToFlat()
    look.SetAmbient(0.25)
    look.SetDiffuse(0.85)
    return shown


def cut_at(data, y):
    """The part of a closed surface behind the plane, closed again."""
    if data.GetNumberOfPolys() == 0 or data.GetBounds()[2] >= y:
        return data
    plane = vtkPlane()
    plane.SetOrigin(0, y, 0)
    plane.SetNormal(0, 1, 0)
    planes = vtkPlaneCollection()
    planes.AddItem(plane)
    clip = vtkClipClosedSurface()
    clip.SetInputData(data)
    clip.SetClippingPlanes(planes)
    clip.Update()
    return clip.GetOutput()


def tubes(data, cut):
    """The chains behind the cut, as tubes whose section grows with the force."""
    ends = vtk_to_numpy(data.GetPoints().GetData()).reshape(-1, 2, 3)  # each line has two points of its own
    force = vtk_to_numpy(data.GetCellData().GetArray("force"))
    kept = np.all(ends[:, :, 1] >= cut, axis=1)
    ends, force = ends[kept], force[kept]
    lines, points = vtkPolyData(), vtkPoints()
    points.SetData(numpy_to_vtk(ends.reshape(-1, 3), deep=True))
    lines.SetPoints(points)
    lines.SetLines(cells(np.arange(2 * len(force)), 2 * np.arange(len(force) + 1)))
    lines.GetCellData().AddArray(named(force, "force"))
    radius = thickest * np.sqrt(force / max(force.max(initial=0), 1e-12))
    lines.GetPointData().SetScalars(named(np.repeat(radius, 2), "radius"))
    tube = vtkTubeFilter()
    tube.SetInputData(lines)
    tube.SetVaryRadiusToVaryRadiusByAbsoluteScalar()
    tube.SetNumberOfSides(10)
    tube.CappingOn()
    tube.Update()
    return tube.GetOutput()


def scene(frame, quantity, chains, cut):
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    bodies = read(frame, "bodies")
    body, names = of_polygons(bodies, "body"), names_of_polygons(bodies)
    tine = np.array(["tine" in name.lower() for name in names], dtype=bool)
    for chosen, colour in (((body >= 0) & ~tine, steel), (tine, orange)):
        renderer.AddActor(actor(pick(bodies, chosen), colour))
    renderer.AddActor(actor(cut_at(pick(bodies, body < 0), cut), concrete))
    shown = "force" if chains else quantity
    table = colours_of(shown)
    if chains:
        renderer.AddActor(actor(tubes(read(frame, "chains"), cut), table=table, array=shown))
    else:
        grains = read(frame, "grains")
        if grains.GetNumberOfPolys() == 0:
            fail("the grains were written as points, and only polyhedra are drawn.")
        seen = grain_centres(grains)[:, 1] >= cut
        renderer.AddActor(actor(pick(grains, seen, shown), table=table, array=shown))

    title, low, high = scales[shown]
    bar = vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle(title)
    bar.SetPosition(0.90, 0.12)
    bar.SetWidth(0.08)
    bar.SetHeight(0.5)
    bar.SetNumberOfLabels(1 + round(np.log10(high / low)))  # one a decade
    bar.SetLabelFormat("%g")
    bar.SetVerticalTitleSeparation(16)
    bar.UnconstrainedFontSizeOn()
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(0, 0, 0)
        text.SetFontSize(22)
        text.BoldOff()
        text.ItalicOff()
        text.ShadowOff()
    renderer.AddActor2D(bar)
    return renderer


def look_at(renderer, bounds):
    """From the front, a little from above and from the right, so near that the bounds fill the picture."""
    low, high = bounds[::2], bounds[1::2]
    centre, (x, y, z) = (low + high) / 2, high - low
    direction = np.array([0.22, -1, 0.28])
    height = max(z + direction[2] * y, (x + direction[0] * y) * size[1] / (0.75 * size[0]))  # beside the bar
    camera = renderer.GetActiveCamera()
    camera.SetViewAngle(22)
    away = 1.05 * height / 2 / np.tan(np.radians(11)) + y / 2
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(centre + away * direction / np.linalg.norm(direction)))
    camera.SetViewUp(0, 0, 1)
    renderer.ResetCameraClippingRange()
    renderer.RemoveAllLights()
    for place, strength in (((-1.5, -3, 4), 0.95), ((3, -3, 1), 0.35), ((0, 1, 4), 0.25)):
        light = vtkLight()
        light.SetPosition(*(centre + place))
        light.SetFocalPoint(*centre)
        light.SetIntensity(strength)
        renderer.AddLight(light)


def draw(renderer, t, path):
    label = vtkTextActor()
    label.SetInput(f"t = {t:.3f} s")
    label.GetTextProperty().SetFontSize(28)
    label.GetTextProperty().SetColor(0, 0, 0)
    label.SetPosition(30, size[1] - 60)
    renderer.AddActor2D(label)
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(8)
    window.SetSize(*size)
    window.AddRenderer(renderer)
    window.Render()
    image = vtkWindowToImageFilter()
    image.SetInput(window)
    image.ReadFrontBufferOff()
    image.Update()
    writer = vtkPNGWriter()
    writer.WriteToMemoryOn()
    writer.SetInputConnection(image.GetOutputPort())
    writer.Write()
    try:  # VTK's own file output does not tell why it failed
        path.write_bytes(vtk_to_numpy(writer.GetResult()).tobytes())
    except OSError as error:
        fail(f"cannot write {path}: {error.strerror}.")
    window.Finalize()
    print(f"{path}: t = {t:g} s")


def main():
    parser = argparse.ArgumentParser(prog="tamis pictures tamping",
                                     description="Draw pictures of a run of tamping, without ParaView.")
    parser.add_argument("run", nargs="?", type=Path, default=Path("out/tamping/45"), metavar="RUN",
                        help="folder of a run with frames (default: %(default)s)")
    parser.add_argument("--times", type=float, nargs="+", metavar="S",
                        help="draw the frames nearest to these times, in s (default: the last of each phase)")
    parser.add_argument("--colour", choices=["speed", "force"], default="speed", help="of the grains")
    parser.add_argument("--chains", action="store_true", help="draw the force chains in place of the grains")
    parser.add_argument("--whole", action="store_true", help="leave nothing out in front")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the pictures (default: that of the run)")
    arguments = parser.parse_args()
    out = arguments.out or arguments.run
    frames = read_frames(arguments.run)
    if arguments.times:
        nearest = [min(frames, key=lambda t: abs(t - wanted)) for wanted in arguments.times]
        pictures = {f"{t:.3f}s": t for t in nearest}
    else:
        pictures = last_frames_of_phases(arguments.run, frames)
    if not os.environ.get("DISPLAY"):
        fail("there is no X display; start this by ./tamis pictures tamping, or behind xvfb-run -a.")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {out}: {error.strerror}.")

    scenes = {name: scene(frames[t], arguments.colour, arguments.chains, -np.inf if arguments.whole else 0)
              for name, t in pictures.items()}
    every = np.array([renderer.ComputeVisiblePropBounds() for renderer in scenes.values()])
    bounds = np.where(np.arange(6) % 2, every.max(axis=0), every.min(axis=0))  # the same view of all
    for name, t in pictures.items():
        look_at(scenes[name], bounds)
        draw(scenes[name], t, out / f"tamping_{name}.png")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
