// A plot of curves and points by uPlot: drag to enlarge, double click or 0 for the whole, the legend hides and shows.
import uPlot from "uplot";
import css from "uplot/dist/uPlot.min.css";
import { make, style, unpack } from "./page.js";

const colours = ["#0072B2", "#D55E00", "#009E73", "#E69F00", "#CC79A7", "#56B4E9", "#808080"]; // Okabe and Ito
const height = 260;
const near = 30; // px, from the cursor to a point that it shows
const together = new Map(); // by name: of the plots that show the same range of x, functions to show one
document.head.append(make("style", {}, css));

// Tables over x of their own become one over all x. Where a table has no row it is undefined, which curves ignore;
// what is no number is null, which interrupts them. An x that a table has n times is there n times.
function align(tables) {
    const count = new Map();
    for (const { x } of tables)
        for (let i = 0, n = 1; i < x.length; ++i) {
            n = i > 0 && x[i] === x[i - 1] ? n + 1 : 1;
            if (n > (count.get(x[i]) ?? 0)) count.set(x[i], n);
        }
    const all = [], first = new Map();
    for (const x of Float64Array.from(count.keys()).sort()) {
        first.set(x, all.length);
        for (let n = count.get(x); n > 0; --n) all.push(x);
    }
    if (tables.length === 1) return [all, ...tables[0].columns.map((column) => Array.from(column, finite))];
    const data = [all];
    for (const { x, columns } of tables) {
        const rows = new Array(x.length);
        for (let i = 0, n = 0; i < x.length; ++i) {
            n = i > 0 && x[i] === x[i - 1] ? n + 1 : 0;
            rows[i] = first.get(x[i]) + n;
        }
        for (const column of columns) {
            const aligned = new Array(all.length);
            for (let i = 0; i < rows.length; ++i) aligned[rows[i]] = finite(column[i]);
            data.push(aligned);
        }
    }
    return data;
}

const finite = (value) => (Number.isFinite(value) ? value : null);

// Logarithmic axes show logarithms: uPlot's own fail on numbers below 1e-16.
const logarithms = (values) => values.map((v) => (v === undefined ? v : v > 0 ? Math.log10(v) : null));

function log_splits(u, axis, min, max) {
    const span = max - min, found = [];
    if (span < 0.5) for (let k = 0; k <= 4; ++k) found.push(min + (k * span) / 4);
    else {
        const step = Math.max(1, Math.ceil(span / 8)), parts = span < 3 ? [1, 2, 5] : [1];
        for (let k = Math.floor(min / step) * step; k <= max; k += step)
            for (const part of parts) found.push(k + Math.log10(part));
    }
    return found.filter((at) => at >= min - 1e-9 && at <= max + 1e-9);
}

function tick(value) {
    if (value === null || value === undefined) return "";
    const size = Math.abs(value);
    return size !== 0 && (size >= 1e5 || size < 1e-3) ? value.toExponential().replace("e+", "e")
        : String(+value.toPrecision(10));
}

