// Plays the frames of a run: grains in one draw call, whose shader looks up the pose of each in a texture; bodies as
// meshes with new points in each frame; forces as tubes. What the blobs hold says scene.py.
import {
    AmbientLight, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DataTexture, DirectionalLight, DoubleSide,
    DynamicDrawUsage, FloatType, GLSL3, IcosahedronGeometry, InstancedBufferAttribute, InstancedBufferGeometry,
    LineBasicMaterial, LineSegments, Mesh, MeshLambertMaterial, PerspectiveCamera, Plane, RawShaderMaterial, RGBAFormat,
    Scene, SRGBColorSpace, UnsignedByteType, Vector3, Vector4, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { cannot_show, make, unpack } from "./page.js";

const angle = 26; // vertical, of view, degrees
const texels = 2048; // in a row of the texture of poses
const thickest = 0.012; // radius of the tube with the largest force, over the size of the scene
// The colours of view.py are for light surroundings: on a dark page the fastest grains would vanish.
const paper = "#ffffff", ink = "#5b6470";
const most_names = 16; // of bodies, below the picture
const units = { speed: "m/s", force: "N", contacts: "" };

const common = `
precision highp float;
uniform mat4 modelViewMatrix, projectionMatrix;
out vec3 seen;
out float shade;
`;
const grain_shader = `${common}
uniform highp sampler2D poses;
uniform vec4 cut;
in vec3 position;
in float grain;
#ifdef BALLS
in float radius;
#endif
vec4 texel(int i) { return texelFetch(poses, ivec2(i % ${texels}, i / ${texels}), 0); }
void main() {
    int g = int(grain + 0.5);
    vec4 place = texel(2 * g), q = normalize(texel(2 * g + 1));
    vec3 local = position;
#ifdef BALLS
    local *= radius;
#endif
    vec3 x = place.xyz + local + 2.0 * cross(q.yzw, cross(q.yzw, local) + q.x * local);
    vec4 view = modelViewMatrix * vec4(x, 1.0);
    seen = view.xyz;
    shade = place.w;
    gl_Position = dot(cut.xyz, place.xyz) > cut.w ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * view;
}`;
const chain_shader = `${common}
uniform vec4 cut;
in vec3 position, from, to;
in float radius, value;
void main() {
    vec3 axis = to - from, along = normalize(axis);
    vec3 across = normalize(cross(along, abs(along.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0)));
    vec3 x = from + (position.y + 0.5) * axis + radius * (position.x * across + position.z * cross(along, across));
    vec4 view = modelViewMatrix * vec4(x, 1.0);
    seen = view.xyz;
    shade = value;
    bool away = dot(cut.xyz, 0.5 * (from + to)) > cut.w;
    gl_Position = away || radius <= 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : projectionMatrix * view;
}`;
const colour_shader = `
precision highp float;
uniform highp sampler2D ramp;
uniform float alpha;
in vec3 seen;
in float shade;
out vec4 colour;
void main() {
    vec3 normal = normalize(cross(dFdx(seen), dFdy(seen)));
    float light = 0.42 + 0.5 * max(0.0, dot(normal, normalize(vec3(-0.45, 0.7, 0.6))))
        + 0.18 * max(0.0, dot(normal, normalize(vec3(0.7, 0.1, 0.6))));
    colour = vec4(texture(ramp, vec2((255.0 * shade + 0.5) / 256.0, 0.5)).rgb * light, alpha);
}`;

// Takes arrays out of a buffer, one behind the other, whatever they are aligned to.
class Reader {
    constructor(buffer) { this.buffer = buffer; this.at = 0; }
    take(Kind, length) {
        const bytes = length * Kind.BYTES_PER_ELEMENT;
        const part = this.buffer.slice(this.at, this.at + bytes);
        this.at += bytes;
        return new Kind(part);
    }
    // Differences of int16 in planes of bytes, `rows` times n of them, added to what was before.
    add(before, rows, n) {
        const bytes = new Uint8Array(this.buffer, this.at, 2 * rows * n);
        const now = new Int16Array(rows * n);
        for (let r = 0; r < rows; ++r)
            for (let i = 0; i < n; ++i)
                now[r * n + i] = before[r * n + i] + (bytes[2 * r * n + i] | (bytes[(2 * r + 1) * n + i] << 8));
        this.at += 2 * rows * n;
        return now;
    }
}

function ramp_texture(stops) {
    const bytes = new Uint8Array(4 * 256);
    for (let i = 0; i < 256; ++i) {
        const place = (i / 255) * (stops.length - 1), k = Math.min(Math.floor(place), stops.length - 2);
        for (let c = 0; c < 3; ++c)
            bytes[4 * i + c] = 255 * (stops[k][c] + (place - k) * (stops[k + 1][c] - stops[k][c]));
        bytes[4 * i + 3] = 255;
    }
    const texture = new DataTexture(bytes, 256, 1, RGBAFormat, UnsignedByteType);
    texture.needsUpdate = true;
    return texture;
}

function gradient(stops) {
    const colours = stops.map((colour) => `rgb(${colour.map((x) => `${100 * x}%`).join(" ")})`);
    return `linear-gradient(to right, ${colours.join(", ")})`;
}

function round(value) {
    return value === 0 ? "0" : Math.abs(value) < 1e-3 || Math.abs(value) >= 1e5 ? value.toExponential(1)
        : String(+value.toPrecision(3));
}

// --- What the frames hold ----------------------------------------------------------------------------------

async function read(figure) {
    const blob = Object.fromEntries(await Promise.all(
        Object.entries(figure.blobs).map(async ([name, k]) => [name, new Reader(await unpack(k))])));
    const n = figure.grains;
    const data = { radii: blob.shapes.take(Float32Array, n), shape_of: blob.shapes.take(Uint32Array, n), shapes: [],
                   poses: [], values: [], chains: [] };
    const counts = blob.shapes.take(Uint32Array, 2 * figure.shapes);
    for (let s = 0; s < figure.shapes; ++s)
        data.shapes.push({ corners: blob.shapes.take(Int8Array, 3 * counts[2 * s]) });
    data.shapes.forEach((shape, s) => { shape.triangles = blob.shapes.take(Uint16Array, 3 * counts[2 * s + 1]); });
    let pose = new Int16Array(7 * n);
    if (n > 0)
        for (let f = 0; f < figure.times.length; ++f) {
            data.poses.push(pose = blob.grains.add(pose, 7, n));
            data.values.push(blob.grains.take(Uint8Array, 3 * n));
        }
    for (const name of ["bodies", "walls"]) {
        const { cells, frames } = figure.layers[name], part = { cells: [], points: [] };
        for (const [corners, points] of cells)
            part.cells.push({ corners: blob[name].take(Uint32Array, corners),
                              colours: blob[name].take(Uint8Array, points) });
        frames.forEach((k, f) => {
            const before = frames[f - 1] === k ? part.points[f - 1] : new Int16Array(3 * cells[k][1]);
            part.points.push(blob[name].add(before, 3, cells[k][1]));
        });
        data[name] = part;
    }
    for (const [number, further] of figure.chains)
        data.chains.push({ a: blob.chains.take(Uint32Array, number), b: blob.chains.take(Uint32Array, number),
                           further: blob.chains.take(Int16Array, 3 * further),
                           force: blob.chains.take(Uint8Array, number) });
    return data;
}

// --- What is drawn -----------------------------------------------------------------------------------------

class Picture {
    constructor(figure, data) {
        this.figure = figure;
        this.data = data;
        this.size = Math.hypot(...figure.view.high.map((x, k) => x - figure.view.low[k]));
        this.scene = new Scene();
        this.cut = new Vector4(0, 0, 0, 1);
        this.plane = new Plane(new Vector3(0, 0, -1), 1e9);
        this.add_grains();
        this.add_bodies();
        this.add_chains();
    }

    material(vertexShader, ramp, more = {}) {
        return new RawShaderMaterial({
            vertexShader, fragmentShader: colour_shader, glslVersion: GLSL3, side: DoubleSide,
            uniforms: { poses: { value: this.poses }, ramp: { value: ramp_texture(ramp) }, cut: { value: this.cut },
                        alpha: { value: 1 } }, ...more });
    }

    add_grains() {
        const { data, figure } = this, n = figure.grains;
        this.grains = [];
        if (n === 0) return;
        this.texture = new Float32Array(4 * texels * Math.ceil((2 * n) / texels));
        this.poses = new DataTexture(this.texture, texels, this.texture.length / 4 / texels, RGBAFormat, FloatType);
        // All shapes in one mesh.
        let points = 0, triangles = 0;
        for (const s of data.shape_of)
            if (s > 0) {
                points += data.shapes[s - 1].corners.length / 3;
                triangles += data.shapes[s - 1].triangles.length;
            }
        if (points > 0) {
            const position = new Float32Array(3 * points), grain = new Float32Array(points);
            const index = new Uint32Array(triangles);
            let p = 0, t = 0;
            data.shape_of.forEach((s, g) => {
                if (s === 0) return;
                const { corners, triangles: of_shape } = data.shapes[s - 1];
                for (let i = 0; i < of_shape.length; ++i) index[t++] = p + of_shape[i];
                for (let i = 0; i < corners.length; ++i) position[3 * p + i] = (corners[i] / 127) * data.radii[g];
                grain.fill(g, p, p += corners.length / 3);
            });
            const geometry = new BufferGeometry();
            geometry.setAttribute("position", new BufferAttribute(position, 3));
            geometry.setAttribute("grain", new BufferAttribute(grain, 1));
            geometry.setIndex(new BufferAttribute(index, 1));
            this.grains.push(new Mesh(geometry, this.material(grain_shader, this.figure.looks.ramp)));
        }
        const balls = [...data.shape_of.keys()].filter((g) => data.shape_of[g] === 0);
        if (balls.length > 0) {
            const ball = new IcosahedronGeometry(1, balls.length > 20000 ? 1 : 3);
            const geometry = new InstancedBufferGeometry();
            geometry.setAttribute("position", ball.getAttribute("position"));
            geometry.setAttribute("grain", new InstancedBufferAttribute(Float32Array.from(balls), 1));
            geometry.setAttribute("radius",
                                  new InstancedBufferAttribute(Float32Array.from(balls, (g) => data.radii[g]), 1));
            geometry.instanceCount = balls.length;
            const material = this.material(grain_shader, figure.looks.ramp, { defines: { BALLS: 1 } });
            this.grains.push(new Mesh(geometry, material));
        }
        this.place(...this.grains);
    }

    add_bodies() {
        const { concrete, steel, body_colours } = this.figure.looks;
        const points_of = (cells) =>
            new BufferAttribute(new Float32Array(3 * cells.colours.length), 3).setUsage(DynamicDrawUsage);
        this.bodies = this.data.bodies.cells.map((cells) => {
            const position = points_of(cells), colour = new Float32Array(position.array.length), shade = new Color();
            cells.colours.forEach((c, i) => {
                const [r, g, b] = c === 0 ? concrete : c === 1 ? steel : body_colours[(c - 2) % body_colours.length];
                shade.setRGB(r, g, b, SRGBColorSpace).toArray(colour, 3 * i);
            });
            const mesh = (moving) => {
                const geometry = new BufferGeometry();
                geometry.setAttribute("position", position);
                geometry.setAttribute("color", new BufferAttribute(colour, 3));
                const index = cells.corners.filter(
                    (_, i) => (cells.colours[cells.corners[i - (i % 3)]] > 0) === moving);
                geometry.setIndex(new BufferAttribute(index, 1));
                const material = new MeshLambertMaterial({ vertexColors: true, flatShading: true, side: DoubleSide });
                if (!moving) material.clippingPlanes = [this.plane];
                return new Mesh(geometry, material);
            };
            return { position, objects: [mesh(true), mesh(false)] };
        });
        this.walls = this.data.walls.cells.map((cells) => {
            const position = points_of(cells), geometry = new BufferGeometry();
            geometry.setAttribute("position", position);
            geometry.setIndex(new BufferAttribute(cells.corners, 1));
            return { position, objects: [new LineSegments(geometry, new LineBasicMaterial())] };
        });
        for (const part of [...this.bodies, ...this.walls]) this.place(...part.objects);
        this.scene.add(new AmbientLight(0xffffff, 1.5));
        this.light = new DirectionalLight(0xffffff, 2);
        this.scene.add(this.light, this.light.target);
    }

    add_chains() {
        const most = Math.max(...this.figure.chains.map(([number]) => number), 0);
        const tube = new CylinderGeometry(1, 1, 1, 7, 1, true);
        const geometry = new InstancedBufferGeometry();
        geometry.setIndex(tube.index);
        geometry.setAttribute("position", tube.getAttribute("position"));
        for (const [name, size] of [["from", 3], ["to", 3], ["radius", 1], ["value", 1]]) {
            const attribute = new InstancedBufferAttribute(new Float32Array(size * most), size);
            geometry.setAttribute(name, attribute.setUsage(DynamicDrawUsage));
        }
        this.tubes = new Mesh(geometry, this.material(chain_shader, this.figure.looks.force_ramp));
        this.place(this.tubes);
    }

    place(...objects) {
        for (const object of objects) {
            object.frustumCulled = false;
            this.scene.add(object);
        }
    }

    // Frame f, grains coloured by row `quantity` of their values.
    show(f, quantity) {
        const { data, figure } = this, n = figure.grains, q = figure.quantum, [x0, y0, z0] = figure.origin;
        if (n > 0) {
            const pose = data.poses[f], values = data.values[f], out = this.texture;
            const most = quantity === 2 ? figure.scales.contacts[1] : figure.levels;
            for (let g = 0, at = 0; g < n; ++g, at += 8) {
                out[at] = x0 + q * pose[g];
                out[at + 1] = y0 + q * pose[n + g];
                out[at + 2] = z0 + q * pose[2 * n + g];
                out[at + 3] = quantity < 0 ? 0 : values[quantity * n + g] / most;
                out[at + 4] = pose[3 * n + g];
                out[at + 5] = pose[4 * n + g];
                out[at + 6] = pose[5 * n + g];
                out[at + 7] = pose[6 * n + g];
            }
            this.poses.needsUpdate = true;
        }
        for (const name of ["bodies", "walls"]) {
            const points = data[name].points[f], number = points.length / 3;
            const { position } = this[name][figure.layers[name].frames[f]], to = position.array;
            for (let i = 0; i < number; ++i) {
                to[3 * i] = x0 + q * points[i];
                to[3 * i + 1] = y0 + q * points[number + i];
                to[3 * i + 2] = z0 + q * points[2 * number + i];
            }
            position.needsUpdate = true;
        }
        this.frame = f;
        const { a, b, further, force } = data.chains[f], { geometry } = this.tubes;
        const [from, end, radius, value] = ["from", "to", "radius", "value"].map((name) => geometry.getAttribute(name));
        const put = (array, i, e) => {
            const extra = e - n, m = further.length / 3;
            const [source, at, stride] = e < n ? [data.poses[f], e, n] : [further, extra, m];
            array[3 * i] = x0 + q * source[at];
            array[3 * i + 1] = y0 + q * source[at + stride];
            array[3 * i + 2] = z0 + q * source[at + 2 * stride];
        };
        const [low, high] = figure.scales.chain, { levels } = figure;
        for (let i = 0; i < a.length; ++i) {
            put(from.array, i, a[i]);
            put(end.array, i, b[i]);
            const part = (low / high) ** (1 - (force[i] - 1) / (levels - 1)); // of the largest force
            radius.array[i] = force[i] > 0 ? thickest * this.size * Math.sqrt(part) : 0;
            value.array[i] = force[i] / levels;
        }
        geometry.instanceCount = a.length;
        for (const attribute of [from, end, radius, value]) attribute.needsUpdate = true;
    }

    choose({ grains, bodies, walls, chains }) {
        for (const mesh of this.grains) {
            mesh.visible = grains !== "hidden";
            mesh.material.uniforms.alpha.value = grains === "faint" ? 0.06 : 1;
            see_through(mesh.material, grains === "faint", 1);
            mesh.renderOrder = 1;
        }
        for (const [name, wanted] of [["bodies", bodies !== "hidden"], ["walls", walls]])
            this[name].forEach((part, k) => {
                for (const object of part.objects)
                    object.visible = wanted && k === this.figure.layers[name].frames[this.frame];
            });
        for (const { objects } of this.bodies)
            for (const { material } of objects) see_through(material, bodies === "faint", 0.2);
        for (const { objects: [lines] } of this.walls) lines.material.color.set(ink);
        this.tubes.visible = chains;
    }
}

function see_through(material, faint, opacity) {
    material.transparent = faint;
    material.depthWrite = !faint;
    material.opacity = faint ? opacity : 1;
}

// --- Controls ----------------------------------------------------------------------------------------------

export async function player(place, figure) {
    if (!figure.waits) return start(place, figure);
    const show = async () => {
        button.remove();
        await start(place, figure).catch((error) => cannot_show(place, error));
    };
    const button = make("button", { type: "button", onclick: show }, "show the frames");
    place.append(button);
}

// Smooth edges take a processor three times as long as all the rest.
function has_hardware() {
    const gl = document.createElement("canvas").getContext("webgl2");
    const more = gl?.getExtension("WEBGL_debug_renderer_info");
    const name = gl?.getParameter(more ? more.UNMASKED_RENDERER_WEBGL : gl.RENDERER) ?? "";
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    return !/swiftshader|llvmpipe|software/i.test(name);
}

async function start(place, figure) {
    const picture = new Picture(figure, await read(figure));
    const frames = figure.times.length, has_grains = figure.grains > 0;
    const has_any = (layer) => picture[layer].some((part) => part.position.count > 0);
    const has_chains = figure.chains.some(([number]) => number > 0);
    const canvas = make("canvas", { tabindex: "0", role: "img",
        "aria-label": "Frames of the run in three dimensions. Space plays and pauses, left and right go a frame back " +
            "and on, shift and arrows turn, plus and minus come nearer and go away" });
    const renderer = new WebGLRenderer({ canvas, antialias: has_hardware() });
    renderer.localClippingEnabled = true;
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    const camera = new PerspectiveCamera(angle, 1, 0.01 * picture.size, 100 * picture.size);
    const controls = new OrbitControls(camera, canvas);
    const low = new Vector3(...figure.view.low), high = new Vector3(...figure.view.high);
    const centre = low.clone().add(high).multiplyScalar(0.5), towards = new Vector3(...figure.view.towards);
    camera.up.set(...figure.view.up);

    const choice = { grains: "solid", bodies: "solid", walls: true, chains: !has_grains, quantity: 0 };
    let frame = 0, playing = false, since = 0, rate = 25, away = 0, drawn = 0, wanted = false;

    const select = (label, options, value, act) => make("label", {}, `${label} `, make("select",
        { onchange: (event) => { act(event.target.value); change(); } },
        ...options.map((text, i) => make("option", { value: String(i), selected: i === value }, text))));
    const check = (label, name) => make("label", {}, make("input", { type: "checkbox", checked: choice[name],
        onchange: (event) => { choice[name] = event.target.checked; change(); } }), ` ${label}`);
    const play = make("button", { type: "button", class: "play", onclick: () => toggle() }, "play");
    const scrub = make("input", { type: "range", min: 0, max: frames - 1, value: 0, "aria-label": "frame",
                                  oninput: () => { pause(); go(+scrub.value); } });
    const time = make("output", { class: "time" });
    const rates = [5, 10, 25, 50], looks = ["solid", "faint", "hidden"];
    const legend = make("div", { class: "ramps" });
    const cutter = make("input", { type: "range", min: 0, max: 100, value: 0, "aria-label": "cut away in front",
                                   oninput: () => { away = cutter.value / 100; change(); } });
    place.append(
        canvas,
        make("div", { class: "tools film" }, play, scrub, time),
        make("div", { class: "tools" },
             select("frames/s", rates.map(String), 2, (k) => { rate = rates[k]; }),
             ...(has_grains ? [
                 select("grains", looks, 0, (k) => { choice.grains = looks[k]; }),
                 select("coloured by", ["speed", "force", "contacts", "nothing"], 0, (k) => { choice.quantity = +k; }),
             ] : []),
             ...(has_any("bodies") ? [select("bodies", looks, 0, (k) => { choice.bodies = looks[k]; })] : []),
             ...(has_any("walls") ? [check("walls", "walls")] : []),
             ...(has_chains ? [check(has_grains ? "force chains" : "contact impulses", "chains")] : []),
             ...(has_grains ? [make("label", {}, "cut away ", cutter)] : []),
             make("button", { type: "button", onclick: () => { look(); change(); } }, "whole view")),
        legend);

    function look() {
        const width = canvas.clientWidth || 320, aspect = width / (canvas.clientHeight || 240);
        const half = high.clone().sub(low).multiplyScalar(0.5), slope = Math.tan((angle * Math.PI) / 360);
        const right = new Vector3().crossVectors(camera.up, towards).normalize();
        const above = new Vector3().crossVectors(towards, right);
        let distance = 0;
        for (const i of [-1, 1]) for (const j of [-1, 1]) for (const k of [-1, 1]) {
            const corner = half.clone().multiply(new Vector3(i, j, k));
            const least = Math.max(Math.abs(corner.dot(right)) / aspect, Math.abs(corner.dot(above))) / slope;
            distance = Math.max(distance, least + corner.dot(towards));
        }
        controls.target.copy(centre);
        camera.position.copy(centre).addScaledVector(towards, 1.06 * distance);
        controls.update();
    }
    function resize() {
        const width = canvas.parentElement.clientWidth;
        const height = Math.round(Math.min(0.62 * width, 0.7 * innerHeight) * (width < 500 ? 1.2 : 1));
        if (canvas.clientWidth === width && canvas.clientHeight === height) return;
        renderer.setSize(width, height);
        camera.aspect = width / height;
        camera.updateProjectionMatrix();
        draw(); // setSize() has cleared the canvas
    }
    // The plane of the cut faces the camera, whichever way that looks.
    function cut() {
        const normal = camera.position.clone().sub(controls.target).projectOnPlane(camera.up).normalize();
        const corners = [0, 1, 2, 3, 4, 5, 6, 7].map((c) => new Vector3(...[0, 1, 2].map((k) =>
            (c >> k) & 1 ? figure.view.high[k] : figure.view.low[k])).dot(normal));
        const front = Math.max(...corners), back = Math.min(...corners);
        const at = away > 0 ? front + away * (back - front) : front + 100 * picture.size;
        picture.cut.set(normal.x, normal.y, normal.z, at);
        picture.plane.set(normal.negate(), at);
    }
    function ramps_shown() {
        const rows = [];
        const names = ["speed", "force", "contacts"];
        const row = (label, scale, stops, unit) => {
            const [least, most] = scale.map(round);
            rows.push(make("div", {}, `${label} `, make("span", {}, least), make("span", { class: "ramp",
                style: `background: ${gradient(stops)}` }), make("span", {}, `${most} ${unit}`)));
        };
        if (has_grains && choice.grains !== "hidden" && choice.quantity < 3) {
            const name = names[choice.quantity];
            row(name === "contacts" ? "contacts of a grain" : `${name} of a grain (log)`, figure.scales[name],
                figure.looks.ramp, units[name]);
        }
        if (choice.chains && has_chains)
            row(has_grains ? "force between bodies (log)" : "contact impulse (log)", figure.scales.chain,
                figure.looks.force_ramp, has_grains ? "N" : "N s");
        const { body_colours } = figure.looks;
        if (choice.bodies !== "hidden")
            for (const [number, name] of figure.names.slice(0, most_names)) {
                const colour = body_colours[number % body_colours.length].map((x) => `${100 * x}%`).join(" ");
                rows.push(make("div", {}, make("span", { class: "chip", style: `background: rgb(${colour})` }), name));
            }
        legend.replaceChildren(...rows);
    }
    function draw() {
        wanted = false;
        cut();
        picture.light.position.copy(camera.position).addScaledVector(camera.up, 0.7 * picture.size);
        picture.light.target.position.copy(controls.target);
        picture.scene.background = new Color(paper);
        renderer.render(picture.scene, camera);
        place.dataset.drawn = ++drawn;
    }
    function ask() {
        if (!wanted) requestAnimationFrame(draw);
        wanted = true;
    }
    function change() {
        picture.show(frame, choice.quantity < 3 ? choice.quantity : -1);
        picture.choose(choice);
        const text = `t = ${figure.times[frame].toPrecision(4)} s`;
        time.textContent = `${text}, frame ${frame + 1} of ${frames}`;
        scrub.value = frame;
        scrub.setAttribute("aria-valuetext", text);
        place.dataset.frame = frame;
        ramps_shown();
        ask();
    }
    function go(to) {
        frame = Math.max(0, Math.min(frames - 1, to));
        change();
    }
    function pause() {
        playing = false;
        play.textContent = "play";
    }
    function toggle() {
        if (playing) return pause();
        playing = true;
        play.textContent = "pause";
        if (frame === frames - 1) frame = 0;
        since = performance.now() - (1000 * frame) / rate;
        let at = rate;
        const next = (now) => {
            if (!playing) return;
            if (at !== rate) since = now - (1000 * frame) / (at = rate);
            const due = Math.max(0, Math.floor(((now - since) * rate) / 1000));
            if (due >= frames - 1) pause();
            if (due !== frame) go(due);
            requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
    }
    function turn(across, up) {
        const arm = camera.position.clone().sub(controls.target);
        arm.applyAxisAngle(camera.up, across);
        const side = new Vector3().crossVectors(camera.up, arm).normalize();
        const tilted = arm.clone().applyAxisAngle(side, up);
        if (tilted.clone().normalize().cross(camera.up).length() > 0.05) arm.copy(tilted);
        camera.position.copy(controls.target).add(arm);
        controls.update();
        ask();
    }
    function nearer(factor) {
        camera.position.sub(controls.target).multiplyScalar(factor).add(controls.target);
        controls.update();
        ask();
    }
    canvas.addEventListener("keydown", (event) => {
        const { key, shiftKey } = event, step = 0.1;
        const to = (place) => () => { pause(); go(place); };
        const act = shiftKey
            ? { ArrowLeft: () => turn(-step, 0), ArrowRight: () => turn(step, 0), ArrowUp: () => turn(0, -step),
                ArrowDown: () => turn(0, step), "+": () => nearer(0.9) }[key]
            : { " ": toggle, ArrowLeft: to(frame - 1), ArrowRight: to(frame + 1), Home: to(0), End: to(frames - 1),
                "+": () => nearer(0.9), "-": () => nearer(1.1) }[key];
        if (!act) return;
        event.preventDefault();
        act();
    });
    controls.addEventListener("change", ask);
    renderer.setSize(1, 1);
    resize();
    look();
    go(0);
    new ResizeObserver(resize).observe(place);
}
