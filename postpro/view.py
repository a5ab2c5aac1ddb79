"""From where a scene is looked at: what all pictures, movies and pages take unless they are told otherwise."""
from typing import NamedTuple

import numpy as np

# Of what stands on the ground, of beams, of bodies in turn.
concrete, steel = (0.72, 0.72, 0.70), (0.52, 0.56, 0.61)
body_colours = [(0.90, 0.60, 0.0), (0.0, 0.62, 0.45), (0.84, 0.37, 0.0), (0.80, 0.47, 0.65), (0.34, 0.71, 0.91), steel]
# Of grains from still to fast: pale stone to dark blue, ever darker; of forces between them, likewise.
ramp = [(0.84, 0.81, 0.75), (0.60, 0.75, 0.83), (0.25, 0.50, 0.75), (0.24, 0.13, 0.45)]
force_ramp = [(0.99, 0.85, 0.55), (0.93, 0.51, 0.16), (0.75, 0.16, 0.08), (0.35, 0.0, 0.12)]


class View(NamedTuple):
    low: np.ndarray  # of a box that the picture holds
    high: np.ndarray
    towards: np.ndarray  # the camera, from the centre; a unit vector
    up: np.ndarray

    @property
    def corners(self):
        """Of the box."""
        return np.array([(x, y, z) for x in (self.low[0], self.high[0]) for y in (self.low[1], self.high[1])
                         for z in (self.low[2], self.high[2])])

    def distance(self, angle, aspect):
        """Of a camera with this vertical angle of view, in degrees, so that the box just fits; from its centre."""
        right = np.cross(self.up, self.towards)
        corners = self.corners - (self.low + self.high) / 2
        slope = np.tan(np.radians(angle) / 2)
        across = np.abs(corners @ (right / np.linalg.norm(right))) / (slope * aspect)
        above = np.abs(corners @ np.cross(self.towards, right / np.linalg.norm(right))) / slope
        return 1.06 * np.max(np.maximum(across, above) + corners @ self.towards)


def unit(axis, sign=1.0):
    return sign * np.eye(3)[axis]


def view_of(low, high, still=None, gravity=None):
    """Of the box low..high. `still` is the axis along which nothing moves, if there is one: the picture is looked at
    along it. Gravity points down; without it z or, in a plane x, y, y is up."""
    down = np.asarray(gravity if gravity is not None and np.any(gravity) else [0, 0, 0], float)
    axis = int(np.argmax(np.abs(down))) if np.any(down) else (1 if still == 2 else 2)
    up = -down / np.linalg.norm(down) if np.any(down) else unit(axis)
    if still is not None:
        towards = unit(still, -1.0 if still == 1 else 1.0)
        if still == axis:
            up = unit((still + 2) % 3)
        return View(low, high, towards, up)
    # The longer side across the picture, a little from the right and from above.
    level = [k for k in range(3) if k != axis]
    across = max(level, key=lambda k: high[k] - low[k] + (1e-9 if k == 0 else 0))
    front = next(k for k in level if k != across)
    towards = unit(front)
    if np.cross(up, towards)[across] < 0:
        towards = -towards
    towards = towards + 0.25 * unit(across) + 0.32 * up
    return View(low, high, towards / np.linalg.norm(towards), up)
