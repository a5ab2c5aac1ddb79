"""A run of slider_crank in ParaView, coloured by body, with arrows for the impulses on the walls.

    paraview --script=postpro/slider_crank_view.py                  in the window: play, turn, zoom
    pvbatch postpro/slider_crank_view.py [RUN [PICTURE [TIME]]]     one picture

RUN is the folder of a run with frames (default: out/slider_crank), PICTURE the PNG file (default: view.png in that
folder), TIME in s selects the nearest frame. Needs ParaView with Python. Without a display: xvfb-run -a pvbatch ...
All arrows are equally long, since impulses span decades; colour tells their size.
"""
import sys
from pathlib import Path

from paraview import simple as pv
from paraview.modules.vtkRemotingCore import vtkProcessModule

batch = vtkProcessModule.GetProcessType() == vtkProcessModule.PROCESS_BATCH
arguments = sys.argv[1:] if batch else []
folder = Path(arguments[0] if arguments else "out/slider_crank").resolve()
picture = Path(arguments[1]) if len(arguments) > 1 else folder / "view.png"
time = float(arguments[2]) if len(arguments) > 2 else 0.012
if not (folder / "slider_crank.pvd").is_file():
    sys.exit(f"slider_crank_view: there is no {folder / 'slider_crank.pvd'}; make a run with frames first.")

frames = pv.PVDReader(FileName=str(folder / "slider_crank.pvd"))
time = min(frames.TimestepValues, key=lambda t: abs(t - time))
view = pv.GetActiveViewOrCreate("RenderView")
pv.GetAnimationScene().UpdateAnimationUsingDataTimeSteps()
pv.GetAnimationScene().AnimationTime = time


def with_bar(display, colours, corner):
    display.SetScalarBarVisibility(view, True)
    bar = pv.GetScalarBar(colours, view)
    bar.TitleColor = bar.LabelColor = [0, 0, 0]
    bar.WindowLocation = "Any Location"
    bar.Position = corner
    bar.ScalarBarLength = 0.33


# Moving bodies by colour; the walls, which belong to the ground (-1), as they are.
bodies = pv.ExtractBlock(Input=frames, Selectors=["/Root/bodies"])
colours = pv.GetColorTransferFunction("body")
colours.InterpretValuesAsCategories = 1
colours.Annotations = ["0", "crank", "1", "rod", "2", "slider"]
colours.IndexedColors = [0.84, 0.37, 0.0, 0.0, 0.62, 0.45, 0.34, 0.71, 0.91]
moving = pv.Threshold(Input=bodies, Scalars=["CELLS", "body"], LowerThreshold=0, UpperThreshold=1e9)
display = pv.Show(moving, view)
pv.ColorBy(display, ("CELLS", "body"))
display.Ambient, display.Specular = 0.3, 0.2
with_bar(display, colours, [0.06, 0.04])
walls = pv.Threshold(Input=bodies, Scalars=["CELLS", "body"], LowerThreshold=-1, UpperThreshold=-1)
walls_display = pv.Show(walls, view)
walls_display.ColorArrayName = ["POINTS", ""]
walls_display.AmbientColor = walls_display.DiffuseColor = [0.6, 0.6, 0.6]
walls_display.Opacity = 0.25

# Contacts: an arrow along the impulse, none where it is zero.
contacts = pv.ExtractBlock(Input=frames, Selectors=["/Root/contacts"])
size = pv.Calculator(Input=contacts, ResultArrayName="impulse [N s]", Function="mag(impulse)")
along = pv.Calculator(Input=size, ResultArrayName="along", Function="impulse / max(mag(impulse), 1e-300)")
arrows = pv.Glyph(Input=along, GlyphType="Arrow", OrientationArray=["POINTS", "along"],
                  ScaleArray=["POINTS", "along"], ScaleFactor=0.06, GlyphMode="All Points")
arrows_display = pv.Show(arrows, view)
arrows_display.Position = [0, 0, 0.03]
colours = pv.GetColorTransferFunction("impulse [N s]")
colours.ApplyPreset("Inferno (matplotlib)", True)
colours.RescaleTransferFunction(1e-6, 1e-1)
colours.MapControlPointsToLogSpace()
colours.UseLogScale = 1
arrows_display.ColorArrayName = ["POINTS", "impulse [N s]"]
arrows_display.LookupTable = colours
with_bar(arrows_display, colours, [0.9, 0.63])

# The camera: from the front, a little from above and from the right; set after the first rendering, which moves it.
pv.Render(view)
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]
view.OrientationAxesVisibility = 0
view.ViewSize = [1600, 700]
view.CameraFocalPoint = [0.18, 0, 0]
view.CameraPosition = [0.43, 0.3, 1.2]
view.CameraViewUp = [0, 1, 0]
view.CameraParallelProjection = 1
view.CameraParallelScale = 0.18
pv.Render(view)
if batch:
    pv.SaveScreenshot(str(picture), view)
    print(f"{picture}: t = {time:g} s")
