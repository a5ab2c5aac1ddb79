/* An FMU of FMI 2.0 for co-simulation in plain C: the oscillator of models/particle_damper.cpp, a mass on a spring and
 * a damper, shaken by its base, with a force on it,
 *
 *     m x'' = -k (x - X sin w t) - c (x' - X w cos w t) + f,    w = 2 pi frequency
 *
 * To build and to pack it, here:
 *
 *     mkdir -p binaries/linux64
 *     cc -O2 -shared -fPIC -o binaries/linux64/oscillator.so oscillator.c -lm
 *     cmake -E tar cf oscillator.fmu --format=zip modelDescription.xml binaries
 *
 * The functions are those of the standard, Sects. 2.1 and 4.2; the headers that come with it declare them and their
 * types as well. Values go by the numbers of modelDescription.xml. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef enum { OK, WARNING, DISCARD, ERROR, FATAL, PENDING } Status;
typedef struct {
    void (*log)(void* environment, const char* instance, Status status, const char* category, const char* message, ...);
    void* (*allocate)(size_t count, size_t size);
    void (*free)(void* memory);
    void (*step_finished)(void* environment, Status status);
    void* environment;
} Callbacks;

enum { X, V, A, F, M, K, C, AMPLITUDE, FREQUENCY, VALUES };
typedef struct {
    double t, value[VALUES];
} State; /* all that a step depends on */
typedef struct {
    State now;
    const Callbacks* callbacks;
    char name[100];
} Oscillator;

static const char* const guid = "{a0c1e0a4-7e1c-4d1b-9d0c-0d5cf1a3b001}";

static double acceleration(const State* s, double t, double x, double v)
{
    const double* p = s->value;
    const double w = 2 * 3.14159265358979323846 * p[FREQUENCY];
    return (-p[K] * (x - p[AMPLITUDE] * sin(w * t)) - p[C] * (v - p[AMPLITUDE] * w * cos(w * t)) + p[F]) / p[M];
}

