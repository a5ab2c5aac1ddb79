"""What several reports put on their pages."""
import base64
import sys
from html import escape

kinds = {".svg": "image/svg+xml", ".png": "image/png"}


def picture(page, path, title):
    """A picture, held by the page."""
    data = base64.b64encode(path.read_bytes()).decode()
    page.html(f'<figure><figcaption>{escape(title)}</figcaption><img style="max-width:100%;background:white" '
              f'alt="{escape(title)}" src="data:{kinds[path.suffix]};base64,{data}"></figure>')


def page_or_note(path, write):
    """What a page is put together by may be missing (npm); tables are there all the same."""
    try:
        write()
        print(path, flush=True)
    except SystemExit as end:
        print(f"there is no {path}: {end.code}", file=sys.stderr)
