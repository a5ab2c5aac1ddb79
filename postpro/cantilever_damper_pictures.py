"""Pictures of a run of cantilever_damper without ParaView: the shot in its container, seen along the axis that the
container sways about, as in Figs 23 and 24 of Zhang et al. (2020); to the right is outwards. `--whole` shows the beam.
VTK draws off screen, but wants an X display: `tamis pictures` starts one."""
import sys
from pathlib import Path

import numpy as np
from frames import fail, read_frames
from model_program import Arguments
from tamping_pictures import draw
from view import steel
from vtk_scene import actor, balls, lines_of, need_display, pick, points_of, read, set_lights, white_renderer
from vtkmodules.util.numpy_support import vtk_to_numpy

lead = (0.35, 0.42, 0.55)
shown = {False: 0.011, True: 0.09}  # half the height of the picture, m


def scene(frame, whole):
    renderer = white_renderer()
    bodies, points = read(frame, "bodies"), read(frame, "points")
    if whole and bodies.GetNumberOfPolys() > 0:
        renderer.AddActor(actor(pick(bodies, np.ones(bodies.GetNumberOfPolys(), dtype=bool)), steel))
    renderer.AddActor(lines_of(bodies, (0.1, 0.1, 0.1), 2))
    shot = actor(balls(points, np.arange(points.GetNumberOfPoints())), lead)
    shot.GetProperty().SetInterpolationToPhong()
    renderer.AddActor(shot)
    ends = points_of(bodies)
    used = np.unique(vtk_to_numpy(bodies.GetLines().GetConnectivityArray()))
    centre = (ends[used].min(axis=0) + ends[used].max(axis=0)) / 2
    outwards = centre * [1, 0, 1] / np.linalg.norm(centre * [1, 0, 1])
    across = np.cross(outwards, [0, 1, 0])
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetParallelScale(shown[whole])
    focus = centre - 0.45 * np.linalg.norm(centre * [1, 0, 1]) * outwards if whole else centre
    camera.SetFocalPoint(*focus)
    camera.SetPosition(*(focus + across + np.array([0, 0.25, 0]) * whole))
    camera.SetViewUp(0, 1, 0)
    renderer.ResetCameraClippingRange()
    set_lights(renderer, centre, [(across + [0, 1, 0], 0.9), (across - outwards, 0.4)])
    return renderer


def main():
    parser = Arguments(prog="tamis pictures cantilever_damper", description=__doc__)
    parser.add_argument("run", nargs="?", type=Path, default=Path("out/cantilever_damper"), metavar="RUN",
                        help="folder of the run (default: %(default)s)")
    parser.add_argument("--times", nargs="+", type=float, default=[0, 0.6, 1.6], metavar="T",
                        help="in s; the nearest frames are drawn (default: 0 0.6 1.6)")
    parser.add_argument("--whole", action="store_true", help="the beam, too")
    parser.add_argument("--out", type=Path, metavar="DIR", help="folder of the pictures (default: that of the run)")
    arguments = parser.parse_args()
    frames = read_frames(arguments.run, "cantilever_damper")
    out = arguments.out or arguments.run
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        fail(f"cannot make the folder {out}: {error.strerror}.")
    need_display("tamis pictures cantilever_damper")
    for t in arguments.times:
        nearest = min(frames, key=lambda time: abs(time - t))
        draw(scene(frames[nearest], arguments.whole), nearest,
             out / f"{'whole' if arguments.whole else 'shot'}_{nearest:.3f}s.png")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
