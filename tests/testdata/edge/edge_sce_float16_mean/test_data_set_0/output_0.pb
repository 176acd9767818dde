
BzJC