"""Pictures of a run of tamping without ParaView: the machine in the bed, whose front half is left out.

A picture shows the last frame of each phase, or the frames nearest to given times. Grains are left out whole, by
their centres; the sleeper is cut. VTK draws off screen, but wants an X display: `tamis pictures` starts one."""
import csv
import sys
from pathlib import Path

import numpy as np
from frames import fail, read_frames
from model_program import Arguments
import vtk_scene
from view import concrete, ramp, steel
from vtk_scene import (Window, actor, behind, colour_bar, colour_table, grain_centres, label, need_display, of_polygons,
                       pick, points_of, polygons, read, set_lights, white_renderer)
from vtkmodules.util.numpy_support import vtk_to_numpy

size = 1600, 1000  # pixels
thickest = 0.01  # m, radius of the chain with the largest force
orange = 0.90, 0.45, 0.05
phases = ["held", "diving", "squeezing"]  # by the value of stage
# What colours show: heading, and the range of a logarithmic scale.
scales = {"speed": ("speed [m/s]", 1e-3, 1), "force": ("force [N]", 1, 1e4)}


# --- Files -----------------------------------------------------------------------------------------------


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


# --- Parts -----------------------------------------------------------------------------------------------


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


# --- Scene -----------------------------------------------------------------------------------------------


def tubes(data, cut):
    """The chains behind the cut."""
    ends = points_of(data).reshape(-1, 2, 3)  # each line has two points of its own
    kept = np.all(ends[:, :, 1] >= cut, axis=1)
    return vtk_scene.tubes(ends[kept], vtk_to_numpy(data.GetCellData().GetArray("force"))[kept], thickest)


def scene(frame, quantity, chains, cut):
    renderer = white_renderer()
    bodies = read(frame, "bodies")
    body, names = of_polygons(bodies, "body"), names_of_polygons(bodies)
    tine = np.array(["tine" in name.lower() for name in names], dtype=bool)
    for chosen, colour in (((body >= 0) & ~tine, steel), (tine, orange)):
        renderer.AddActor(actor(pick(bodies, chosen), colour))
    ground = pick(bodies, body < 0)
    renderer.AddActor(actor(behind(ground, (0, cut, 0), (0, 1, 0)) if np.isfinite(cut) else ground, concrete))
    shown = "force" if chains else quantity
    title, low, high = scales[shown]
    table = colour_table(ramp, low, high)
    if chains:
        renderer.AddActor(actor(tubes(read(frame, "chains"), cut), table=table, array=shown))
    else:
        grains = read(frame, "grains")
        if grains.GetNumberOfPolys() == 0:
            fail("the grains were written as points, and only polyhedra are drawn.")
        seen = grain_centres(grains)[:, 1] >= cut
        renderer.AddActor(actor(pick(grains, seen, shown), table=table, array=shown))

    renderer.AddActor2D(colour_bar(table, title, 1 + round(np.log10(high / low)), 22))  # a label for each decade
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
    set_lights(renderer, centre, [((-1.5, -3, 4), 0.95), ((3, -3, 1), 0.35), ((0, 1, 4), 0.25)])


def draw(renderer, t, path):
    renderer.AddActor2D(label(f"t = {t:.3f} s", 30, size[1] - 60, 28))
    window = Window(size)
    window.save(renderer, path)
    window.close()
    print(f"{path}: t = {t:g} s")


def main():
    parser = Arguments(prog="tamis pictures tamping",
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
    frames = read_frames(arguments.run, "tamping")
    if arguments.times:
        nearest = [min(frames, key=lambda t: abs(t - wanted)) for wanted in arguments.times]
        pictures = {f"{t:.3f}s": t for t in nearest}
    else:
        pictures = last_frames_of_phases(arguments.run, frames)
    need_display("tamis pictures tamping")
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
