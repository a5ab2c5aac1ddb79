"""What pictures and movies of any run show: bodies, walls, grains or the forces between them, from one place."""
import re
from pathlib import Path

import numpy as np
import view as looks
from frames import fail, read_frames
from report.run import Run, root, source
from report.scene import Empty, Scene
from run_report import find
from vtk_scene import (actor, balls, behind, colour_bar, colour_table, grain_centres, label, lines_of, look_from,
                       of_polygons, pick, points_of, polygons, read, tubes, white_renderer)
from vtkmodules.util.numpy_support import vtk_to_numpy

thickest = 0.01  # radius of a chain at the end of the scale, over the size of the scene
frames_looked_at = 24  # for the point of view and the scales
units = {"speed": "speed [m/s]", "force": "force [N]", "contacts": "contacts"}


def find_frames(word):
    """The folder of a run. A study has no frames: what draws it instead is told."""
    name = Path(word).name if "/" not in word and not Path(word).exists() else Run(find(word)).model
    if re.search(r"^    study\(", source(name), re.M):
        instead = f"tamis plot {name} draws its figures" if (root / "postpro" / f"{name}.py").is_file() else \
            f"tamis report {name} shows its tables"
        fail(f"{name} is a study, which has no frames: {instead}.")
    return find(word)


def look_arguments(parser):
    parser.add_argument("--colour", choices=list(units), default="speed", help="of the grains (default: %(default)s)")
    parser.add_argument("--chains", action="store_true", help="draw the forces between grains in their place")
    parser.add_argument("--cut", type=float, default=0, metavar="PART",
                        help="leave out the front part of the grains, 0 to 1 (default: none)")
    parser.add_argument("--glass", action="store_true", help="draw bodies so that one sees through them")
    parser.add_argument("--width", type=int, default=1280, metavar="PIXELS",
                        help="of the picture (default: %(default)s)")


class RunScene:
    """All frames of a run are seen from the same place, in the same colours."""

    def __init__(self, folder, arguments):
        if not 0 <= arguments.cut <= 1:
            fail(f"--cut {arguments.cut:g} is not a part: take a number from 0 to 1.")
        if not 64 <= arguments.width <= 8192:
            fail(f"--width {arguments.width} is no width of a picture: take 64 to 8192 pixels.")
        run = Run(folder)
        self.model, self.how = run.model, arguments
        self.frames = read_frames(run.folder, run.model)
        try:
            scene = Scene(self.frames, run.get("gravity_m_s2"), frames_looked_at)
        except Empty as reason:
            fail(f"the frames of {folder} cannot be drawn: {reason}.")
        self.view = scene.view
        width = arguments.width - arguments.width % 2  # as movies want them
        self.size = width, round(width * 0.3125) * 2
        self.font = max(11, round(width / 62))
        self.quantity = "force" if arguments.chains or not scene.poses else arguments.colour
        values = np.concatenate([p[self.quantity] for p in scene.poses]) if scene.poses else np.empty(0)
        if arguments.chains:
            values = np.concatenate([force for _, force, _ in scene.chains])
        self.scale = limits(values, self.quantity != "contacts") if scene.poses else None

    def actors(self, frame):
        """Those of a frame, and the table of colours."""
        size = np.linalg.norm(self.view.high - self.view.low)
        normal = self.view.towards - self.view.towards @ self.view.up * self.view.up
        reach = self.view.corners @ normal
        at = reach.max() - self.how.cut * (reach.max() - reach.min()) if self.how.cut else np.inf
        bodies = read(frame, "bodies")
        yield lines_of(bodies, (0.35, 0.38, 0.42), max(1, self.size[0] / 900))
        if bodies.GetNumberOfPolys():
            for shown in self.solids(bodies, normal, at):
                shown.GetProperty().SetOpacity(0.2 if self.how.glass else 1)
                yield shown
        if not self.scale:
            return
        table = colour_table(looks.force_ramp if self.how.chains else looks.ramp, *self.scale,
                             self.quantity != "contacts")
        if self.how.chains:
            data = read(frame, "chains") if "chains" in frame else None
            ends = points_of(data).reshape(-1, 2, 3) if data and data.GetNumberOfLines() else np.empty((0, 2, 3))
            force = vtk_to_numpy(data.GetCellData().GetArray("force")) if len(ends) else np.empty(0)
            kept = np.mean(ends, axis=1) @ normal <= at
            if np.any(kept):
                yield actor(tubes(ends[kept], force[kept], thickest * size, self.scale[1]), table=table, array="force")
            return
        if "grains" in frame:
            grains = read(frame, "grains")
            yield actor(pick(grains, grain_centres(grains) @ normal <= at, self.quantity), table=table,
                        array=self.quantity)
        if "balls" in frame or "grains" not in frame:
            points = read(frame, "balls" if "balls" in frame else "points")
            shown = actor(balls(points, points_of(points) @ normal <= at, self.quantity), table=table,
                          array=self.quantity)
            shown.GetProperty().SetInterpolationToPhong()
            yield shown

    def solids(self, bodies, normal, at):
        """Bodies in turn, beams, and the ground, which is cut as the grains are."""
        body = of_polygons(bodies, "body")
        for b in np.unique(body[body >= 0]):
            yield actor(pick(bodies, body == b), looks.body_colours[b % len(looks.body_colours)])
        if np.any(body < 0):
            connectivity, offsets = polygons(bodies)
            speed = vtk_to_numpy(bodies.GetPointData().GetArray("velocity"))
            moves = np.logical_or.reduceat(np.any(speed[connectivity] != 0, axis=1), offsets[:-1])
            if np.any((body < 0) & moves):
                yield actor(pick(bodies, (body < 0) & moves), looks.steel)
            if np.any((body < 0) & ~moves):
                ground = pick(bodies, (body < 0) & ~moves)
                yield actor(behind(ground, at * normal / (normal @ normal), -normal) if np.isfinite(at) else ground,
                            looks.concrete)

    def renderer(self, t):
        renderer = white_renderer()
        for shown in self.actors(self.frames[t]):
            renderer.AddActor(shown)
        if self.scale:
            low, high = self.scale
            decades = round(np.log10(high / low)) if self.quantity != "contacts" else 0
            table = colour_table(looks.force_ramp if self.how.chains else looks.ramp, low, high, decades > 0)
            renderer.AddActor2D(colour_bar(table, units[self.quantity], decades + 1 if decades else 5, self.font))
        renderer.AddActor2D(label(f"t = {t:.4g} s", self.font, self.size[1] - 2 * self.font, self.font))
        look_from(renderer, self.view, self.size)
        return renderer


def limits(values, log):
    """Of a scale: whole decades, at most four."""
    high = float(np.nanmax(values, initial=0))
    if not log:
        return 0, max(high, 1)
    top = np.ceil(np.log10(high)) if high > 0 else 0
    positive = values[values > 0]
    least = np.floor(np.log10(np.quantile(positive, 0.05))) if len(positive) else top - 1
    return 10.0 ** max(min(least, top - 1), top - 4), 10.0**top
