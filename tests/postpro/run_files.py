"""Run folders for tests, with frames as src/io/vtk_writer.cpp writes them: a hinged box that turns above a floor, and
stones (tetrahedra and a cube) and balls that fall."""
import base64
import json
import struct
import zlib

import numpy as np

vtk_types = {"f4": "Float32", "i4": "Int32", "i8": "Int64", "u1": "UInt8"}
cube = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
cube_faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
tetrahedron = np.array([(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)], float)
tetrahedron_faces = [(0, 1, 2), (0, 3, 1), (0, 2, 3), (1, 3, 2)]


def encoded(values, block=256):
    """Small blocks, so that there are several."""
    data = values.tobytes()
    blocks = [zlib.compress(data[k:k + block], 1) for k in range(0, len(data), block)]
    rest = len(data) % block
    head = struct.pack(f"<{3 + len(blocks)}I", len(blocks), block, rest, *map(len, blocks))
    return (base64.b64encode(head) + base64.b64encode(b"".join(blocks))).decode()


def array(name, values):
    values = np.ascontiguousarray(values)
    components = f' NumberOfComponents="{values.shape[1]}"' if values.ndim == 2 else ""
    return (f'<DataArray type="{vtk_types[values.dtype.str[1:]]}" Name="{name}"{components} format="binary">\n'
            f"  {encoded(values)}\n</DataArray>\n")


def cells(kind, polygons):
    offsets = np.cumsum([len(p) for p in polygons], dtype=np.int64)
    corners = np.array([k for p in polygons for k in p], np.int64)
    return f"<{kind}>{array('connectivity', corners)}{array('offsets', offsets)}</{kind}>"


def write_vtp(path, points, polygons=(), lines=(), point_data=None, cell_data=None, field_data=None):
    def section(kind, data):
        return f"<{kind}>{''.join(array(name, values) for name, values in (data or {}).items())}</{kind}>"
    fields = dict(field_data or {})
    names = fields.pop("name", None)
    text = "" if names is None else (
        '<Array type="String" Name="name" format="binary">'
        + encoded(np.frombuffer("".join(n + "\0" for n in names).encode(), np.uint8)) + "</Array>")
    path.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="PolyData" version="0.1" byte_order="LittleEndian" '
        'header_type="UInt32" compressor="vtkZLibDataCompressor">\n<PolyData>'
        f"<FieldData>{text}{''.join(array(n, v) for n, v in fields.items())}</FieldData>"
        f'<Piece NumberOfPoints="{len(points)}" NumberOfVerts="0" NumberOfLines="{len(lines)}" NumberOfStrips="0" '
        f'NumberOfPolys="{len(polygons)}">'
        + section("PointData", point_data) + section("CellData", cell_data)
        + f"<Points>{array('Points', points.astype('f4'))}</Points>"
        + cells("Lines", lines) + cells("Polys", polygons) + "</Piece></PolyData></VTKFile>")


