// The data of a bed of balls as its kernels see them, and the kernels for each instruction set. Plain data only: the
// kernels are compiled with flags that the rest of the library must not see.
#pragma once

#include "tamis/dem/wall_distance.hpp"

namespace tamis {

// Rows of the balls, in their order. Behind the last ball, three more: two that lie apart, the pair that fills up
// lists, and one that no wall touches.
struct BallRows {
    int count;
    double* x;     // centre, radius
    double* v;     // velocity, 1/m, angular velocity, 1/I
    double* force; // normal, tangential, torque of the tangential force, rolling: force_row numbers, 4 each
    const int* material;
    const double* laws; // PenaltyLaw::row() of materials a and b at 8 (a materials + b)
    int materials;
    int force_row; // 16, or 12 without rolling
    double h;
    bool elastic, rolling, hertz; // laws that occur
    bool uniform;                 // all balls have the same radius, mass and material
};

// Pairs i < j, filled up to a multiple of 8 and by at least one.
struct PairSlots {
    const int *i, *j;
    int count; // with those that fill up
    double* u; // history, 3 numbers each, one more behind; of those that touched in the last step
    unsigned char* touched; // a bit for each
};

struct DeepestOverlap {
    double delta;
    int one, other, contacts; // rows, or -1 - wall
};

struct WallMotion {
    double R[9], p[3], v[3], w[3]; // row-major; velocity of the origin p
};

// Balls near a surface, filled up to a multiple of 8.
struct WallSlots {
    const int* ball;
    int count;
    double* u;
    unsigned char* touched;
};

struct WallGroup { // balls of a block near a surface, in the list of such balls
    int surface, first, count;
};

// What a wall does to balls, moments about its origin.
struct WallPush {
    double normal[6], tangential[6], rolling[3];
};

// Sums over balls in a step.
struct MotionSums {
    double work[3], momentum[3], pushed, speed; // speed: largest |v - c|^2
};

struct PenaltyKernels {
    const char* name;
    // Of pairs, a multiple of 8, those whose surfaces are nearer than the margin; returns their number.
    int (*near)(const BallRows& rows, const int* i, const int* j, int count, double margin, int* found);
    // Forces of pairs, in their order. What acts on i of the first `apart` pairs is stored in `reaction`, one row for
    // each that touches, with `reaction_on`, instead of being added; returns their number.
    int (*pairs)(const BallRows& rows, const PairSlots& slots, int apart, double* reaction, int* reaction_on,
                 DeepestOverlap& deepest);
    void (*wall)(const BallRows& rows, const PlainSurface& surface, const WallMotion& wall, int material,
                 int part, const WallSlots& slots, WallPush& push, DeepestOverlap& deepest);
    void (*move)(const BallRows& rows, int begin, int end, const double* gravity, const double* mean,
                 MotionSums& sums);
};
extern const PenaltyKernels penalty_kernels_scalar, penalty_kernels_sse2, penalty_kernels_avx2,
    penalty_kernels_avx512;

// The widest that this machine has, or the one named by the environment variable TAMIS_SIMD.
const PenaltyKernels& penalty_kernels();
// By name; null if this machine cannot run it.
const PenaltyKernels* penalty_kernels(const char* name);

} // namespace tamis
