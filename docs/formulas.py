"""Formulas as MathML, which browsers show without a script and so without a network."""

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

TILDE = "<mi>&#x0007E;</mi>", "<mo>&#x223C;</mo>"  # the converter takes it for a letter

ALIGNED = r"\begin{{align*}}{}\end{{align*}}"


def show_inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(_as_mathml(node, node.astext(), "inline"))
    raise nodes.SkipNode


def show_display(self: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own, which ``&`` aligns; a wide one is scrolled."""
    self.body.append(self.starttag(node, "div", CLASS="formula"))
    parts = [part for part in node.astext().split("\n\n") if part.strip()]
    parts = [ALIGNED.format(part) if _is_bare(part) else part for part in parts]
    self.body += [_as_mathml(node, part, "block") for part in parts] + ["</div>\n"]
    raise nodes.SkipNode


def _is_bare(formula: str) -> bool:
    """Whether lines of a formula are in no environment."""
    return r"\\" in formula and r"\begin" not in formula


def _as_mathml(node: nodes.Element, formula: str, display: str) -> str:
    found = convert(formula, display=display).replace(*TILDE)
    if re.search(r"<mi>(\\|&<)", found):  # a command or an environment that is not known
        logging.getLogger(__name__).warning("formula is not understood: %s", formula, location=node)
    return found


def setup(app: Any) -> dict[str, bool]:
    """Register how formulas are written."""
    app.add_html_math_renderer("mathml", (show_inline, None), (show_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
