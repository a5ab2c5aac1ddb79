/* The body of body.h as an FMU of FMI 2.0, or 3.0 with -DFMI=3, which makes the trouble that it is asked for. */
#include "body.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { OK, WARNING, DISCARD, ERROR, FATAL };
enum { /* value references, as in body_fmu.hpp */
       X = 0,
       V = 3,
       A = 6,
       Q = 9,
       W = 13,
       FORCE = 16,
       MOMENT = 19,
       MASS = 22, /* and five more parameters */
       AT = 28,
       LENGTH_UNIT = 29,
       FORCE_UNIT = 30,
       ANGLE = 31,
       TROUBLE = 40,
       LOUD = 41,
       WORD = 42,
       ARRAYS = 100 /* x, v, q, w, force, moment */
};
enum {
    NONE,
    LIES,      /* goes back to a saved state, but for its velocity */
    FAILS,     /* the step that passes AT: with an error, */
    DIES,      /* a fatal error, */
    DISCARDS,  /* a discard, */
    IS_NAN,    /* or gives no number, */
    ENDS,      /* or, FMI 3.0: ends the simulation, */
    RETURNS,   /* returns early, */
    HAS_EVENT, /* or asks for event mode */
    IS_BRITTLE /* a step fails under a force of more than AT */
};

#if FMI == 3
typedef void (*Log)(void* environment, int status, const char* category, const char* message);
typedef bool Boolean;
#define NAME(name3, name2) fmi3##name3
#define N_VALUES , size_t n_values
#define ONE_MORE (void)n_values
#else
typedef struct {
    void (*log)(void* environment, const char* instance, int status, const char* category,
                const char* message, ...);
    void* (*allocate)(size_t count, size_t size);
    void (*free)(void* memory);
    void (*step_finished)(void* environment, int status);
    void* environment;
} Callbacks;
typedef int Boolean;
#define NAME(name3, name2) fmi2##name2
#define N_VALUES
#define ONE_MORE (void)0
#endif

typedef struct {
    BodyState body;
    double at, length_unit, force_unit;
    int trouble;
    bool loud;
#if FMI == 3
    Log log;
    void* environment;
#else
    Callbacks callbacks;
#endif
} Fmu;

static void say(const Fmu* f, int status, const char* words)
{
#if FMI == 3
    f->log(f->environment, status, "body", words);
#else
    f->callbacks.log(f->callbacks.environment, "body", status, "body", "%s", words);
#endif
}

static Fmu* new_fmu(const char* token)
{
    Fmu* f = strcmp(token, "body-token") == 0 ? calloc(1, sizeof *f) : NULL;
    if (!f) return NULL;
    f->body = body_at_start();
    f->length_unit = f->force_unit = 1;
    f->at = 1e9;
    return f;
}

EXPORT const char* NAME(GetVersion, GetVersion)(void)
{
    return FMI == 3 ? "3.0" : "2.0";
}

#if FMI == 3
EXPORT void* fmi3InstantiateCoSimulation(const char* name, const char* token, const char* resources,
                                         bool visible, bool logging, bool events, bool early,
                                         const uint32_t* required, size_t n, void* environment, Log log,
                                         void* update)
{
    Fmu* f;
    (void)name, (void)resources, (void)visible, (void)required, (void)n, (void)update;
    if (events || early) return NULL;
    f = new_fmu(token);
    if (!f) {
        log(environment, ERROR, "body", "I am another body");
        return NULL;
    }
    f->log = log;
    f->environment = environment;
    f->loud = logging;
    return f;
}
#else
EXPORT const char* fmi2GetTypesPlatform(void)
{
    return "default";
}
EXPORT void* fmi2Instantiate(const char* name, int type, const char* token, const char* resources,
                             const Callbacks* callbacks, int visible, int logging)
{
    Fmu* f;
    (void)resources, (void)visible;
    f = type == 1 ? new_fmu(token) : NULL;
    if (!f) {
        callbacks->log(callbacks->environment, name, ERROR, "body", "I am another body");
        return NULL;
    }
    f->callbacks = *callbacks;
    f->loud = logging;
    return f;
}
EXPORT int fmi2SetupExperiment(void* o, int has, double tolerance, double start, int has_stop, double stop)
{
    (void)has, (void)tolerance, (void)has_stop, (void)stop;
    ((Fmu*)o)->body.t = start;
    return OK;
}
#endif
EXPORT void NAME(FreeInstance, FreeInstance)(void* o)
{
    free(o);
}
#if FMI == 3
EXPORT int fmi3EnterInitializationMode(void* o, bool has, double tolerance, double start, bool has_stop,
                                       double stop)
{
    (void)has, (void)tolerance, (void)has_stop, (void)stop;
    ((Fmu*)o)->body.t = start;
    return OK;
}
#else
EXPORT int fmi2EnterInitializationMode(void* o)
{
    (void)o;
    return OK;
}
#endif
EXPORT int NAME(ExitInitializationMode, ExitInitializationMode)(void* o)
{
    if (((Fmu*)o)->loud) say(o, OK, "I am at the start");
    return OK;
}
EXPORT int NAME(Terminate, Terminate)(void* o)
{
    (void)o;
    return OK;
}