/* The classical Runge-Kutta method, with a step of a tenth of a millisecond at most. */
static void integrate(State* s, double h)
{
    const int n = (int)ceil(h / 1.0001e-4);
    const double d = h / n, t0 = s->t;
    int k;
    for (k = 0; k < n; ++k) {
        const double t = t0 + k * d, x = s->value[X], v = s->value[V];
        const double a1 = acceleration(s, t, x, v), v2 = v + d / 2 * a1;
        const double a2 = acceleration(s, t + d / 2, x + d / 2 * v, v2), v3 = v + d / 2 * a2;
        const double a3 = acceleration(s, t + d / 2, x + d / 2 * v2, v3), v4 = v + d * a3;
        const double a4 = acceleration(s, t + d, x + d * v3, v4);
        s->value[X] = x + d / 6 * (v + 2 * v2 + 2 * v3 + v4);
        s->value[V] = v + d / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    s->t = t0 + h;
}

EXPORT const char* fmi2GetVersion(void) { return "2.0"; }
EXPORT const char* fmi2GetTypesPlatform(void) { return "default"; }

EXPORT void* fmi2Instantiate(const char* name, int type, const char* its_guid, const char* resources,
                             const Callbacks* callbacks, int visible, int logging)
{
    Oscillator* o;
    (void)resources, (void)visible, (void)logging;
    if (type != 1 || strcmp(its_guid, guid) != 0) {
        callbacks->log(callbacks->environment, name, ERROR, "error", "this is another oscillator than described");
        return NULL;
    }
    o = callbacks->allocate(1, sizeof *o);
    if (!o) return NULL;
    o->callbacks = callbacks;
    strncpy(o->name, name, sizeof o->name - 1);
    o->now.value[M] = 0.293;
    o->now.value[K] = 1602.7;
    o->now.value[C] = 0.116;
    o->now.value[AMPLITUDE] = 1e-3;
    o->now.value[FREQUENCY] = 12;
    return o;
}
EXPORT void fmi2FreeInstance(void* o) { if (o) ((Oscillator*)o)->callbacks->free(o); }
EXPORT Status fmi2SetDebugLogging(void* o, int on, size_t n, const char* const categories[])
{
    (void)o, (void)on, (void)n, (void)categories;
    return OK;
}

EXPORT Status fmi2SetupExperiment(void* o, int has_tolerance, double tolerance, double start, int has_stop, double stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((Oscillator*)o)->now.t = start;
    return OK;
}
EXPORT Status fmi2EnterInitializationMode(void* o) { (void)o; return OK; }
EXPORT Status fmi2ExitInitializationMode(void* o) { (void)o; return OK; }
EXPORT Status fmi2Terminate(void* o) { (void)o; return OK; }
EXPORT Status fmi2Reset(void* o) { (void)o; return ERROR; } /* make another instance */

EXPORT Status fmi2GetReal(void* o, const unsigned number[], size_t n, double value[])
{
    State* s = &((Oscillator*)o)->now;
    size_t i;
    s->value[A] = acceleration(s, s->t, s->value[X], s->value[V]);
    for (i = 0; i < n; ++i) {
        if (number[i] >= VALUES) return ERROR;
        value[i] = s->value[number[i]];
    }
    return OK;
}
EXPORT Status fmi2SetReal(void* o, const unsigned number[], size_t n, const double value[])
{
    const Oscillator* self = o;
    size_t i;
    for (i = 0; i < n; ++i) {
        if (number[i] >= VALUES || number[i] == A || (number[i] == M && !(value[i] > 0))) {
            self->callbacks->log(self->callbacks->environment, self->name, ERROR, "error",
                                 "value %u cannot be %g: the mass must be positive", number[i], value[i]);
            return ERROR;
        }
        ((Oscillator*)o)->now.value[number[i]] = value[i];
    }
    return OK;
}

EXPORT Status fmi2DoStep(void* o, double t, double h, int no_state_before_t)
{
    (void)t, (void)no_state_before_t;
    integrate(&((Oscillator*)o)->now, h);
    return OK;
}
EXPORT Status fmi2CancelStep(void* o) { (void)o; return ERROR; }

/* A saved state is a copy. */
EXPORT Status fmi2GetFMUstate(void* o, void** state)
{
    if (!*state) *state = malloc(sizeof(State));
    if (!*state) return ERROR;
    *(State*)*state = ((Oscillator*)o)->now;
    return OK;
}
EXPORT Status fmi2SetFMUstate(void* o, void* state)
{
    ((Oscillator*)o)->now = *(const State*)state;
    return OK;
}
EXPORT Status fmi2FreeFMUstate(void* o, void** state)
{
    (void)o;
    free(*state);
    *state = NULL;
    return OK;
}
EXPORT Status fmi2SerializedFMUstateSize(void* o, void* state, size_t* size)
{
    (void)o, (void)state;
    *size = sizeof(State);
    return OK;
}
EXPORT Status fmi2SerializeFMUstate(void* o, void* state, char bytes[], size_t size)
{
    (void)o;
    if (size < sizeof(State)) return ERROR;
    memcpy(bytes, state, sizeof(State));
    return OK;
}
EXPORT Status fmi2DeSerializeFMUstate(void* o, const char bytes[], size_t size, void** state)
{
    if (size != sizeof(State) || fmi2GetFMUstate(o, state) != OK) return ERROR;
    memcpy(*state, bytes, size);
    return OK;
}

/* What this oscillator has no values or no answers for. */
#define NONE(name, type)                                                                                               \
    EXPORT Status name(void* o, const unsigned number[], size_t n, type value[])                                       \
    {                                                                                                                  \
        (void)o, (void)number, (void)value;                                                                            \
        return n == 0 ? OK : ERROR;                                                                                    \
    }
NONE(fmi2GetInteger, int)
NONE(fmi2GetBoolean, int)
NONE(fmi2GetString, const char*)
NONE(fmi2SetInteger, const int)
NONE(fmi2SetBoolean, const int)
NONE(fmi2SetString, const char* const)
#define NO_STATUS(name, type)                                                                                          \
    EXPORT Status name(void* o, int kind, type* value)                                                                 \
    {                                                                                                                  \
        (void)o, (void)kind, (void)value;                                                                              \
        return DISCARD;                                                                                                \
    }
NO_STATUS(fmi2GetStatus, Status)
NO_STATUS(fmi2GetRealStatus, double)
NO_STATUS(fmi2GetIntegerStatus, int)
NO_STATUS(fmi2GetBooleanStatus, int)
NO_STATUS(fmi2GetStringStatus, const char*)
EXPORT Status fmi2SetRealInputDerivatives(void* o, const unsigned number[], size_t n, const int order[],
                                          const double value[])
{
    (void)o, (void)number, (void)order, (void)value;
    return n == 0 ? OK : ERROR;
}
EXPORT Status fmi2GetRealOutputDerivatives(void* o, const unsigned number[], size_t n, const int order[],
                                           double value[])
{
    (void)o, (void)number, (void)order, (void)value;
    return n == 0 ? OK : ERROR;
}
EXPORT Status fmi2GetDirectionalDerivative(void* o, const unsigned unknown[], size_t n_unknown, const unsigned known[],
                                           size_t n_known, const double seed[], double derivative[])
{
    (void)o, (void)unknown, (void)n_unknown, (void)known, (void)n_known, (void)seed, (void)derivative;
    return ERROR;
}
