"""Data attributes of RaiSim's structures in tribo, for the page of names."""

_KEPT = "the user's own; ``viewer.add_…`` takes it"
_POSE = {"rot": "``orientation=``", "pos": "``position=``"}

FIELDS: dict[str, dict[str, str]] = {
    "WorldParameterContainer": {
        "name": "key of ``tribo.World.load(path, parameters={…})``",
        "param": "value of ``tribo.World.load(path, parameters={…})``",
    },
    "CompoundObjectChild": {
        "objectType": "``tribo.CompoundPart.kind``", "objectParam": "``tribo.CompoundPart.size``",
        "material": "``tribo.CompoundPart.material``", "appearance": "``tribo.CompoundPart.color``",
        "trans": "``tribo.CompoundPart.position``, ``.orientation``",
        "transformation": "``tribo.CompoundPart.position``, ``.orientation``",
    },
    "Transformation": _POSE,
    "CoacdOptions": dict.fromkeys(
        ("threshold", "maxConvexHull", "sampleResolution", "mctsIteration"),
        "nothing: coacd runs with its standard numbers",
    ),
    "ArticulatedSystemOption": {
        "doNotCollideWithParent": "``collide_with_parent=`` of ``world.add_articulated_system``",
        "convexifyCollisionMeshes": '``collision_meshes="decomposition"``',
        "collisionMeshMode": "``collision_meshes=``",
    },
    "SpringElement": {
        "childBodyId": "``joint(name)``", "stiffness": "``joint(name).stiffness``",
        "q_ref": "``joint(name).spring_reference``",
    },
    "SparseJacobian": {"idx": "``frame.sparse_jacobian()[0]``", "v": "``frame.sparse_jacobian()[1]``"},
    "TerrainProperties": {
        name: f"``{word}=`` of ``tribo.HeightField.fractal``"
        for name, word in {
            "frequency": "frequency", "xSize": "size", "ySize": "size", "zScale": "z_scale",
            "xSamples": "samples", "ySamples": "samples", "fractalOctaves": "octaves",
            "fractalLacunarity": "lacunarity", "fractalGain": "gain", "stepSize": "step_size",
            "heightOffset": "height_offset", "seed": "seed",
        }.items()
    },
    "PinConstraintDefinition": {
        "body1": "``first=`` of ``world.add_pin``", "body2": "``second=`` of ``world.add_pin``",
        "anchor": "``position=`` of ``world.add_pin``",
    },
    "AABB": {"min": "``low`` of ``world.collision_bodies_in``", "max": "``high`` of it"},
    "SolverConfiguration": {
        "alpha_init": "nothing", "alpha_min": "nothing", "alpha_decay": "nothing",
        "error_to_terminate": "``world.tolerance``", "erp": "``world.erp``", "erp2": "``world.erp2``",
        "maxIteration": "``world.max_sweeps``",
    },
    "DepthCameraProperties": {
        "width": "``width=``", "height": "``height=``", "clipNear": "``clip=``", "clipFar": "``clip=``",
        "hFOV": "``horizontal_fov=``", "captureDepth": "``measure().depth``",
        "captureSegmentation": "``measure().segmentation``", "capturePoints": "``points()``",
        "depthNoiseType": "``noise=``", "depthNoiseMean": "``noise=``", "depthNoiseStd": "``noise=``",
        "seed": "``seed=`` of ``world.add_depth_camera``",
    },
    "DepthCameraFrame": {
        "depth": "``measure().depth``", "segmentation": "``measure().segmentation``",
        "points": "``points()``", "timestamp": "``measure().time``",
    },
    "MaterialPairProperties": {
        "c_f": "``friction``", "c_r": "``restitution``", "r_th": "``restitution_threshold``",
        "c_static_f": "``static_friction``", "v_static_speed": "``static_friction_velocity``",
        "c_rolling_f": "``rolling_friction``", "c_spinning_f": "``spinning_friction``",
    },
    "Visuals": {
        "name": "``visual.name``", "type": "``viewer.add_visual_…``", "material": _KEPT,
        "glow": _KEPT, "shadow": _KEPT,
    },
    "PolyLine": {"points": "``visual.points``", "color": "``visual.color``", "width": "``width=`` of ``viewer.add_visual_polyline``"},
    "PointCloud": {
        "pointSize": "``visual.point_size``", "position": "``visual.update(points, colors)``",
        "color": "``visual.update(points, colors)``",
    },
    "ColorRGB": dict.fromkeys("rgb", "a number of ``color=``"),
    "ColorRGBA": dict.fromkeys("rgba", "a number of ``color=``"),
}  # fmt: skip
