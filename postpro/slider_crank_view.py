"""A run of slider_crank in ParaView, coloured by body, with arrows for the impulses on the walls.

    pvbatch postpro/slider_crank_view.py [RUN [PICTURE [TIME]]]     one picture
    paraview --script=postpro/slider_crank_view.py                  in the window: play, turn, zoom

RUN is the folder of a run with frames (default: out/slider_crank), PICTURE the PNG file (default: view.png in
that folder), TIME in s selects the nearest frame. Without a display: xvfb-run -a pvbatch ...

Crank and rod have no shapes, hence are not in the frames: they are drawn from histories.csv. All arrows are
equally long, since impulses span decades; colour tells their size.
"""
import csv
import json
import sys
from pathlib import Path

import numpy as np
from paraview import simple as pv
from paraview.modules.vtkRemotingCore import vtkProcessModule

batch = vtkProcessModule.GetProcessType() == vtkProcessModule.PROCESS_BATCH
arguments = sys.argv[1:] if batch else []
folder = Path(arguments[0] if arguments else "out/slider_crank").resolve()
picture = Path(arguments[1]) if len(arguments) > 1 else folder / "view.png"
time = float(arguments[2]) if len(arguments) > 2 else 0.012

for name in ("slider_crank.pvd", "histories.csv", "summary.json"):
    if not (folder / name).is_file():
        sys.exit(f"slider_crank_view: there is no {folder / name}; make a run with frames first.")
parameters = json.loads((folder / "summary.json").read_text())["parameters"]
l1, l2, clearance = (parameters[p] for p in ("crank-length", "rod-length", "clearance"))
length, height = parameters["slider-length"], parameters["slider-height"]
depth, front = 0.06, 0.045  # of slider and guide along z; where crank, rod and arrows are, before them

frames = pv.PVDReader(FileName=str(folder / "slider_crank.pvd"))
times = list(frames.TimestepValues)
time = min(times, key=lambda t: abs(t - time))
view = pv.GetActiveViewOrCreate("RenderView")
pv.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
pv.GetAnimationScene().AnimationTime = time
body_colours = pv.GetColorTransferFunction("body")
body_colours.InterpretValuesAsCategories = 1
body_colours.Annotations = ["0", "crank", "1", "rod", "2", "slider"]
body_colours.IndexedColors = [0.84, 0.37, 0.0, 0.0, 0.62, 0.45, 0.34, 0.71, 0.91]


def show_bodies(source, z=0.0):
    display = pv.Show(source, view)
    pv.ColorBy(display, ("CELLS", "body"))
    display.Position = [0, 0, z]
    display.Ambient, display.Specular = 0.3, 0.2
    return display


# The slider, a flat polygon in the frames; the walls are planes there, drawn here as the blocks of a guide.
bodies = pv.ExtractBlock(Input=frames, Selectors=["/Root/bodies"])
moving = pv.Threshold(Input=bodies, Scalars=["CELLS", "body"], LowerThreshold=0, UpperThreshold=1e9)
slider = pv.LinearExtrusion(Input=pv.ExtractSurface(Input=moving), ScaleFactor=depth, Vector=[0, 0, 1])
show_bodies(slider, -depth / 2)
thickness = 0.2 * height
for sign in (-1, 1):
    block = pv.Box(XLength=2 * l1 + 1.4 * length, YLength=thickness, ZLength=depth,
                   Center=[l2, sign * (height / 2 + clearance + thickness / 2), 0])
    block_display = pv.Show(block, view)
    block_display.AmbientColor = block_display.DiffuseColor = [0.8, 0.8, 0.8]
    block_display.Ambient = 0.3

# Crank and rod: lines from O to A to B at the times of the frames.
with open(folder / "histories.csv", newline="") as file:
    rows = [[float(row[c]) for c in ("t", "theta1", "x", "y")] for row in csv.DictReader(file)]
