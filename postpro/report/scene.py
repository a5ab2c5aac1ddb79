"""The frames of a run for the player of a page, in few bytes.

    shapes  corners in units of a grain's radius over 127, int8, and triangles of each different shape
    grains  frame by frame x, y, z of the centres over `quantum` and quaternions w, x, y, z times `turn`, as differences
            to the frame before (int16, all low bytes before all high ones; what is less than 3/4 waits until it is
            more); then a byte for each of speed, force and number of contacts
    bodies  cells, then frame by frame x, y, z of all points, likewise; a frame with other cells than the one before
            begins anew; walls are the same with lines
    chains  frame by frame pairs of ends: numbers of grains and, from the number of grains on, of further points

A byte b of a speed or force is low (high / low)^((b - 1) / (levels - 1)), or nothing if b = 0. Frames and grains are
left out where there are more than a page should hold, and the notes say so."""
import gzip
from typing import NamedTuple

import numpy as np
import view as looks
from report.vtp import NotVtp, Vtp

most_poses = 4_000_000  # grains times frames
most_grains = 150_000
most_corners = 400_000  # of the shapes of grains
most_triangles = 120_000  # of all grains: beyond, convex ones are drawn with fewer corners
most_chains = 1200  # in a frame
least_frames = 24
least_corners = 8
turn = 200  # steps of a quaternion's components
levels = 31  # of colours


# As read_chains() and read_contacts() give them.
no_chains = np.empty((0, 2), int), np.empty(0), np.empty((0, 3))
no_contacts = np.empty((0, 3)), np.empty((0, 3)), np.empty(0)


class Empty(Exception):
    """There is nothing to play, for the reason that it says."""


class Cells(NamedTuple):
    """What the bodies of some frames have alike."""
    corners: np.ndarray  # of triangles or lines
    colours: np.ndarray  # of points: 0 the ground, 1 a beam, else 2 + number of the body

    def same(self, other):
        return len(self.colours) == len(other.colours) and np.array_equal(self.corners, other.corners)


class Layer:
    """Solid bodies, or the lines of walls: points frame by frame, which may have other cells than those before."""

    def __init__(self):
        self.cells, self.frames = [], []  # frames: number of the cells, points

    def add(self, cells, points):
        number = next((k for k, known in enumerate(self.cells) if known.same(cells)), len(self.cells))
        if number == len(self.cells):
            self.cells.append(cells)
        self.frames.append((number, points))

    def moving(self):
        """Points frame by frame of what is not the ground."""
        return [points[self.cells[k].colours > 0] for k, points in self.frames]


def layer(corners, colours, points):
    """Cells of these colours, with none but their own points, and these."""
    used, own = np.unique(corners, return_inverse=True)
    own = own.astype(np.uint32).reshape(corners.shape)
    of_points = np.zeros(len(used), np.uint8)
    of_points[own] = colours[:, None]
    return Cells(own, of_points), points[used]


def bounds(points):
    finite = points[np.all(np.isfinite(points), axis=1)]
    if len(finite) == 0:
        return np.full(3, np.inf), np.full(3, -np.inf)
    return finite.min(axis=0).astype(float), finite.max(axis=0).astype(float)


def triangles_of(connectivity, offsets):
    """Fans of polygons, and the polygon of each."""
    corners = np.diff(offsets)
    count = np.maximum(corners - 2, 0)
    polygon = np.repeat(np.arange(len(corners)), count)
    place = np.arange(len(polygon)) - np.repeat(np.cumsum(count) - count, count)
    first = offsets[:-1][polygon]
    corner = np.stack([first, first + place + 1, first + place + 2], axis=1)
    return connectivity[corner].astype(np.uint32).reshape(-1, 3), polygon


def byte_planes(values):
    """Of int16: the low bytes before the high ones; values are [..., n]."""
    bits = values.view(np.uint16)
    return np.stack([bits & 255, bits >> 8], axis=-2).astype(np.uint8)


def turned(points, quaternions):
    """By unit quaternions w, x, y, z, one for each point."""
    w, axis = quaternions[:, :1], quaternions[:, 1:]
    across = 2 * np.cross(axis, points)
    return points + w * across + np.cross(axis, across)


