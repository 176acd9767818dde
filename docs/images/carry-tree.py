"""Draws carry-tree.svg: python3 docs/images/carry-tree.py > docs/images/carry-tree.svg

The tree is drawn with 4 children a node, where the real one has 16.
"""

RADIX, WIDTH, TOP, RUN, LEAF = 4, 880, 60, 200, 330
CENTERS = [WIDTH * (2 * i + 1) / (2 * RADIX) for i in range(RADIX)]


def text(x, y, words, size=14, color="#222", anchor="middle", style=""):
    return (f'<text x="{x:.0f}" y="{y:.0f}" font-size="{size}" fill="{color}" '
            f'text-anchor="{anchor}" {style}>{words}</text>')


def box(x, y, w, h, fill):
    return (f'<rect x="{x - w / 2:.0f}" y="{y - h / 2:.0f}" width="{w}" height="{h}" rx="5" '
            f'fill="{fill}" stroke="#444"/>')


def arrow(x1, y1, x2, y2, color):
    return (f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{color}" '
            f'stroke-width="2" marker-end="url(#{color[1:]})"/>')


def marker(color):
    return (f'<marker id="{color[1:]}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
            f'orient="auto"><path d="M0 0L8 4L0 8z" fill="{color}"/></marker>')


UP, DOWN = "#1b6ca8", "#b3541e"
out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} 430" font-family="sans-serif" '
       f'role="img" aria-label="The carry tree: aggregates go up, carries go down">',
       f'<defs>{marker(UP)}{marker(DOWN)}</defs>',
       f'<rect width="{WIDTH}" height="430" fill="#fff"/>',
       box(WIDTH / 2, TOP, 330, 44, "#e8eef4"),
       text(WIDTH / 2, TOP + 5, "group: aggregate ((A0 + A1) + A2) + A3")]
carry = "C"
for i, x in enumerate(CENTERS):
    out += [arrow(x - 34, RUN - 24, WIDTH / 2 - 90 + 40 * i, TOP + 26, UP),
            text(x + (30 if i == 1 else 0), RUN - 62 if i in (0, 3) else RUN - 48, f"A{i}", color=UP),
            box(x, RUN, 190, 44, "#f4efe8"),
            text(x, RUN - 3, f"run {i}"),
            text(x, RUN + 14, f"carry {carry}", 12, DOWN)]
    if i + 1 < RADIX:
        out.append(arrow(x + 95, RUN, CENTERS[i + 1] - 96, RUN, DOWN))
    carry = f"({carry}) + A{i}" if i else f"C + A{i}"
    for j in range(RADIX):
        lx = x - 72 + 48 * j
        out += [box(lx, LEAF, 42, 30, "#fff"), text(lx, LEAF + 5, f"x{RADIX * i + j}", 13)]
        if j + 1 < RADIX:
            out.append(arrow(lx + 21, LEAF, lx + 27, LEAF, DOWN))
        out.append(text(lx, LEAF + 40, f"y{RADIX * i + j}", 13, DOWN))
        out.append(arrow(lx, LEAF + 15, lx, LEAF + 27, DOWN))
    out += [arrow(x - 30, LEAF - 16, x - 30, RUN + 23, UP), arrow(x - 72, RUN + 23, x - 72, LEAF - 16, DOWN)]
out += [text(20, 30, "up: aggregates, folded from left to right", 14, UP, "start"),
        text(20, 50, "down: carries", 14, DOWN, "start"),
        text(WIDTH / 2, 412, "Each output yi is read while the run's state, begun at its carry, takes its elements in order.", 13),
        "</svg>"]
print("\n".join(out))