export async function plot(place, figure) {
    const bytes = await unpack(figure.blob);
    const series = [];
    let at = 0;
    const take = (rows) => new Float64Array(bytes, 8 * (at += rows) - 8 * rows, rows);
    const tables = figure.tables.map((table) => {
        series.push(...table.series);
        return { x: take(table.rows), columns: table.series.map(() => take(table.rows)) };
    });
    const linear = align(tables);
    const state = { log_x: figure.log_x, log_y: figure.log_y, shown: series.map(() => true) };
    const box = make("div", { class: "canvas", tabindex: "0", role: "group",
                              "aria-label": `${place.getAttribute("aria-label")}: curves; plus and minus enlarge, ` +
                                  "arrows move, 0 shows the whole" });
    const whole = make("button", { type: "button", onclick: () => reset() }, "whole");
    const log = (axis) => make("label", {}, make("input", { type: "checkbox", checked: state[`log_${axis}`],
        onchange: (event) => { state[`log_${axis}`] = event.target.checked; draw(); } }), ` log ${axis}`);
    place.append(make("div", { class: "tools" }, log("x"), log("y"), whole), box);

    let chart;
    function data() {
        const kept = state.log_x ? linear[0].findIndex((x) => x > 0) : 0;
        const [x, ...curves] = kept === 0 ? linear : linear.map((column) => (kept < 0 ? [] : column.slice(kept)));
        return [state.log_x ? logarithms(x) : x, ...(state.log_y ? curves.map(logarithms) : curves)];
    }
    const shown_value = (log, v) => (v === null || v === undefined ? null : +(log ? 10 ** v : v).toPrecision(6));
    // Here, and in the plots that go together with this one as far as their axes are alike.
    function show(range) {
        const all = state.log_x ? undefined : together.get(figure.together);
        for (const act of all ?? [own]) act(range);
    }
    function own(range) {
        if (range) chart.setScale("x", range);
        else chart.setData(chart.data);
    }
    function reset() {
        show(null);
    }
    // The nearest row with a value of this series, not too far from the cursor.
    function value_near(u, s, row) {
        if (s === 0 || u.data[s][row] !== undefined) return row;
        for (let d = 1; d < u.data[0].length; ++d) {
            const both = [row - d, row + d].filter((i) => i >= 0 && i < u.data[0].length);
            const close = both.filter((i) =>
                Math.abs(u.valToPos(u.data[0][i], "x") - u.valToPos(u.data[0][row], "x")) < near);
            if (close.length === 0) return row;
            const found = close.find((i) => u.data[s][i] !== undefined && u.data[s][i] !== null);
            if (found !== undefined) return found;
        }
        return row;
    }
    function draw() {
        chart?.destroy();
        const ink = style("--ink"), faint = style("--line");
        const axis = (label, log, side) => ({
            stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 }, label,
            labelSize: label ? 20 : 0, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif",
            values: (u, splits) => splits.map((v) => tick(log ? +(10 ** v).toPrecision(3) : v)),
            ...(log ? { splits: log_splits } : {}),
            size: side ? (u, values) => 20 + 7.5 * Math.max(3, ...(values ?? []).map((v) => v.length)) : 32,
        });
        chart = new uPlot({
            width: box.clientWidth || 320, height,
            cursor: { drag: { x: true, y: true, uni: 40 }, dataIdx: value_near,
                      sync: figure.together && !state.log_x
                          ? { key: figure.together, setSeries: false, scales: ["x", null] } : undefined },
            scales: { x: { time: false } },
            axes: [axis(figure.x, state.log_x), axis(figure.y, state.log_y, true)],
            series: [{ label: figure.x || "x", value: (u, v) => tick(shown_value(state.log_x, v)) },
                     ...series.map((s, k) => {
                const colour = colours[(s.colour ?? k) % colours.length];
                return { label: s.label, stroke: colour, width: 1.5, show: state.shown[k],
                         dash: s.dash || (s.colour ?? k) >= colours.length ? [6, 4] : undefined,
                         ...(s.points ? { paths: () => null, points: { show: true, size: 7, fill: colour } } : {}),
                         value: (u, v) => tick(shown_value(state.log_y, v)) };
            })],
            legend: { live: true },
            hooks: {
                setScale: [(u, key) => {
                    if (key === "x") place.dataset.range = `${u.scales.x.min} ${u.scales.x.max}`;
                }],
                setSeries: [(u, k) => { if (k > 0) { state.shown[k - 1] = u.series[k].show; name_legend(u); } }],
            },
        }, data(), box);
        name_legend(chart);
        if (chart.data[0].length === 0) box.append(make("p", {}, "There is nothing to draw."));
    }
    // The legend by keyboard and for screen readers.
    function name_legend(u) {
        u.root.querySelectorAll(".u-legend .u-series").forEach((row, k) => {
            const head = row.querySelector("th");
            if (k === 0) return;
            head.tabIndex = 0;
            head.setAttribute("role", "button");
            head.setAttribute("aria-pressed", String(u.series[k].show !== false));
            head.onkeydown = (event) => {
                if (event.key !== "Enter" && event.key !== " ") return;
                event.preventDefault();
                event.stopPropagation();
                u.setSeries(k, { show: u.series[k].show === false });
            };
        });
    }
    box.addEventListener("keydown", (event) => {
        const { min, max } = chart.scales.x;
        const centre = (min + max) / 2, half = (max - min) / 2;
        const range = { "+": [0, 0.5], "-": [0, 2], ArrowLeft: [-0.5, 1], ArrowRight: [0.5, 1] }[event.key];
        if (event.key === "0") reset();
        else if (range) {
            const middle = centre + range[0] * half;
            show({ min: middle - range[1] * half, max: middle + range[1] * half });
        } else return;
        event.preventDefault();
    });
    draw();
    if (figure.together) {
        const others = together.get(figure.together) ?? [];
        together.set(figure.together, [...others, (range) => { if (!state.log_x) own(range); }]);
    }
    new ResizeObserver(() => {
        if (box.clientWidth && box.clientWidth !== chart.width) chart.setSize({ width: box.clientWidth, height });
    }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
