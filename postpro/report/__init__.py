"""One page for a browser, of itself: no network, no server, no other file.

    page = Report("Two dampers", "what this is about")
    page.table(["damper", "mass [kg]"], [["light", 0.1], ["heavy", 0.2]])
    page.plot("Decay", [Series("light", t, x), Series("heavy", t, y)], x="t [s]", y="x [m]")
    page.write(Path("out/dampers.html"))
"""
from report.page import Link, Report, Series  # noqa: F401
