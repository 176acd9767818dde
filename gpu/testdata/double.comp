#version 450
// Needs shaderFloat64 and uses widths 32 and 64.
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { double data[]; };

void main() {
    data[0] = double(float(data[1]) * 2.0f) * data[0];
}