/* The numbers of a reference, and their unit. */
static double* place(Fmu* f, unsigned r, size_t* n, double* unit)
{
    BodyState* b = &f->body;
    double* const arrays[] = {b->x, b->v, b->q, b->w, b->force, b->moment};
    static const unsigned first[] = {X, V, Q, W, FORCE, MOMENT};
    const bool array = r >= ARRAYS && r < ARRAYS + 6;
    *n = array ? (r - ARRAYS == 2 ? 4 : 3) : 1;
    if (array) r = first[r - ARRAYS];
    *unit = r < Q ? f->length_unit : r >= FORCE && r < MOMENT ? f->force_unit : 1;
    if (array)
        return arrays[(r == X) ? 0 : (r == V) ? 1 : (r == Q) ? 2 : (r == W) ? 3 : (r == FORCE) ? 4 : 5];
    if (r < V) return &b->x[r - X];
    if (r < A) return &b->v[r - V];
    if (r < Q) return &b->a[r - A];
    if (r < W) return &b->q[r - Q];
    if (r < FORCE) return &b->w[r - W];
    if (r < MOMENT) return &b->force[r - FORCE];
    if (r < MASS) return &b->moment[r - MOMENT];
    switch (r) {
    case MASS:
        return &b->mass;
    case MASS + 1:
        return &b->inertia;
    case MASS + 2:
        return &b->stiffness;
    case MASS + 3:
        return &b->damping;
    case MASS + 4:
        return &b->amplitude;
    case MASS + 5:
        return &b->frequency;
    case AT:
        return &f->at;
    case LENGTH_UNIT:
        return &f->length_unit;
    case FORCE_UNIT:
        return &f->force_unit;
    default:
        return NULL;
    }
}

EXPORT int NAME(GetFloat64, GetReal)(void* o, const unsigned r[], size_t n, double value[] N_VALUES)
{
    Fmu* f = o;
    ONE_MORE;
    body_accelerations(&f->body);
    for (size_t i = 0; i < n; ++i) {
        size_t size = 1;
        double unit = 1;
        const double* from;
        if (r[i] == ANGLE) { /* about z, in degrees */
            *value++ = 2 * atan2(f->body.q[3], f->body.q[0]) * 180 / 3.14159265358979323846;
            continue;
        }
        from = place(f, r[i], &size, &unit);
        if (!from) return ERROR;
        for (size_t k = 0; k < size; ++k)
            *value++ = f->trouble == IS_NAN && f->body.t > f->at ? NAN : from[k] / unit;
    }
    return OK;
}
EXPORT int NAME(SetFloat64, SetReal)(void* o, const unsigned r[], size_t n, const double value[] N_VALUES)
{
    ONE_MORE;
    for (size_t i = 0; i < n; ++i) {
        size_t size;
        double unit;
        double* to = place(o, r[i], &size, &unit);
        if (!to || (r[i] >= MASS && r[i] < AT && !(*value >= 0))) {
            say(o, ERROR, "I take no negative values");
            return ERROR;
        }
        for (size_t k = 0; k < size; ++k) to[k] = *value++ * unit;
    }
    return OK;
}
EXPORT int NAME(SetInt32, SetInteger)(void* o, const unsigned r[], size_t n, const int value[] N_VALUES)
{
    ONE_MORE;
    if (n != 1 || r[0] != TROUBLE) return ERROR;
    ((Fmu*)o)->trouble = value[0];
    return OK;
}
EXPORT int NAME(SetBoolean, SetBoolean)(void* o, const unsigned r[], size_t n, const Boolean value[] N_VALUES)
{
    ONE_MORE;
    if (n != 1 || r[0] != LOUD) return ERROR;
    ((Fmu*)o)->loud = value[0];
    return OK;
}
EXPORT int NAME(SetString, SetString)(void* o, const unsigned r[], size_t n,
                                      const char* const value[] N_VALUES)
{
    ONE_MORE;
    if (n != 1 || r[0] != WORD) return ERROR;
    say(o, OK, value[0]);
    return OK;
}