def coarse(corners, most):
    """A convex shape with that many of its corners, each as far from those before as can be: corners, triangles."""
    x = corners.astype(float)
    chosen = [int(np.argmax(np.sum(x * x, axis=1)))]
    distance = np.full(len(x), np.inf)
    while len(chosen) < most:
        distance = np.minimum(distance, np.sum((x - x[chosen[-1]]) ** 2, axis=1))
        chosen.append(int(np.argmax(distance)))
    x = x[chosen]
    a, b, c = np.array([(i, j, k) for i in range(most) for j in range(i + 1, most) for k in range(j + 1, most)]).T
    # A face has all corners on one side. Four corners in a plane give faces upon each other, which nobody sees.
    normal = np.cross(x[b] - x[a], x[c] - x[a])
    side = np.einsum("fk,fpk->fp", normal, x[None] - x[a][:, None])
    face = np.all(side <= 1e-9, axis=1) | np.all(side >= -1e-9, axis=1)
    return corners[chosen], np.stack([a, b, c], axis=1)[face]


def hashes(points):
    """Of the bits of points in float32."""
    bits = np.ascontiguousarray(points, np.float32).view(np.uint32).astype(np.uint64)
    return (bits[:, 0] * np.uint64(0x9E3779B1) ^ bits[:, 1] * np.uint64(0x85EBCA77000B)
            ^ bits[:, 2] * np.uint64(0xC2B2AE3D27D4EB4F))


def find(points, among):
    """Where each of the points stands, to the bit, among others; -1: nowhere."""
    if len(among) == 0:
        return np.full(len(points), -1)
    known = hashes(among)
    order = np.argsort(known)
    place = order[np.minimum(np.searchsorted(known[order], hashes(points)), len(order) - 1)]
    return np.where(np.all(among[place] == points, axis=1), place, -1)


class Encoder:
    """Numbers as bytes on a logarithmic scale of at most four decades."""

    def __init__(self, values):
        positive = values[(values > 0) & np.isfinite(values)]
        self.high = float(positive.max()) if len(positive) else 1.0
        self.low = max(float(np.quantile(positive, 0.05)), self.high * 1e-4) if len(positive) else 1e-3
        self.low = min(self.low, self.high / 10)

    def __call__(self, values):
        with np.errstate(divide="ignore", invalid="ignore"):
            place = 1 + (levels - 1) * np.log(values / self.low) / np.log(self.high / self.low)
        return np.where(values > 0, np.clip(np.nan_to_num(place, nan=0), 1, levels), 0).round().astype(np.uint8)


