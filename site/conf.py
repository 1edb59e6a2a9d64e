"""What Sphinx needs to know. `python3 course.py site` starts it on a copy of this folder with the lessons beside it."""

import json
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.modules.setdefault("rfc3987_syntax", None)  # as in tools/__init__.py: two seconds

project = "Clockwork"
author = "The Clockwork authors"
copyright = "the Clockwork authors: lessons CC BY 4.0, code MIT"
html_title = "Clockwork"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.mathjax", "clockwork_pages"]
nb_execution_mode = "off"
nb_merge_streams = True
nb_code_prompt_show = "Show the {type}"
nb_code_prompt_hide = "Hide the {type}"
nb_mime_priority_overrides = [("html", "text/html", 0)]
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "attrs_inline"]
myst_heading_anchors = 3
myst_update_mathjax = False
suppress_warnings = ["myst.header", "mystnb.unknown_mime_type"]
exclude_patterns = ["downloads", "_static"]
html_theme = "basic"  # of which no style and no script is loaded: _templates/layout.html
html_static_path = ["_static"]
templates_path = ["_templates"]
html_extra_path = ["downloads"]
html_css_files = ["kit.css", "clockwork.css"]
html_js_files = [("page.js", {"defer": "defer"})]
html_sidebars = {"**": []}
html_use_index = False
html_domain_indices = False
html_permalinks_icon = "#"
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_math_renderer = "built"  # TeX, which tools/formulas.py sets in the finished pages
autodoc_typehints = "none"
autodoc_member_order = "bysource"
napoleon_custom_sections = [("Source", "notes")]
default_role = "code"  # in docstrings, as in Markdown
add_module_names = False
html_additional_pages = {"search": "search.html"}
made_by = (HERE / "clockwork_pages.py").read_text("utf-8")
about = json.loads((HERE / "about.json").read_text("utf-8")) | {"states": {}, "lessons": {}, "files": {}, "moved": {}}
for page in sorted((HERE / "about").iterdir()):
    for key, value in json.loads(page.read_text("utf-8")).items():
        about[key][page.stem] = value
everywhere = [os.environ.get("CLOCKWORK_ADDRESS"), about["repository"], about["hub"]]  # what every page says
everywhere += [lesson["title"] for lesson in about["lessons"].values()]
