"""A few SVG elements as text, scales and colours. Knows nothing of what is drawn."""

import math
from dataclasses import dataclass, field
from xml.sax.saxutils import escape, quoteattr

FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
INK, QUIET, RULE, PAPER = "#1b1f24", "#57606a", "#d8dee4", "#ffffff"
COLOURS = {  # told apart by people who see colours differently, too
    "genattn": "#111111", "onnxruntime": "#0072b2", "openvino": "#e69f00", "pytorch": "#d55e00", "nn_mha": "#cc79a7",
    "nn_encoder": "#cc79a7",
    "compile": "#7a5195", "openblas": "#8c959f",
}
HALO = {"paint_order": "stroke", "stroke": PAPER, "stroke_width": 3}  # of a text that lies over lines
FASTER, SLOWER = "#1a7f5a", "#c0392b"


def element(name, text=None, **attributes):
    """One element; underscores in attribute names stand for hyphens."""
    given = "".join(f" {key.replace('_', '-')}={quoteattr(_plain(value))}" for key, value in attributes.items())
    return f"<{name}{given}/>" if text is None else f"<{name}{given}>{escape(text)}</{name}>"


def _plain(value):
    return f"{value:.1f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


@dataclass
class Log:
    """A logarithmic scale from low..high to start..end (pixels)."""
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.start + share * (self.end - self.start)


@dataclass
class Linear:
    """A scale from low..high to start..end (pixels)."""
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value):
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def clamped(self, value):
        """Of a value outside the range, its nearer end."""
        return self(min(max(value, self.low), self.high))


@dataclass
class Drawing:
    width: int
    height: int
    title: str
    parts: list = field(default_factory=list)

    def text(self, x, y, text, size=13, fill=INK, anchor="start", weight="normal", **more):
        self.parts.append(element("text", text, x=float(x), y=float(y), font_size=size, fill=fill, text_anchor=anchor,
                                  font_weight=weight, **more))

    def line(self, x1, y1, x2, y2, stroke=RULE, width=1, **more):
        self.parts.append(element("line", x1=float(x1), y1=float(y1), x2=float(x2), y2=float(y2), stroke=stroke,
                                  stroke_width=width, **more))

    def rectangle(self, x, y, width, height, fill, **more):
        self.parts.append(element("rect", x=float(x), y=float(y), width=float(width), height=float(height), fill=fill,
                                  **more))

    def circle(self, x, y, radius, fill, **more):
        self.parts.append(element("circle", cx=float(x), cy=float(y), r=float(radius), fill=fill, **more))

    def document(self):
        """The file: no script, no reference to anything outside it."""
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                f'width="{self.width}" height="{self.height}" font-family={quoteattr(FONT)} role="img">')
        paper = element("rect", width=self.width, height=self.height, fill=PAPER)
        return "\n".join([head, element("title", self.title), paper, *self.parts, "</svg>"]) + "\n"
