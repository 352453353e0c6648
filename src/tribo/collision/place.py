"""The pose of a shape."""

from tribo.compiler.jit import kernel
from tribo.math import vec


@kernel
def shape_pose(model, work, s):
    """Return position and rotation of a shape in the world."""
    i = model.shape_body[s]
    rot = vec.load_mat(work.body_rot, i)
    p = vec.add(vec.load(work.body_pos, i), vec.mat_vec(rot, vec.load(model.shape_pos, s)))
    return p, vec.mat_mul(rot, vec.load_mat(model.shape_rot, s))
