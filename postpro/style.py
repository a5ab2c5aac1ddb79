"""The look of all figures: sizes for a page 180 mm wide, and colours told apart by colour-blind readers
(Okabe and Ito). Import this before matplotlib.pyplot."""
import sys
from pathlib import Path

import matplotlib
from model_program import Arguments
from whole_file import replacing, write_whole

blue, orange, green, red = "#0072B2", "#E69F00", "#009E73", "#D55E00"
sky, purple, black, grey = "#56B4E9", "#CC79A7", "#000000", "#8C8C8C"
colours = [blue, red, green, orange, purple, sky, black]
page = 7.1  # inches

matplotlib.use("Agg")
matplotlib.rcParams.update({
    "font.size": 9, "axes.labelsize": 9, "axes.titlesize": 9, "legend.fontsize": 8,
    "xtick.labelsize": 8, "ytick.labelsize": 8,
    "font.family": "DejaVu Sans", "mathtext.fontset": "dejavusans",
    "axes.linewidth": 0.7, "axes.spines.top": False, "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=colours),
    "axes.titlelocation": "left", "axes.labelpad": 3,
    "lines.linewidth": 1.1, "lines.markersize": 4.5,
    "legend.frameon": False, "legend.handlelength": 2.2,
    "savefig.dpi": 200, "savefig.bbox": "tight", "savefig.pad_inches": 0.04,
    "figure.constrained_layout.use": True,
})


def fail(sentence):
    """One sentence, and no traceback, for what the user can put right."""
    sys.exit(f"{Path(sys.argv[0]).stem}: {sentence}")


class PlotArguments(Arguments):
    """The arguments of a plot, and the format that every plot can be drawn in."""

    def __init__(self, model, description):
        super().__init__(prog=f"tamis plot {model}", description=description)
        self.add_argument("--format", choices=["png", "pdf", "svg"], default="png",
                          help="of the figures; pdf and svg are drawn with lines, for print (default: %(default)s)")

    def parse_args(self, *arguments, **more):
        parsed = super().parse_args(*arguments, **more)
        matplotlib.rcParams["savefig.format"] = parsed.format
        return parsed


def save(figure, path):
    path = path.with_suffix("." + matplotlib.rcParams["savefig.format"])
    with replacing(path) as new:
        figure.savefig(new)
    print(path)


def save_text(text, path):
    write_whole(path, text)
    print(text, end="")


def save_csv(names, rows, path):
    lines = [",".join(names), *(",".join(str(x) for x in row) for row in rows)]
    write_whole(path, "\n".join(lines) + "\n")
    print(path)


def legend_above(artist, columns, handles=None):
    """A legend over the axes, or over the whole figure, where it hides nothing."""
    artist.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), ncol=columns,
                  borderaxespad=0.3)


def slope_guide(axes, h, value, order):
    """The line through (h[1], value) with the slope of an order, labelled, in a log-log plot."""
    axes.plot(h, [value * (x / h[1]) ** order for x in h], color=grey, linewidth=1, linestyle=(0, (1, 1.2)))
    axes.annotate(f"order {order}", (h[1], value), color=grey, fontsize=8, xytext=(4, 0),
                  textcoords="offset points", va="center")


def step_axis(axes, steps):
    """A logarithmic axis of step sizes in s, labelled in microseconds at the steps that were run."""
    axes.set_xticks(steps, [f"{1e6 * h:g}" for h in steps])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("step size $h$ [µs]")


def zoom(axes, place, x, y, draw):
    """Enlarges x, y of axes in an inset, where draw(inset) draws again what axes show already.
    place: left, bottom, width, height of the inset as fractions of axes."""
    inset = axes.inset_axes(place)
    draw(inset)
    inset.set(xlim=x, ylim=y)
    inset.spines[:].set_visible(True)
    inset.spines[:].set_color(grey)
    inset.tick_params(labelsize=7, color=grey, length=2)
    axes.indicate_inset_zoom(inset, edgecolor=grey, alpha=1)
