"""The gallery has every model, and docs/gallery.md is what its script writes."""
import re
import sys
import unittest
from pathlib import Path

try:
    import PIL  # noqa: F401
    import matplotlib  # noqa: F401
    import vtkmodules.vtkRenderingCore  # noqa: F401
except ImportError as reason:
    print(f"skipped: {reason}; tamis pictures --gallery installs it")
    sys.exit(77)

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "postpro"))
import gallery


class Gallery(unittest.TestCase):
    def test_every_model_has_a_still(self):
        texts = [path.read_text() for path in (root / "models").glob("*.cpp")]
        models = {name for text in texts for name in re.findall(r"^TAMIS_MODEL\(\s*(\w+)", text, re.M)}
        self.assertEqual(sorted(still.model for still in gallery.stills), sorted(models))

    def test_page_is_up_to_date(self):
        self.assertEqual((root / "docs/gallery.md").read_text(), gallery.page(gallery.stills))

    def test_pictures_are_there_and_small(self):
        for still in gallery.stills:
            path = root / "docs/gallery" / still.picture
            self.assertTrue(100 < path.stat().st_size <= gallery.largest, path)


if __name__ == "__main__":
    unittest.main()
