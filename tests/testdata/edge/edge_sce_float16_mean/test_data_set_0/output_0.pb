
BzJoA