t, theta1, x, y = zip(*rows)
theta1, x, y = (np.interp(times, t, column) for column in (theta1, x, y))
ends = np.column_stack([l1 * np.cos(theta1), l1 * np.sin(theta1), x, y]).tolist()
links = pv.ProgrammableSource(OutputDataSetType="vtkPolyData")
links.ScriptRequestInformation = f"""
executive, times = self.GetExecutive(), {times}
information = executive.GetOutputInformation(0)
information.Set(executive.TIME_STEPS(), times, len(times))
information.Set(executive.TIME_RANGE(), [times[0], times[-1]], 2)
"""
links.Script = f"""
import numpy as np
from vtkmodules.vtkCommonCore import vtkIntArray, vtkPoints
from vtkmodules.vtkCommonDataModel import vtkCellArray
executive = self.GetExecutive()
now = executive.GetOutputInformation(0).Get(executive.UPDATE_TIME_STEP()) or 0.0
x_a, y_a, x_b, y_b = {ends}[np.abs(np.array({times}) - now).argmin()]
points, lines, body = vtkPoints(), vtkCellArray(), vtkIntArray()
for x, y in ((0, 0), (x_a, y_a), (x_b, y_b)):
    points.InsertNextPoint(x, y, 0)
body.SetName("body")
for k in (0, 1):
    lines.InsertNextCell(2, (k, k + 1))
    body.InsertNextValue(k)
output = self.GetPolyDataOutput()
output.SetPoints(points)
output.SetLines(lines)
output.GetCellData().AddArray(body)
"""
tubes = pv.Tube(Input=links, Radius=0.04 * l1, NumberofSides=24)
show_bodies(tubes, front).SetScalarBarVisibility(view, True)
pins = pv.Glyph(Input=links, GlyphType="Sphere", ScaleFactor=0.11 * l1, GlyphMode="All Points")
pins_display = pv.Show(pins, view)
pins_display.ColorArrayName = ["POINTS", ""]
pins_display.DiffuseColor = [0.2, 0.2, 0.2]
pins_display.Position = [0, 0, front]

# Contacts: an arrow along the impulse, none where it is zero.
contacts = pv.ExtractBlock(Input=frames, Selectors=["/Root/contacts"])
size = pv.Calculator(Input=contacts, ResultArrayName="impulse [N s]", Function="mag(impulse)")
along = pv.Calculator(Input=size, ResultArrayName="along", Function="impulse / max(mag(impulse), 1e-300)")
arrows = pv.Glyph(Input=along, GlyphType="Arrow", OrientationArray=["POINTS", "along"],
                  ScaleArray=["POINTS", "along"], ScaleFactor=1.2 * height, GlyphMode="All Points")
arrows_display = pv.Show(arrows, view)
arrows_display.Position = [0, 0, front]
impulse_colours = pv.GetColorTransferFunction("impulse [N s]")
impulse_colours.ApplyPreset("Inferno (matplotlib)", True)
impulse_colours.RescaleTransferFunction(1e-6, 1e-1)
impulse_colours.MapControlPointsToLogSpace()
impulse_colours.UseLogScale = 1
arrows_display.ColorArrayName = ["POINTS", "impulse [N s]"]
arrows_display.LookupTable = impulse_colours
arrows_display.SetScalarBarVisibility(view, True)
for colours, corner in ((body_colours, [0.06, 0.04]), (impulse_colours, [0.9, 0.63])):
    bar = pv.GetScalarBar(colours, view)
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.WindowLocation = "Any Location"
    bar.Position = corner
    bar.ScalarBarLength = 0.33

# The camera: from the front, a little from above and from the right; set after the first rendering,
# which moves it.
pv.Render(view)
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
view.OrientationAxesVisibility = 0
view.ViewSize = [1600, 700]
view.CameraFocalPoint = [(l2 + length / 2) / 2, 0, 0]
view.CameraPosition = [(l2 + length / 2) / 2 + 0.25, 0.3, 1.2]
view.CameraViewUp = [0, 1, 0]
view.CameraParallelProjection = 1
view.CameraParallelScale = 1.15 * l1
pv.Render(view)
if batch:
    pv.SaveScreenshot(str(picture), view)
    print(f"{picture}: t = {time:g} s")
