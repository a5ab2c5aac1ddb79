/* A rigid body in space with an isotropic inertia, for the FMUs of the tests and for a peer in process that must come
 * to the same bits: along x on a spring and a damper, shaken by their base. C that C++ reads as well. */
#pragma once

#include <math.h>

typedef struct BodyState {
    double t, x[3], v[3], a[3], q[4], w[3], force[3], moment[3];
    double mass, inertia, stiffness, damping, amplitude, frequency;
} BodyState;

static inline BodyState body_at_start(void)
{
    BodyState b = {0, {0}, {0}, {0}, {1}, {0}, {0}, {0}, 0.3, 0.01, 0, 0, 0, 1};
    return b;
}

static inline double body_pull(const BodyState* b, double t, double x, double v)
{
    const double w = 2 * 3.14159265358979323846 * b->frequency;
    return b->stiffness * (b->amplitude * sin(w * t) - x) + b->damping * (b->amplitude * w * cos(w * t) - v);
}

static inline void body_accelerations(BodyState* b)
{
    for (int k = 0; k < 3; ++k) b->a[k] = b->force[k] / b->mass;
    b->a[0] += body_pull(b, b->t, b->x[0], b->v[0]) / b->mass;
}

/* Along x by the classical Runge-Kutta method; the rest has constant accelerations, and turns at its mean rate. */
static inline void body_step(BodyState* b, double h)
{
    double x[4], v[4], a[4], turn[4], q[4], angle = 0;
    static const double at[4] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
        x[s] = b->x[0] + (s ? at[s] * h * v[s - 1] : 0);
        v[s] = b->v[0] + (s ? at[s] * h * a[s - 1] : 0);
        a[s] = (body_pull(b, b->t + at[s] * h, x[s], v[s]) + b->force[0]) / b->mass;
    }
    b->x[0] += h / 6 * (v[0] + 2 * v[1] + 2 * v[2] + v[3]);
    b->v[0] += h / 6 * (a[0] + 2 * a[1] + 2 * a[2] + a[3]);
    for (int k = 1; k < 3; ++k) {
        const double c = b->force[k] / b->mass;
        b->x[k] += h * (b->v[k] + h / 2 * c);
        b->v[k] += h * c;
    }
    turn[0] = 1;
    for (int k = 0; k < 3; ++k) {
        const double c = b->moment[k] / b->inertia;
        turn[k + 1] = h * (b->w[k] + h / 2 * c);
        b->w[k] += h * c;
        angle += turn[k + 1] * turn[k + 1];
    }
    angle = sqrt(angle);
    if (angle > 0) {
        turn[0] = cos(angle / 2);
        for (int k = 1; k < 4; ++k) turn[k] *= sin(angle / 2) / angle;
    }
    for (int k = 0; k < 4; ++k) q[k] = b->q[k];
    b->q[0] = turn[0] * q[0] - turn[1] * q[1] - turn[2] * q[2] - turn[3] * q[3];
    b->q[1] = turn[0] * q[1] + turn[1] * q[0] + turn[2] * q[3] - turn[3] * q[2];
    b->q[2] = turn[0] * q[2] - turn[1] * q[3] + turn[2] * q[0] + turn[3] * q[1];
    b->q[3] = turn[0] * q[3] + turn[1] * q[2] - turn[2] * q[1] + turn[3] * q[0];
    b->t += h;
}
