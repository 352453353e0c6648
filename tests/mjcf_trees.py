"""Random MJCF trees: every joint type, several joints per body, every spelling of a place."""

from __future__ import annotations

import numpy as np


def random_tree(seed: int, count: int = 12) -> str:
    """Return the MJCF text of a random model with `count` bodies."""
    rng = np.random.default_rng(seed)
    angle = "radian" if seed % 2 else "degree"
    scale = 1.0 if seed % 2 else 57.3
    sequence = "".join(rng.choice(list("xyzXYZ"), 3))

    def numbers(size: int, width: float = 1.0) -> str:
        return " ".join(repr(float(x)) for x in rng.uniform(-width, width, size))

    def rotation() -> str:
        kind = rng.choice(["quat", "axisangle", "euler", "xyaxes", "zaxis", ""])
        if kind == "axisangle":
            return f'axisangle="{numbers(3)} {rng.uniform(-3, 3) * scale}"'
        width = 3.0 * scale if kind == "euler" else 1.0
        sizes = {"quat": 4, "euler": 3, "xyaxes": 6, "zaxis": 3}
        return f'{kind}="{numbers(sizes[kind], width)}"' if kind else ""

    def mass() -> str:
        if rng.random() < 0.4:
            a, b = rng.uniform(0.02, 0.2, 2)
            c = rng.uniform(abs(a - b), a + b)
            place = f'pos="{numbers(3, 0.2)}" {rotation()}'
            return f'<inertial mass="{rng.uniform(0.1, 3)}" diaginertia="{a} {b} {c}" {place}/>'
        kind = rng.choice(["sphere", "box", "capsule", "cylinder", "ellipsoid"])
        size = " ".join(map(str, rng.uniform(0.02, 0.3, 3)))
        if kind in {"capsule", "box"} and rng.random() < 0.5:
            return f'<geom type="{kind}" size="{rng.uniform(0.02, 0.2)}" fromto="{numbers(6)}"/>'
        return f'<geom type="{kind}" size="{size}" pos="{numbers(3, 0.3)}" {rotation()}/>'

    def joints(k: int) -> str:
        made = ""
        for i in range(int(rng.integers(0 if k % 3 else 1, 4))):
            kind = rng.choice(["hinge", "hinge", "slide", "ball"])
            place = f'name="j{k}_{i}" type="{kind}" pos="{numbers(3, 0.2)}" armature="{rng.uniform(0, 0.1)}"'
            width = scale if kind == "hinge" else 1.0
            if kind == "ball":
                return f"{made}<joint {place}/>"
            made += f'<joint {place} axis="{numbers(3)}" ref="{rng.uniform(-1, 1) * width}"/>'
        return made

    def body(k: int, below: list[list[int]], is_free: bool) -> str:
        own = "<freejoint/>" if is_free else joints(k)
        inner = "".join(body(c, below, False) for c in below[k])
        if rng.random() < 0.3:
            inner = f'<frame pos="{numbers(3)}" {rotation()}>{inner}</frame>'
        site = f'<site name="s{k}" pos="{numbers(3)}" {rotation()}/>'
        return f'<body name="b{k}" pos="{numbers(3)}" {rotation()}>{own}{mass()}{site}{inner}</body>'

    below: list[list[int]] = [[] for _ in range(count)]
    for k in range(1, count):
        below[int(rng.integers(0, k))].append(k)
    tree = body(0, below, bool(seed % 3))
    compiler = f'<compiler angle="{angle}" eulerseq="{sequence}"/>'
    return f"<mujoco>{compiler}<worldbody>{tree}</worldbody></mujoco>"
