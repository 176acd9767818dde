// The types of a page of arithmetic that is written once and included twice: for one
// element, and with four_elements.glsl for four side by side. One element's operations
// wait for each other, four elements' do not, if they come in turn: lavapipe keeps the
// order in which they are written.
#undef REALS
#undef INTS
#undef UINTS
#undef BOOLS
#undef KEYS
#define REALS REAL
#define INTS int
#define UINTS uint
#define BOOLS bool
#define KEYS KEY