class Scene:
    """The frames of a run as they are read; where there are too many, some of them."""

    def __init__(self, frames, gravity=None, most_frames=200):
        self.notes, self.times = [], []
        self.poses, self.chains = [], []  # by frame
        self.bodies, self.walls = Layer(), Layer()
        self.names = {}  # of bodies: the first of each one's parts
        times = list(frames)
        self.whole = self.count(frames[times[0]])
        self.every = max(1, -(-self.whole // most_grains))  # of the grains
        kept = max(least_frames, min(most_frames, most_poses // max(1, self.whole // self.every)))
        self.all_frames = len(times)
        for t in times[::max(1, -(-(len(times) - 1) // kept))]:
            try:
                self.add(t, frames[t])
            except (OSError, NotVtp) as error:
                self.notes.append(f"The frame at t = {t:g} s cannot be read: {error}.")
        if not self.times:
            raise Empty("none of its frames can be read")
        self.shapes = self.read_shapes(frames)
        self.find_beams()
        low, high = self.box()
        self.view = looks.view_of(low, np.maximum(high, low + 1e-6), self.still_axis(), gravity)
        if not self.poses:
            self.end_contacts()

    @staticmethod
    def count(frame):
        try:
            return len(Vtp(frame["points"])["PointData", "radius"]) if "points" in frame else 0
        except (OSError, NotVtp):
            return 0

    @property
    def grains(self):
        return len(self.poses[0]["radius"]) if self.poses else 0

    def add(self, t, frame):
        """Nothing stays of a frame that cannot be read."""
        if "bodies" not in frame:
            raise NotVtp("its file of bodies is not listed")
        poses, (bodies, walls) = None, self.read_bodies(Vtp(frame["bodies"]))
        if "points" in frame:
            data = Vtp(frame["points"])
            poses = {name: data["PointData", name][::self.every]
                     for name in ("radius", "orientation", "speed", "force", "contacts")}
            poses["centre"] = data.points[::self.every]
            chains = self.read_chains(Vtp(frame["chains"]), data.points) if "chains" in frame else no_chains
        else:
            chains = self.read_contacts(Vtp(frame["contacts"])) if "contacts" in frame else no_contacts
        if self.times and (poses is None) != (not self.poses) or (
                self.poses and len(poses["radius"]) != self.grains):
            raise NotVtp("it has another number of grains")
        self.times.append(t)
        self.bodies.add(*bodies)
        self.walls.add(*walls)
        self.chains.append(chains)
        if poses:
            self.poses.append(poses)

    def read_bodies(self, data):
        """Cells and points of solids and of walls."""
        triangles, polygon = triangles_of(*data.cells("Polys"))
        lines = data.cells("Lines")[0].reshape(-1, 2)
        body = data["CellData", "body"]
        colours = np.where(body < 0, 0, 2 + body % 250).astype(np.uint8)
        if not self.names and ("FieldData", "name") in data:
            for number, name in zip(data["FieldData", "body"], data.strings(("FieldData", "name"))):
                if number >= 0:
                    self.names.setdefault(int(number), name)
        return (layer(triangles, colours[len(lines):][polygon], data.points),
                layer(lines, colours[:len(lines)], data.points))

    def find_beams(self):
        """Those that belong to no body and move."""
        for (k, before), (now, after) in zip(self.bodies.frames, self.bodies.frames[1:]):
            if k == now:
                colours = self.bodies.cells[k].colours
                colours[np.any(before != after, axis=1) & (colours == 0)] = 1

    def read_chains(self, data, centres):
        """The strongest: pairs of numbers of grains or further points, forces, these points."""
        force = data["CellData", "force"]
        ends = data.points.reshape(-1, 2, 3)
        strong = np.sort(np.argsort(-force, kind="stable")[:most_chains])
        ends, force = ends[strong].reshape(-1, 3), force[strong]
        number = find(ends, centres)
        known = (number >= 0) & (number % self.every == 0)
        drawn = -(-len(centres) // self.every)
        number = np.where(known, number // self.every, drawn - 1 + np.cumsum(~known))
        return number.reshape(-1, 2), force, ends[~known]

    @staticmethod
    def read_contacts(data):
        """The impulses of a run without grains: points, impulses (for their ends, see end_contacts), sizes."""
        impulse = data["PointData", "impulse"]
        size = np.linalg.norm(impulse, axis=1)
        strong = np.argsort(-size, kind="stable")[:most_chains]
        strong = strong[size[strong] > 0]
        return data.points[strong], impulse[strong], size[strong]

    def end_contacts(self):
        """Contacts as chains, the largest impulse as long as a sixth of the picture."""
        largest = max((size.max(initial=0) for _, _, size in self.chains), default=0)
        scale = np.linalg.norm(self.view.high - self.view.low) / 6 / largest if largest > 0 else 0
        self.chains = [(np.arange(2 * len(size)).reshape(-1, 2), size,
                        np.stack([points, points + scale * impulse], axis=1).reshape(-1, 3))
                       for points, impulse, size in self.chains]

    def read_shapes(self, frames):
        """Number of each grain's shape (0: a ball), and the shapes: corners over the radius, triangles."""
        numbers, shapes = np.zeros(self.grains, np.uint32), []
        frame = frames[self.times[0]]
        if not self.poses or "grains" not in frame:
            return numbers, shapes
        try:
            data = Vtp(frame["grains"])
            grain, points = data["CellData", "grain"], data.points
        except (OSError, NotVtp) as error:
            self.notes.append(f"Grains are drawn as balls: {error}.")
            return numbers, shapes
        connectivity, offsets = data.cells("Polys")
        triangles, polygon = triangles_of(connectivity, offsets)
        owner = np.zeros(len(points), grain.dtype)
        owner[connectivity] = np.repeat(grain, np.diff(offsets))
        owner = np.maximum.accumulate(owner)  # those of points without a polygon, too
        mine = owner % self.every == 0
        g = np.where(mine, owner // self.every, 0)
        pose = self.poses[0]
        q = pose["orientation"][g].astype(float)
        local = turned(points - pose["centre"][g], q * [1, -1, -1, -1]) / pose["radius"][g, None]
        corners = np.clip(np.rint(127 * local), -127, 127).astype(np.int8)
        # Points and triangles of a grain stand together, grains in the order of their numbers.
        begin = np.searchsorted(owner, np.arange(self.whole + 1))
        of_triangle = grain[polygon]
        begin_triangle = np.searchsorted(of_triangle, np.arange(self.whole + 1))
        known, room = {}, most_corners
        for k in range(self.grains):
            whole = k * self.every
            first, end = begin[whole], begin[whole + 1]
            if first == end:
                continue
            if room < 0:
                numbers[k] = numbers[k % last] if numbers[k % last] else 1
                continue
            shape = corners[first:end], triangles[begin_triangle[whole]:begin_triangle[whole + 1]] - first
            key = shape[0].tobytes() + shape[1].tobytes()
            if key not in known:
                shapes.append(shape)
                known[key] = len(shapes)
                room -= end - first
            numbers[k], last = known[key], k + 1
        if room < 0:
            self.notes.append(f"The first {last} grains have their own shapes, the others those of these.")
        return numbers, self.simplified(numbers, shapes)

    def simplified(self, numbers, shapes):
        counts = np.array([0, *(len(triangles) for _, triangles in shapes)])
        drawn = numbers[numbers > 0]
        if counts[drawn].sum() <= most_triangles:
            return shapes
        most = max(least_corners, most_triangles // len(drawn) // 2 + 2)  # a hull of n corners has 2 n - 4 triangles
        result = [coarse(corners, most) if len(triangles) == 2 * len(corners) - 4 and len(corners) > most
                  else (corners, triangles) for corners, triangles in shapes]
        if any(len(new[0]) < len(old[0]) for new, old in zip(result, shapes)):
            self.notes.append(f"Grains are drawn with {most} of their corners.")
        return result

    def box(self):
        """Around grains and what moves, but for the few grains that are far away; else around everything."""
        low, high = np.full(3, np.inf), np.full(3, -np.inf)
        if self.poses:
            centres = np.concatenate([p["centre"] for p in self.poses[::max(1, len(self.poses) // 20)]])
            centres = centres[np.all(np.isfinite(centres), axis=1)]
            if len(centres):
                radius = np.max(self.poses[0]["radius"])
                low, high = np.quantile(centres, [0.001, 0.999], axis=0) + np.array([[-radius], [radius]])
        moving = [bounds(points) for part in (self.bodies, self.walls) for points in part.moving()]
        every = [bounds(points) for part in (self.bodies, self.walls) for _, points in part.frames]
        low, high = np.min([low, *(b[0] for b in moving)], axis=0), np.max([high, *(b[1] for b in moving)], axis=0)
        least, most = np.min([low, *(b[0] for b in every)], axis=0), np.max([high, *(b[1] for b in every)], axis=0)
        # With walls, if they do not make it much larger.
        if not np.all(low <= high) or np.linalg.norm(most - least) <= 1.5 * np.linalg.norm(high - low):
            low, high = least, most
        return (low, high) if np.all(low <= high) else (-np.ones(3), np.ones(3))

    def still_axis(self):
        """Along which no point of a body moves, while they do along others."""
        if self.poses:
            return None
        moving = self.bodies.moving()
        same = [points for points in moving if len(points) == len(moving[0]) > 0]
        if not same:
            return None
        span = np.max([np.max(np.abs(points - moving[0]), axis=0) for points in same], axis=0)
        still = np.flatnonzero(span <= 1e-6 * span.max())
        return int(still[0]) if len(still) == 1 and span.max() > 0 else None


class Packed:
    """A scene as a description and blobs of bytes, with every `step`-th of its frames."""

    def __init__(self, scene, step=1):
        self.scene, self.step = scene, step
        self.times = scene.times[::step]
        self.poses, self.chains = scene.poses[::step], scene.chains[::step]
        self.layers = {name: (part.cells, part.frames[::step])
                       for name, part in (("bodies", scene.bodies), ("walls", scene.walls))}
        self.place()
        self.scales = {}
        self.blobs = {"shapes": self.pack_shapes(), "grains": self.pack_grains(), "chains": self.pack_chains(),
                      **{name: self.pack_layer(*layer) for name, layer in self.layers.items()}}

    def place(self):
        """Origin and quantum of all coordinates."""
        every = [bounds(points) for _, frames in self.layers.values() for _, points in frames]
        low = np.min([self.scene.view.low, *(b[0] for b in every)], axis=0)
        high = np.max([self.scene.view.high, *(b[1] for b in every)], axis=0)
        self.origin = (low + high) / 2
        self.quantum = 1.2 * np.max(high - low) / 65000
        if self.poses:
            self.quantum = max(self.quantum, 0.02 * float(np.mean(self.poses[0]["radius"])))

    def places(self, points):
        return np.clip(np.nan_to_num((points - self.origin) / self.quantum, nan=32767), -32767, 32767)

    def whole(self, points):
        return np.rint(self.places(points)).astype(np.int16)

    def scale(self, name, values):
        encoder = Encoder(values)
        self.scales[name] = [encoder.low, encoder.high]
        return encoder

    def pack_shapes(self):
        numbers, shapes = self.scene.shapes
        counts = np.array([[len(corners), len(triangles)] for corners, triangles in shapes], np.uint32)
        return b"".join([*(a.tobytes() for a in (self.radii(), numbers, counts)),
                         *(corners.tobytes() for corners, _ in shapes),
                         *(triangles.astype(np.uint16).tobytes() for _, triangles in shapes)])

    def radii(self):
        return self.poses[0]["radius"].astype(np.float32) if self.poses else np.empty(0, np.float32)

    def pack_grains(self):
        if not self.poses:
            return b""
        encoders = {name: self.scale(name, np.concatenate([p[name] for p in self.poses]))
                    for name in ("speed", "force")}
        self.scales["contacts"] = [0, min(255, max(1, *(int(p["contacts"].max(initial=0)) for p in self.poses)))]
        n = self.scene.grains
        shown, before, parts = np.zeros((7, n)), None, []
        for p in self.poses:
            q = np.nan_to_num(p["orientation"])
            if before is not None:  # q and -q are the same turn
                q = np.where(np.sum(q * before, axis=1, keepdims=True) < 0, -q, q)
            before = q
            now = np.concatenate([self.places(p["centre"]).T, turn * q.T])
            now = np.where(np.abs(now - shown) > 0.75, np.rint(now), shown) if parts else np.rint(now)
            # Those of int16 wrap round, here and where they are added.
            parts.append(byte_planes((now - shown).astype(np.int32).astype(np.int16)).tobytes())
            shown = now
            parts += [encoders["speed"](p["speed"]).tobytes(), encoders["force"](p["force"]).tobytes(),
                      np.minimum(p["contacts"], 255).astype(np.uint8).tobytes()]
        return b"".join(parts)

    def pack_layer(self, cells, frames):
        parts, last = [], None
        for k, points in frames:
            now = self.whole(points).T
            parts.append(byte_planes(now - (before if last == k else 0)).tobytes())
            last, before = k, now
        return b"".join([*(a.tobytes() for c in cells for a in (c.corners, c.colours)), *parts])

    def pack_chains(self):
        encoder = self.scale("chain", np.concatenate([force for _, force, _ in self.chains]))
        parts = []
        for ends, force, points in self.chains:
            ends = ends.astype(np.uint32)
            parts += [ends[:, 0].tobytes(), ends[:, 1].tobytes(), self.whole(points).T.tobytes(),
                      encoder(force).tobytes()]
        return b"".join(parts)

    def description(self):
        scene, view = self.scene, self.scene.view
        return {"times": self.times, "grains": scene.grains, "shapes": len(scene.shapes[1]), "levels": levels,
                "origin": list(self.origin), "quantum": self.quantum, "scales": self.scales,
                "layers": {name: {"cells": [[c.corners.size, len(c.colours)] for c in cells],
                                  "frames": [k for k, _ in frames]} for name, (cells, frames) in self.layers.items()},
                "names": sorted(scene.names.items()),
                "chains": [[len(force), len(points)] for _, force, points in self.chains],
                "view": {name: list(value) for name, value in view._asdict().items()},
                "looks": {name: getattr(looks, name) for name in ("concrete", "steel", "body_colours", "ramp",
                                                               "force_ramp")}}


def pack(scene, megabytes):
    """Packed into no more than that, if need be with fewer frames; the blobs compressed. Returns notes, too."""
    step = 1
    while True:
        packed = Packed(scene, step)
        blobs = {name: gzip.compress(blob, 6, mtime=0) for name, blob in packed.blobs.items()}
        if sum(map(len, blobs.values())) <= 1e6 * megabytes or len(packed.times) <= least_frames:
            break
        step *= 2
    notes = list(scene.notes)
    if len(packed.times) < scene.all_frames:
        notes.insert(0, f"{len(packed.times)} of the {scene.all_frames} frames are in this page.")
    if scene.every > 1:
        notes.insert(0, f"One of {scene.every} of the {scene.whole} grains is drawn.")
    if any(len(force) == most_chains for _, force, _ in scene.chains):
        notes.append(f"Of the forces between grains, the {most_chains} largest are drawn.")
    return packed.description(), blobs, notes