def rotation(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def poses(n, f):
    """Of grains in frame f: centres and quaternions, which turn through all signs."""
    k = np.arange(n)
    centres = np.stack([0.1 * (k % 5), 0.1 * (k // 5), 0.5 - 0.004 * f * (1 + k % 3) + 0 * k], axis=1)
    half = 0.3 * f + k
    q = np.stack([np.cos(half), np.sin(half), 0 * half, 0 * half], axis=1)
    return centres, q * np.where(f % 2, -1, 1)


def bodies(path, f, floor=True, arm=True):
    """A floor of lines and a box that turns above it."""
    angle = 0.05 * f
    box = (cube * [0.02, 0.02, 0.2] - [0, 0, 0.2]) @ rotation([np.cos(angle / 2), 0, np.sin(angle / 2), 0]).T
    corners = np.array([(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)])
    points = np.concatenate([corners, box + [0, 0, 0.8]])
    lines = [(0, 1), (1, 2), (2, 3), (3, 0)] if floor else []
    faces = [tuple(4 + k for k in face) for face in cube_faces] if arm else []
    write_vtp(path, points, faces, lines, {"velocity": np.zeros((12, 3), "f4")},
              {"body": np.array([-1] * len(lines) + [0] * len(faces), "i4"),
               "drawing": np.array([0] * len(lines) + [1] * len(faces), "i4")},
              {"name": ["floor", "arm"], "body": np.array([-1, 0], "i4")})


def stones(path, n, f):
    """All but the last grain are stones; the first is a cube."""
    centres, q = poses(n, f)
    points, faces, owner = [], [], []
    for g in range(n - 1):
        shape, polygons = (cube, cube_faces) if g == 0 else (tetrahedron, tetrahedron_faces)
        first = sum(map(len, points))
        points.append(0.02 * shape @ rotation(q[g]).T + centres[g])
        faces += [tuple(first + k for k in face) for face in polygons]
        owner += [g] * len(polygons)
    write_vtp(path, np.concatenate(points), faces, cell_data=grain_data(np.array(owner)))


def grain_data(k):
    return {"speed": (10.0 ** -(k % 4)).astype("f4"), "force": (1.0 * k).astype("f4"), "contacts": (k % 6).astype("i4"),
            "grain": k.astype("i4")}


def grain_points(path, n, f, first=0):
    centres, q = poses(n, f)
    write_vtp(path, centres[first:], point_data={
        "radius": np.full(n - first, 0.02 * np.sqrt(3), "f4"), "orientation": q[first:].astype("f4"),
        **grain_data(np.arange(first, n))})


def chains(path, n, f):
    centres, _ = poses(n, f)
    ends = np.array([centres[0], centres[1], centres[1], [0.05, 0.05, 0]])
    write_vtp(path, ends, lines=[(0, 1), (2, 3)], cell_data={"force": np.array([10, 1], "f4")})


def contacts(path, f):
    write_vtp(path, np.array([[0, 0, 0.1]]), point_data={
        "impulse": np.array([[0, 0, 0.1 * (f + 1)]], "f4"), "gap": np.zeros(1, "f4")})


def write_run(folder, model="falling", frames=6, grains=7, lines=50, **summary):
    """A whole run; more keys of the summary may be given."""
    (folder / "frames").mkdir(parents=True)
    lists = {model: "", f"{model}_points": ""}
    for f in range(frames):
        def add(name, kind, write, *arguments):
            file = f"frames/{model}_{kind}_{f:06}.vtp"
            if write:
                write(folder / file, *arguments)
            lists[name] += f'    <DataSet timestep="{0.1 * f:g}" part="0" name="{kind}" file="{file}"/>\n'
        add(model, "bodies", bodies, f)
        add(model, "contacts", contacts, f)
        if grains:
            add(model, "grains", stones, grains, f)
            add(model, "balls", grain_points, grains, f, grains - 1)
            add(model, "chains", chains, grains, f)
            add(f"{model}_points", "points", grain_points, grains, f)
    for name, entries in lists.items():
        if entries:
            (folder / f"{name}.pvd").write_text(
                f'<?xml version="1.0"?>\n<VTKFile type="Collection"><Collection>\n{entries}</Collection></VTKFile>\n')
    t = np.linspace(0, 0.5, lines)
    columns = {"t": t, "angle1": np.sin(9 * t), "angle2": np.cos(9 * t), "height": np.where(t > 0.3, np.nan, t * t)}
    if grains:
        columns |= {"contacts": 3 + 0 * t, "sweeps": 40 + 0 * t, "residual_max": 1e-3 * np.exp(-t),
                    "residual_rms": 1e-20 + 0 * t, "violation": 0 * t, "wrench_change": 0 * t}
    rows = "".join(",".join(map(repr, map(float, row))) + "\n" for row in zip(*columns.values()))
    (folder / "histories.csv").write_text(",".join(columns) + "\n" + rows)
    (folder / "summary.json").write_text(json.dumps({
        "model": model, "status": "finished", "command": f"{model} --quiet", "version": "0.1.0", "commit": "abc",
        "started": "2026-01-01T00:00:00Z", "ended": "2026-01-01T00:01:00Z", "steps": lines - 1, "t": 0.5,
        "parameters": {"h": 0.01, "tolerance": 1e-4, "method": "moreau-jean"},
        "columns": {"angle1": {"unit": "rad"}, "angle2": {"unit": "rad"}, "height": {"unit": "m"}},
        "iterations": {"steps_not_converged": 0, "not_converged_at_s": []},
        "seconds": {"contacts": 3.0, "detect": 1.0, "total": 4.0}, "notes": [], "gravity_m_s2": [0, 0, -9.81],
        "verdict": {"believable": "yes", "findings": [{"name": "energy", "severity": "good", "value": 0.01,
                                                       "sentence": "The energy is kept.", "doubtful_beyond": 0.05,
                                                       "absurd_beyond": 0.5}]}, **summary}))
    return folder