#if FMI == 3
EXPORT int fmi3DoStep(void* o, double t, double h, bool final, bool* event, bool* ends, bool* early,
                      double* last)
#else
EXPORT int fmi2DoStep(void* o, double t, double h, int final)
#endif
{
    Fmu* f = o;
    const bool passes = t + h > f->at;
    (void) final;
    if (fabs(t - f->body.t) > 1e-9) {
        say(f, ERROR, "my time is another one");
        return ERROR;
    }
#if FMI == 3
    *event = passes && f->trouble == HAS_EVENT;
    *ends = passes && f->trouble == ENDS;
    *early = passes && f->trouble == RETURNS;
    *last = *event || *ends || *early ? f->at : t + h;
#endif
    if (passes && f->trouble >= FAILS && f->trouble <= DISCARDS) {
        say(f, WARNING, "I have had enough");
        return f->trouble == FAILS ? ERROR : f->trouble == DIES ? FATAL : DISCARD;
    }
    if (f->trouble == IS_BRITTLE && fabs(f->body.force[0]) > f->at) {
        say(f, WARNING, "too much force");
        return ERROR;
    }
    body_step(&f->body, h);
    return OK;
}

#ifndef NO_STATES
EXPORT int NAME(GetFMUState, GetFMUstate)(void* o, void** state)
{
    if (!*state) *state = malloc(sizeof(BodyState));
    if (!*state) return ERROR;
    *(BodyState*)*state = ((Fmu*)o)->body;
    return OK;
}
EXPORT int NAME(SetFMUState, SetFMUstate)(void* o, void* state)
{
    BodyState* b = &((Fmu*)o)->body;
    const double v = b->v[0];
    *b = *(const BodyState*)state;
    if (((Fmu*)o)->trouble == LIES) b->v[0] = v;
    return OK;
}
EXPORT int NAME(FreeFMUState, FreeFMUstate)(void* o, void** state)
{
    (void)o;
    free(*state);
    *state = NULL;
    return OK;
}
EXPORT int NAME(SerializedFMUStateSize, SerializedFMUstateSize)(void* o, void* state, size_t* size)
{
    (void)o, (void)state;
    *size = sizeof(BodyState) + 3; /* no multiple of anything */
    return OK;
}
EXPORT int NAME(SerializeFMUState, SerializeFMUstate)(void* o, void* state, unsigned char bytes[],
                                                      size_t size)
{
    (void)o;
    if (size != sizeof(BodyState) + 3) return ERROR;
    memcpy(bytes, "fmu", 3);
    memcpy(bytes + 3, state, sizeof(BodyState));
    return OK;
}
EXPORT int NAME(DeserializeFMUState, DeSerializeFMUstate)(void* o, const unsigned char bytes[], size_t size,
                                                          void** state)
{
    if (size != sizeof(BodyState) + 3 || memcmp(bytes, "fmu", 3) != 0) return ERROR;
    if (NAME(GetFMUState, GetFMUstate)(o, state) != OK) return ERROR;
    memcpy(*state, bytes + 3, sizeof(BodyState));
    return OK;
}
#endif
