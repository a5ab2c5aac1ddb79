"""Parts of pictures that VTK draws: what a frame holds, as actors; cameras and files. VTK draws off screen, but wants
an X display: `tamis pictures` starts one."""
import os

import numpy as np
from frames import fail
from vtkmodules.util.numpy_support import numpy_to_vtk, numpy_to_vtkIdTypeArray, vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkLookupTable, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray, vtkPlane, vtkPlaneCollection, vtkPolyData
from vtkmodules.vtkFiltersCore import vtkTubeFilter
from vtkmodules.vtkFiltersGeneral import vtkClipClosedSurface
from vtkmodules.vtkFiltersSources import vtkSphereSource
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
from vtkmodules.vtkRenderingAnnotation import vtkScalarBarActor
from vtkmodules.vtkRenderingCore import (vtkActor, vtkLight, vtkPolyDataMapper, vtkRenderer, vtkRenderWindow,
                                         vtkTextActor, vtkWindowToImageFilter)
import vtkmodules.vtkRenderingFreeType  # noqa: F401  (letters)
import vtkmodules.vtkRenderingOpenGL2  # noqa: F401  (the renderer behind vtkRenderer)


def need_display(command):
    if not os.environ.get("DISPLAY"):
        fail(f"there is no X display; start this by ./{command}, or behind xvfb-run -a.")


def read(frame, name):
    if name not in frame or not frame[name].is_file():
        fail(f"a frame has no file of its {name}; make the run with frames again.")
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(frame[name]))
    reader.Update()
    return reader.GetOutput()


# --- Data ------------------------------------------------------------------------------------------------


def points_of(data):
    return vtk_to_numpy(data.GetPoints().GetData())


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


def surface(points, connectivity, offsets):
    data, places = vtkPolyData(), vtkPoints()
    places.SetData(numpy_to_vtk(np.ascontiguousarray(points), deep=True))
    data.SetPoints(places)
    data.SetPolys(cells(connectivity, offsets))
    return data


def pick(data, chosen, quantity=None):
    """Those polygons that are chosen, on points of their own, with one of their cell data."""
    connectivity, offsets = polygons(data)
    corners = np.diff(offsets)
    used, connectivity = np.unique(connectivity[np.repeat(chosen, corners)], return_inverse=True)
    part = surface(points_of(data)[used], connectivity, np.concatenate([[0], np.cumsum(corners[chosen])]))
    if quantity:
        part.GetCellData().AddArray(named(of_polygons(data, quantity)[chosen], quantity))
    return part


def grain_centres(data):
    """For each polygon, the mean of the corners of its grain's polygons."""
    connectivity, offsets = polygons(data)
    points = points_of(data)
    grain = np.repeat(of_polygons(data, "grain"), np.diff(offsets))
    total = np.stack([np.bincount(grain, points[connectivity, k]) for k in range(3)], axis=1)
    return (total / np.maximum(np.bincount(grain), 1)[:, None])[of_polygons(data, "grain")]


def balls(points, chosen, quantity=None):
    """Spheres around points with a radius, with one of their data on all polygons."""
    centres = points_of(points)[chosen]
    radius = vtk_to_numpy(points.GetPointData().GetArray("radius"))[chosen]
    source = vtkSphereSource()
    source.SetRadius(1)
    fine = 24 if len(centres) < 500 else 14 if len(centres) < 5000 else 8
    source.SetThetaResolution(fine)
    source.SetPhiResolution(fine)
    source.Update()
    ball = points_of(source.GetOutput())
    connectivity, offsets = polygons(source.GetOutput())
    place = np.arange(len(centres))[:, None]
    data = surface((centres[:, None] + radius[:, None, None] * ball).reshape(-1, 3).astype("f4"),
                   (connectivity + len(ball) * place).ravel(),
                   np.append((offsets[:-1] + len(connectivity) * place).ravel(), len(connectivity) * len(centres)))
    normals = named(np.tile(ball / np.linalg.norm(ball, axis=1, keepdims=True), (len(centres), 1)), "normals")
    data.GetPointData().SetNormals(normals)
    if quantity:
        values = vtk_to_numpy(points.GetPointData().GetArray(quantity))[chosen]
        data.GetCellData().AddArray(named(np.repeat(values, len(offsets) - 1), quantity))
    return data


def wireframe(bodies):
    """The lines of the drawing: those of walls and hollow shapes."""
    lines = vtkPolyData()
    lines.SetPoints(bodies.GetPoints())
    lines.SetLines(bodies.GetLines())
    return lines


def behind(data, point, normal):
    """The part of a closed surface on the side that the normal points to, closed again."""
    x = points_of(data) if data.GetNumberOfPolys() else np.empty((0, 3))
    if len(x) == 0 or np.all((x - point) @ normal >= 0):
        return data
    plane = vtkPlane()
    plane.SetOrigin(*point)
    plane.SetNormal(*normal)
    planes = vtkPlaneCollection()
    planes.AddItem(plane)
    clip = vtkClipClosedSurface()
    clip.SetInputData(data)
    clip.SetClippingPlanes(planes)
    clip.Update()
    return clip.GetOutput()


