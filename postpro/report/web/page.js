// Fills the figures of the page: what a figure shows is in the JSON, its numbers are in a blob.
import { plot } from "./plot.js";
import { player } from "./player.js";

const makers = { plot, player };

// The bytes of a blob, as arrays of the types asked for, one behind the other.
export async function unpack(blob) {
    const text = atob(document.getElementById(`blob-${blob}`).textContent);
    const packed = Uint8Array.from(text, (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).arrayBuffer();
}

// An element with attributes, listeners ("onclick") and children.
export function make(name, attributes = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes))
        if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
        else if (value === true) element.setAttribute(key, "");
        else if (value !== false && value !== undefined) element.setAttribute(key, value);
    element.append(...children);
    return element;
}

export function style(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function cannot_show(place, error) {
    console.error(error);
    place.append(make("p", { class: "note doubtful", role: "alert" },
                      `This figure cannot be shown here: ${error.message}`));
}

async function fill() {
    const { figures } = JSON.parse(document.getElementById("data").textContent);
    for (const [k, figure] of figures.entries()) {
        const place = document.getElementById(`figure-${k}`);
        try {
            await makers[figure.kind](place, figure);
        } catch (error) {
            cannot_show(place, error);
        }
    }
    document.documentElement.dataset.ready = "yes";
}

fill();
