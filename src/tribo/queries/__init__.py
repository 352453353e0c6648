"""Questions about a robot at a state: M, h, inverse and forward dynamics, Jacobians, momenta.

Every entry answers for N states in one call. Entries are compiled at their first use and cached on
disk; a world that is only stepped compiles none of them. They read the records of one tree alone
(`tribo.engine.subtree`): body, coordinate and dof 0 are the tree's first.
"""