def tubes(ends, force, thickest, most=None):
    """Lines from ends[k, 0] to ends[k, 1], as tubes whose section grows with the force: thickest is the radius of
    `most`, or of the largest force."""
    data, points = vtkPolyData(), vtkPoints()
    points.SetData(numpy_to_vtk(np.ascontiguousarray(ends.reshape(-1, 3)), deep=True))
    data.SetPoints(points)
    data.SetLines(cells(np.arange(2 * len(force)), 2 * np.arange(len(force) + 1)))
    data.GetCellData().AddArray(named(force, "force"))
    radius = thickest * np.sqrt(force / max(most or force.max(initial=0), 1e-12))
    data.GetPointData().SetScalars(named(np.repeat(radius, 2), "radius"))
    tube = vtkTubeFilter()
    tube.SetInputData(data)
    tube.SetVaryRadiusToVaryRadiusByAbsoluteScalar()
    tube.SetNumberOfSides(10)
    tube.CappingOn()
    tube.Update()
    return tube.GetOutput()


# --- Actors ----------------------------------------------------------------------------------------------


def colour_table(ramp, low, high, log=True):
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    place = np.linspace(0, len(ramp) - 1, 256)
    channels = [np.interp(place, range(len(ramp)), channel) for channel in zip(*ramp)]
    for k, colour in enumerate(zip(*channels)):
        table.SetTableValue(k, *colour, 1)
    table.SetTableRange(low, high)
    if log:
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


def lines_of(bodies, colour, width):
    shown = actor(wireframe(bodies), colour)
    shown.GetProperty().SetLineWidth(width)
    shown.GetProperty().SetLighting(False)
    return shown


def colour_bar(table, title, labels, font):
    """At the right of a picture; `font` is the size of its letters."""
    bar = vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle(title)
    bar.SetPosition(0.90, 0.12)
    bar.SetWidth(0.08)
    bar.SetHeight(0.5)
    bar.SetNumberOfLabels(labels)
    bar.SetLabelFormat("%g")
    bar.SetVerticalTitleSeparation(round(0.7 * font))
    bar.UnconstrainedFontSizeOn()
    for text in (bar.GetTitleTextProperty(), bar.GetLabelTextProperty()):
        text.SetColor(0, 0, 0)
        text.SetFontSize(font)
        text.BoldOff()
        text.ItalicOff()
        text.ShadowOff()
    return bar


def label(text, x, y, font):
    shown = vtkTextActor()
    shown.SetInput(text)
    shown.GetTextProperty().SetFontSize(font)
    shown.GetTextProperty().SetColor(0, 0, 0)
    shown.SetPosition(x, y)
    return shown


def white_renderer():
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    return renderer


def set_lights(renderer, centre, lights):
    """Each a place relative to the centre, and a strength."""
    renderer.RemoveAllLights()
    for place, strength in lights:
        light = vtkLight()
        light.SetPosition(*(centre + place))
        light.SetFocalPoint(*centre)
        light.SetIntensity(strength)
        renderer.AddLight(light)


def look_from(renderer, view, size, angle=22):
    """So that the view's box fills the picture, but for a place for the bar of colours at the right."""
    centre = (view.low + view.high) / 2
    away = view.distance(angle, 0.8 * size[0] / size[1])
    camera = renderer.GetActiveCamera()
    camera.SetViewAngle(angle)
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(centre + away * view.towards))
    camera.SetViewUp(*view.up)
    right = np.cross(view.up, view.towards)
    span = np.linalg.norm(view.high - view.low)
    set_lights(renderer, centre, [(span * (1.2 * view.towards - 0.6 * right + 1.5 * view.up), 0.95),
                                  (span * (view.towards + right + 0.3 * view.up), 0.35),
                                  (span * (2 * view.up - 0.5 * view.towards), 0.2)])
    renderer.ResetCameraClippingRange()


# --- Pictures --------------------------------------------------------------------------------------------


class Window:
    """Where renderers are drawn off screen, one after the other."""

    def __init__(self, size):
        self.window, self.shown = vtkRenderWindow(), None
        self.window.SetOffScreenRendering(1)
        self.window.SetMultiSamples(8)
        self.window.SetSize(*size)

    def image(self, renderer):
        if self.shown:
            self.window.RemoveRenderer(self.shown)
        self.window.AddRenderer(renderer)
        self.shown = renderer
        self.window.Render()
        image = vtkWindowToImageFilter()
        image.SetInput(self.window)
        image.ReadFrontBufferOff()
        image.Update()
        return image

    def pixels(self, renderer):
        """Rows from above of red, green and blue."""
        image = self.image(renderer)
        data = image.GetOutput()
        width, height, _ = data.GetDimensions()
        return vtk_to_numpy(data.GetPointData().GetScalars()).reshape(height, width, -1)[::-1, :, :3].copy()

    def save(self, renderer, path):
        writer, image = vtkPNGWriter(), self.image(renderer)  # a name, or VTK loses it
        writer.WriteToMemoryOn()
        writer.SetInputConnection(image.GetOutputPort())
        writer.Write()
        try:  # VTK's own file output does not tell why it failed
            path.write_bytes(vtk_to_numpy(writer.GetResult()).tobytes())
        except OSError as error:
            fail(f"cannot write {path}: {error.strerror}.")

    def close(self):
        self.window.Finalize()
