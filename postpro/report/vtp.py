"""The frames of a run as arrays: VTK's poly data in inline binary, zlib or not, as src/io/vtk_writer.cpp writes them.
Reading them by VTK itself takes several times as long, most of it for what is not needed."""
import base64
import re
import struct
import zlib

import numpy as np

types = {b"Float32": "<f4", b"Float64": "<f8", b"Int8": "i1", b"UInt8": "u1", b"Int32": "<i4", b"UInt32": "<u4",
         b"Int64": "<i8", b"UInt64": "<u8", b"String": "u1"}
section = re.compile(rb"<(FieldData|PointData|CellData|Points|Verts|Lines|Polys)>(.*?)</\1>", re.S)
array = re.compile(rb"<(?:Data)?Array ([^>]*)>\s*([A-Za-z0-9+/=]*)")
attribute = re.compile(rb'(\w+)="([^"]*)"')


class NotVtp(ValueError):
    pass


def decode(text, header):
    """Blocks behind their sizes, which are base64 of their own."""
    size = struct.calcsize(header)
    count = struct.unpack_from(header, base64.b64decode(text[:12 * (size // 4)]))[0]
    end = -(-size * (3 + count) // 3) * 4
    sizes = struct.unpack(f"<{3 + count}{header[1]}", base64.b64decode(text[:end]))[3:]
    blocks, data, at = base64.b64decode(text[end:]), [], 0
    for size in sizes:
        data.append(zlib.decompress(blocks[at:at + size]))
        at += size
    return b"".join(data)


class Vtp:
    """An array is decoded when it is asked for: data["PointData", "velocity"]."""

    def __init__(self, path):
        text = path.read_bytes()
        start = text[:400]
        if b'type="PolyData"' not in start or b"vtkZLibDataCompressor" not in start:
            raise NotVtp(f"{path} is not a frame of a run")
        self.path, self.header = path, "<Q" if b'header_type="UInt64"' in start else "<I"
        self.found = {}
        for name, body in section.findall(text):
            for attributes, content in array.findall(body):
                a = dict(attribute.findall(attributes))
                self.found[name.decode(), a[b"Name"].decode()] = (a, content)

    def __contains__(self, key):
        return key in self.found

    def __getitem__(self, key):
        try:
            attributes, content = self.found[key]
            values = np.frombuffer(decode(content, self.header), types[attributes[b"type"]])
            components = int(attributes.get(b"NumberOfComponents", 1))
            return values if components == 1 else values.reshape(-1, components)
        except (KeyError, ValueError, struct.error, zlib.error) as error:
            raise NotVtp(f"{self.path} has no readable array {'/'.join(key)} ({error})") from error

    @property
    def points(self):
        return self["Points", "Points"]

    def strings(self, key):
        return self[key].tobytes().decode(errors="replace").split("\0")[:-1]

    def cells(self, kind):
        """Connectivity and offsets: cell k of the kind has the points connectivity[offsets[k]:offsets[k + 1]]."""
        if (kind, "offsets") not in self:
            return np.empty(0, int), np.zeros(1, int)
        return self[kind, "connectivity"], np.concatenate([[0], self[kind, "offsets"]])
