// Code generated from internal/coefficients; DO NOT EDIT.
#ifndef VKOPS_COEFFICIENTS_GLSL
#define VKOPS_COEFFICIENTS_GLSL

#if defined(DTYPE_F64)

// 1/ln 2
const double LOG2_E = 1.4426950408889634e+00lf;
// the leading bits of ln 2
const double LN2_HIGH = 6.9314715266227722e-01lf;
// ln 2 - ln2High
const double LN2_LOW = 2.7897668087737545e-08lf;
// powers of two that the first step of a reduction takes out at a time
const double STEP = 2.6843545600000000e+08lf;
// 1 / (step*ln 2)
const double LOG2_E_PER_STEP = 5.3744578394627697e-09lf;
// the leading bits of step*ln 2
const double STEP_HIGH = 1.8606524800000000e+08lf;
// step*ln 2 - stepHigh
const double STEP_LOW = 3.1488723254468475e+01lf;
// 1.5 * 2^(precision-1): adding it rounds to an integer, which its last bits then hold
const double ROUND_TO_INTEGER = 6.7553994410557440e+15lf;
// arguments below this size are split into powers of two
const double STEP_LIMIT = 1.4411518807585587e+17lf;

// exp_polynomial is P with exp(x) = 1 + x + x^2 P(x) for |x| <= ln(2)/2 * 1.01,
// with relative error at most 2^-27.6 (float) or 2^-56 (double).
double exp_polynomial(double x) {
    precise double square = x * x;
    precise double even = 2.7631687692361931e-07lf;
    even = even * square + 2.4801489351379512e-05lf;
    even = even * square + 1.3888888946920761e-03lf;
    even = even * square + 4.1666666666519150e-02lf;
    even = even * square + 5.0000000000000122e-01lf;
    precise double odd = 2.4999025435441730e-08lf;
    odd = odd * square + 2.7557597069410050e-06lf;
    odd = odd * square + 1.9841269486314380e-04lf;
    odd = odd * square + 8.3333333335075758e-03lf;
    odd = odd * square + 1.6666666666666385e-01lf;
    precise double p = odd * x + even;
    return p;
}

// log_polynomial is P with log(1+x) = x - x^2/2 + x^3 P(x) for sqrt(1/2) <= 1+x <= sqrt(2),
// with relative error at most 2^-28 (float) or 2^-57 (double).
double log_polynomial(double x) {
    precise double square = x * x;
    precise double even = 5.6968886504978083e-02lf;
    even = even * square + 5.4159552892757312e-02lf;
    even = even * square + 5.8177837211010892e-02lf;
    even = even * square + 6.6751478180230570e-02lf;
    even = even * square + 7.6917145058262318e-02lf;
    even = even * square + 9.0909335042001105e-02lf;
    even = even * square + 1.1111110516089415e-01lf;
    even = even * square + 1.4285714293840718e-01lf;
    even = even * square + 1.9999999999946139e-01lf;
    even = even * square + 3.3333333333333454e-01lf;
    precise double odd = -2.4276358772053114e-02lf;
    odd = odd * square + -6.2750388898249729e-02lf;
    odd = odd * square + -5.3267769054062192e-02lf;
    odd = odd * square + -6.2698016981366220e-02lf;
    odd = odd * square + -7.1419999995500166e-02lf;
    odd = odd * square + -8.3333457651377285e-02lf;
    odd = odd * square + -1.0000000383067480e-01lf;
    odd = odd * square + -1.2499999982023884e-01lf;
    odd = odd * square + -1.6666666666914332e-01lf;
    odd = odd * square + -2.4999999999998920e-01lf;
    precise double p = odd * x + even;
    return p;
}

#else

// 1/ln 2
const float LOG2_E = 1.4426950216293335e+00;
// the leading bits of ln 2
const float LN2_HIGH = 6.9335937500000000e-01;
// ln 2 - ln2High
const float LN2_LOW = -2.1219444170128554e-04;
// powers of two that the first step of a reduction takes out at a time
const float STEP = 4.0960000000000000e+03;
// 1 / (step*ln 2)
const float LOG2_E_PER_STEP = 3.5222046426497400e-04;
// the leading bits of step*ln 2
const float STEP_HIGH = 2.8160000000000000e+03;
// step*ln 2 - stepHigh
const float STEP_LOW = 2.3130851745605469e+01;
// 1.5 * 2^(precision-1): adding it rounds to an integer, which its last bits then hold
const float ROUND_TO_INTEGER = 1.2582912000000000e+07;
// arguments below this size are split into powers of two
const float STEP_LIMIT = 2.6843545600000000e+08;

// exp_polynomial is P with exp(x) = 1 + x + x^2 P(x) for |x| <= ln(2)/2 * 1.01,
// with relative error at most 2^-27.6 (float) or 2^-56 (double).
float exp_polynomial(float x) {
    precise float p = 1.3813178520649672e-03;
    p = p * x + 8.3694187924265862e-03;
    p = p * x + 4.1668456047773361e-02;
    p = p * x + 1.6666515171527863e-01;
    p = p * x + 4.9999994039535522e-01;
    return p;
}

// The same of four arguments, whose chains of operations do not wait for each other.
vec4 exp_polynomial(vec4 x) {
    precise vec4 p = vec4(1.3813178520649672e-03);
    p = p * x + vec4(8.3694187924265862e-03);
    p = p * x + vec4(4.1668456047773361e-02);
    p = p * x + vec4(1.6666515171527863e-01);
    p = p * x + vec4(4.9999994039535522e-01);
    return p;
}

// log_polynomial is P with log(1+x) = x - x^2/2 + x^3 P(x) for sqrt(1/2) <= 1+x <= sqrt(2),
// with relative error at most 2^-28 (float) or 2^-57 (double).
float log_polynomial(float x) {
    precise float p = 6.7466259002685547e-02;
    p = p * x + -1.1675631254911423e-01;
    p = p * x + 1.1888153105974197e-01;
    p = p * x + -1.2405589967966080e-01;
    p = p * x + 1.4219553768634796e-01;
    p = p * x + -1.6667996346950531e-01;
    p = p * x + 2.0002119243144989e-01;
    p = p * x + -2.5000008940696716e-01;
    p = p * x + 3.3333313465118408e-01;
    return p;
}

// The same of four arguments, whose chains of operations do not wait for each other.
vec4 log_polynomial(vec4 x) {
    precise vec4 p = vec4(6.7466259002685547e-02);
    p = p * x + vec4(-1.1675631254911423e-01);
    p = p * x + vec4(1.1888153105974197e-01);
    p = p * x + vec4(-1.2405589967966080e-01);
    p = p * x + vec4(1.4219553768634796e-01);
    p = p * x + vec4(-1.6667996346950531e-01);
    p = p * x + vec4(2.0002119243144989e-01);
    p = p * x + vec4(-2.5000008940696716e-01);
    p = p * x + vec4(3.3333313465118408e-01);
    return p;
}

#endif

#endif
