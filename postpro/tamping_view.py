"""A run of tamping in ParaView: grains by speed, the machine by body, force chains as tubes, walls as lines.

    paraview --script=postpro/tamping_view.py                             in the window: play, turn, zoom
    pvbatch postpro/tamping_view.py [RUN [PICTURE [TIME]]] [WORD...]      one picture

RUN is the folder of a run with frames (default: out/tamping/45), PICTURE the PNG file (default: view.png in that
folder), TIME in s selects the nearest frame (default: the last). Words: `force` colours grains by the sum of their
normal forces; `whole` keeps the grains and chains in front (y < 0), left out otherwise so that the tines are seen;
`chains` shows the chains in place of the grains, as the eyes of the pipeline browser do in the window. Needs ParaView
with Python. Without a display: xvfb-run -a pvbatch ...
"""
import sys
from pathlib import Path

from paraview import simple as pv
from paraview.modules.vtkRemotingCore import vtkProcessModule

batch = vtkProcessModule.GetProcessType() == vtkProcessModule.PROCESS_BATCH
words = {"force", "whole", "chains"}
arguments = [a for a in sys.argv[1:] if a not in words] if batch else []
chosen = words.intersection(sys.argv[1:]) if batch else set()
folder = Path(arguments[0] if arguments else "out/tamping/45").resolve()
picture = Path(arguments[1]) if len(arguments) > 1 else folder / "view.png"
time = float(arguments[2]) if len(arguments) > 2 else float("inf")
if not (folder / "tamping.pvd").is_file():
    sys.exit(f"tamping_view: there is no {folder / 'tamping.pvd'}; make a run with frames first.")

frames = pv.PVDReader(FileName=str(folder / "tamping.pvd"))
time = min(frames.TimestepValues, key=lambda t: abs(t - min(time, 1e9)))
view = pv.GetActiveViewOrCreate("RenderView")
pv.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
pv.GetAnimationScene().AnimationTime = time


def block(name):
    return pv.ExtractBlock(Input=frames, Selectors=[f"/Root/{name}"])


def by_body(source, low, high):
    return pv.Threshold(Input=source, Scalars=["CELLS", "body"], LowerThreshold=low, UpperThreshold=high)


def on_scale(display, array, low, high):
    """Colours on a logarithmic scale."""
    colours = pv.GetColorTransferFunction(array)
    if not colours.UseLogScale:  # grains and chains may share it
        colours.ApplyPreset("Viridis (matplotlib)", True)
        colours.RescaleTransferFunction(low, high)
        colours.MapControlPointsToLogSpace()
        colours.UseLogScale = 1
    display.ColorArrayName = ["CELLS", array]
    display.LookupTable = colours


def behind(source):
    """Without the faces that lie before y = 0; those that reach through are kept whole."""
    if "whole" in chosen:
        return source
    clip = pv.Clip(Input=source, ClipType="Plane", Crinkleclip=1, Invert=0)
    clip.ClipType.Origin = [0, 0, 0]
    clip.ClipType.Normal = [0, 1, 0]
    return clip


def with_bar(display, colours, corner):
    display.SetScalarBarVisibility(view, True)
    bar = pv.GetScalarBar(colours, view)
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.WindowLocation = "Any Location"
    bar.Position = corner
    bar.ScalarBarLength = 0.33


def names_of_bodies(source):
    """{body: the name of its first drawing}, from the field data that go with the bodies."""
    def leaves(data):
        if not hasattr(data, "NewIterator"):
            return [data]
        iterator, found = data.NewIterator(), []
        while not iterator.IsDoneWithTraversal():
            found.append(iterator.GetCurrentDataObject())
            iterator.GoToNextItem()
        return found

    names = {}
    for leaf in leaves(pv.servermanager.Fetch(source)):
        fields = leaf.GetFieldData()
        drawings, bodies = fields.GetAbstractArray("name"), fields.GetAbstractArray("body")
        for k in range(bodies.GetNumberOfTuples() if drawings and bodies else 0):
            names.setdefault(int(bodies.GetTuple1(k)), drawings.GetValue(k))
    return names


# Moving bodies by colour, with their names.
bodies = block("bodies")
bodies.UpdatePipeline(time)
names = {body: name for body, name in sorted(names_of_bodies(bodies).items()) if body >= 0}
palette = [[0.34, 0.38, 0.43], [0.55, 0.60, 0.66], [0.80, 0.47, 0.65], [0.84, 0.37, 0.0], [0.90, 0.62, 0.0],
           [0.0, 0.45, 0.70], [0.34, 0.71, 0.91], [0.0, 0.62, 0.45]]
colours = pv.GetColorTransferFunction("body")
colours.InterpretValuesAsCategories = 1
colours.Annotations = [text for body, name in names.items() for text in (str(body), name)]
colours.IndexedColors = [c for k in range(len(names)) for c in palette[k % len(palette)]]
machine = by_body(bodies, 0, 1e9)
display = pv.Show(machine, view)
pv.ColorBy(display, ("CELLS", "body"))
display.Ambient, display.Specular = 0.3, 0.2
with_bar(display, colours, [0.12, 0.55])

# The ground (-1): walls are lines, the sleeper is polygons.
ground = by_body(bodies, -1, -1)
display = pv.Show(ground, view)
display.ColorArrayName = ["POINTS", ""]
display.AmbientColor = display.DiffuseColor = [0.66, 0.66, 0.64]
display.Ambient = 0.3

grains = behind(block("grains"))
grains_display = pv.Show(grains, view)
on_scale(grains_display, *(("force", 1, 1e4) if "force" in chosen else ("speed", 1e-3, 1)))

# Chains: tubes, thicker with the force, which cells hold and tubes want on points.
chains = pv.CellDatatoPointData(Input=block("chains"), PassCellData=1)
tubes = behind(pv.Tube(Input=chains, Scalars=["POINTS", "force"], VaryRadius="By Scalar", Radius=0.001,
                       RadiusFactor=10))
tubes_display = pv.Show(tubes, view)
on_scale(tubes_display, "force", 1, 1e4)
pv.Hide(grains if "chains" in chosen else tubes, view)
display = tubes_display if "chains" in chosen else grains_display
with_bar(display, display.LookupTable, [0.9, 0.1])

# The camera: from the front, a little from above; set after the first rendering, which moves it.
# The bed has x in +-0.65, y in +-0.3, z up to 0.6; the machine stands above it up to z = 1.6.
pv.Render(view)
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
view.OrientationAxesVisibility = 0
view.ViewSize = [1600, 1000]
view.CameraFocalPoint = [0, 0, 0.8]
view.CameraPosition = [0.4, -4.2, 2.0]
view.CameraViewUp = [0, 0, 1]
view.CameraParallelProjection = 1
view.CameraParallelScale = 0.95
pv.Render(view)
if batch:
    pv.SaveScreenshot(str(picture), view)
    print(f"{picture}: t = {time:g} s")
