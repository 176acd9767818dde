// ln(1+x) of every element. Twin: cpuref/log1p.go.
#version 450
#extension GL_GOOGLE_include_directive : require
#define QUADS
#include "log1p.glsl"
#include "elements.glsl"
#include "stretch.glsl"

void main() {
    uint index = push.first_item + lane_index();
    if (index >= push.item_end) return;
    uint q = quad_start(index);
    for (uint k = 0u; k < push.quads_per_item; k++, q += quad_step()) {
        Quad x = load_quad(q * 4u);
        store_quad(q * 4u, Quad(log1p_exact(x.a), log1p_exact(x.b), log1p_exact(x.c), log1p_exact(x.d)));
    }
    if (index == push.last_item && push.left != 0u) {
        Quad y;
        for (uint k = 0u; k < push.left; k++) {
            ELEMENT value = log1p_exact(load_element(q * 4u + k));
            y.a = k == 0u ? value : y.a;
            y.b = k == 1u ? value : y.b;
            y.c = k == 2u ? value : y.c;
        }
        store_first(q * 4u, y, push.left);
    }
}
