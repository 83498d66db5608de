// heatmap_colour.c: the colours of the scale and of everything else, on a light background and on a dark one.
// They are classes of a style sheet, so that what views the picture chooses; where it cannot, light is taken.
#include <math.h>

#include "elementary.h"
#include "heatmap_parts.h"

static unsigned srgb_byte(double linear)
{
    double c = fmin(fmax(linear, 0.0), 1.0);
    double encoded = c <= 0.0031308 ? 12.92 * c : 1.055 * ga_pow(c, 1.0 / 2.4) - 0.055;
    return (unsigned)lround(255.0 * encoded);
}

static double cube(double x)
{
    return x * x * x;
}

static double sine_of(double radians)
{
    double sine, cosine;
    ga_sin_cos(radians, &sine, &cosine);
    return sine;
}

// OKLab's lightness, chroma and hue (in degrees) as 0xRRGGBB; its matrices stand below.
static unsigned oklch(double lightness, double chroma, double hue)
{
    double radians = hue * 3.14159265358979 / 180.0;
    double sine, cosine;
    ga_sin_cos(radians, &sine, &cosine);
    double a = chroma * cosine;
    double b = chroma * sine;
    double l = cube(lightness + 0.3963377774 * a + 0.2158037573 * b);
    double m = cube(lightness - 0.1055613458 * a - 0.0638541728 * b);
    double s = cube(lightness - 0.0894841775 * a - 1.2914855480 * b);
    unsigned red = srgb_byte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
    unsigned green = srgb_byte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
    unsigned blue = srgb_byte(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s);
    return red << 16 | green << 8 | blue;
}

// t in 0..1: near-white through blue-green to deep blue. Lightness falls evenly, so that equal steps of a value look
// like equal steps.
static unsigned on_light(double t)
{
    return oklch(0.985 - 0.715 * t, 0.004 + 0.126 * sine_of(3.14159265358979 * 0.82 * t), 215.0 + 55.0 * t);
}

// From nearly the background through blue and green to a pale yellow, lightness rising evenly.
static unsigned on_dark(double t)
{
    return oklch(0.235 + 0.715 * t, 0.015 + 0.125 * sine_of(3.14159265358979 * 0.85 * t), 265.0 - 155.0 * t);
}

static void put_levels(FILE *out, unsigned (*colour)(double t))
{
    for (int i = 0; i < GA_LEVELS; i++) {
        fprintf(out, ".c%d{fill:#%06x}%s", i, colour((double)i / (GA_LEVELS - 1)), i % 8 == 7 ? "\n" : " ");
    }
}

void ga_put_style(FILE *out)
{
    fputs("<style>\n"
          ".title{font-size:20px;font-weight:bold} .line{font-size:13px} .label{font-size:11px} .axis{font-size:12px}\n"
          ".panel{font-size:14px;font-weight:bold} .n{font-size:11px;text-anchor:middle;pointer-events:none}\n"
          ".end{text-anchor:end} .middle{text-anchor:middle} .cells{shape-rendering:crispEdges}\n"
          ".page{fill:#fff} .title,.panel{fill:#111} .label{fill:#333} .line,.axis{fill:#5a5a5a}\n"
          ".frame{fill:none;stroke:#999;pointer-events:none} .grey{fill:#dcdcdc} "
          ".stripe{stroke:#a9a9a9;stroke-width:1.6}\n"
          ".over{stroke:#c2410c;stroke-width:1.2} .nan{fill:#d81b60} .pale{fill:#111} .strong{fill:#fff}\n",
          out);
    put_levels(out, on_light);
    fputs("@media (prefers-color-scheme: dark) {\n"
          ".page{fill:#15171b} .title,.panel{fill:#f3f3f3} .label{fill:#d5d5d5} .line,.axis{fill:#a8a8a8}\n"
          ".frame{stroke:#777} .grey{fill:#3a3c40} .stripe{stroke:#5d6066}\n"
          ".over{stroke:#fb923c} .pale{fill:#f3f3f3} .strong{fill:#111}\n",
          out);
    put_levels(out, on_dark);
    fputs("}\n</style>\n", out);
}
