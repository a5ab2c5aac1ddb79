/* A master of FMI 2.0 in plain C, that knows the standard and nothing of Tamis:
 *
 *     fmu_master FOLDER STEPS H [NAME=VALUE]
 *
 * takes an FMU unpacked in a folder, shakes its marker along x, each step twice, and prints the force of every step. */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void* Component;
typedef void* State;
typedef unsigned Reference;
typedef struct {
    void (*logger)(void* environment, const char* instance, int status, const char* category,
                   const char* format, ...);
    void* (*allocate)(size_t count, size_t size);
    void (*release)(void* memory);
    void (*step_finished)(void* environment, int status);
    void* environment;
} Callbacks;

typedef Component Instantiate(const char* instance, int type, const char* guid, const char* resources,
                              const Callbacks* callbacks, int visible, int logging);
typedef int SetupExperiment(Component, int has_tolerance, double tolerance, double start, int has_stop,
                            double stop);
typedef int Plain(Component);
typedef void Release(Component);
typedef int GetReal(Component, const Reference[], size_t, double[]);
typedef int SetReal(Component, const Reference[], size_t, const double[]);
typedef int DoStep(Component, double t, double H, int no_going_back);
typedef int GetState(Component, State*);
typedef int SetState(Component, State);

static void stop(const char* why, const char* of)
{
    fprintf(stderr, "fmu_master: %s %s\n", why, of);
    exit(1);
}

static void log_to_stderr(void* environment, const char* instance, int status, const char* category,
                          const char* format, ...)
{
    va_list arguments;
    (void)environment;
    fprintf(stderr, "%s (%d, %s): ", instance, status, category);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}

static char* text_of(const char* path)
{
    static char text[1 << 20]; /* of one file */
    FILE* file = fopen(path, "rb");
    if (!file) stop("cannot read", path);
    if (fread(text, 1, sizeof text - 1, file) == 0) stop("nothing in", path);
    fclose(file);
    return text;
}

/* The value of an attribute behind a place of a text. */
static char* attribute(const char* text, const char* name)
{
    static char all[1 << 16]; /* values of the attributes that were asked for */
    static size_t used;
    char key[64], *value = all + used;
    const char* from;
    size_t length;
    snprintf(key, sizeof key, " %s=\"", name);
    from = text ? strstr(text, key) : NULL;
    if (!from) stop("no attribute", name);
    from += strlen(key);
    length = strcspn(from, "\"");
    if (length >= sizeof all - used) stop("no room for", name);
    memcpy(value, from, length);
    used += length + 1; /* a zero follows */
    return value;
}

static Reference reference_of(const char* description, const char* variable)
{
    char key[128];
    snprintf(key, sizeof key, "<ScalarVariable name=\"%s\"", variable);
    return (Reference)strtoul(attribute(strstr(description, key), "valueReference"), NULL, 10);
}

static void* library;
static void* function(const char* name)
{
    void* found = dlsym(library, name);
    if (!found) stop("no function", name);
    return found;
}
/* ISO C has no conversion from void* to a function, POSIX has: by way of the bits. */
#define FUNCTION(Type, variable, name)                                                                       \
    Type* variable;                                                                                          \
    do {                                                                                                     \
        void* found = function(name);                                                                        \
        memcpy(&variable, &found, sizeof found);                                                             \
    } while (0)

static void check(int status, const char* call)
{
    if (status != 0) stop("not ok:", call);
}

int main(int argc, char** argv)
{
    const Callbacks callbacks = {log_to_stderr, calloc, free, NULL, NULL};
    char path[4096], *description, *equals;
    Reference inputs[2], outputs[3];
    Component fmu;
    State state = NULL;
    int steps, k, i;
    double H;

    if (argc < 4) stop("usage:", "FOLDER STEPS H [NAME=VALUE]");
    steps = atoi(argv[2]);
    H = atof(argv[3]);
    snprintf(path, sizeof path, "%s/modelDescription.xml", argv[1]);
    description = text_of(path);
    inputs[0] = reference_of(description, "position.x");
    inputs[1] = reference_of(description, "velocity.x");
    outputs[0] = reference_of(description, "force.x");
    outputs[1] = reference_of(description, "force.y");
    outputs[2] = reference_of(description, "force.z");

    snprintf(path, sizeof path, "%s/binaries/linux64/%s.so", argv[1],
             attribute(strstr(description, "<CoSimulation"), "modelIdentifier"));
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) stop("cannot load", dlerror());
    FUNCTION(Instantiate, instantiate, "fmi2Instantiate");
    FUNCTION(SetupExperiment, setup, "fmi2SetupExperiment");
    FUNCTION(Plain, enter, "fmi2EnterInitializationMode");
    FUNCTION(Plain, leave, "fmi2ExitInitializationMode");
    FUNCTION(Plain, terminate, "fmi2Terminate");
    FUNCTION(GetReal, get, "fmi2GetReal");
    FUNCTION(SetReal, set, "fmi2SetReal");
    FUNCTION(DoStep, step, "fmi2DoStep");
    FUNCTION(GetState, get_state, "fmi2GetFMUstate");
    FUNCTION(SetState, set_state, "fmi2SetFMUstate");
    FUNCTION(Release, release, "fmi2FreeInstance");
    FUNCTION(GetState, free_state, "fmi2FreeFMUstate");

    snprintf(path, sizeof path, "file://%s/resources", argv[1]);
    fmu = instantiate("one", 1, attribute(description, "guid"), path, &callbacks, 0, 0);
    if (!fmu) stop("no instance of", argv[1]);
    if (argc > 4 && (equals = strchr(argv[4], '=')) != NULL) {
        const double value = atof(equals + 1);
        Reference parameter;
        *equals = '\0';
        parameter = reference_of(description, argv[4]);
        check(set(fmu, &parameter, 1, &value), "fmi2SetReal");
    }
    check(setup(fmu, 0, 0, 0, 0, 0), "fmi2SetupExperiment");
    check(enter(fmu), "fmi2EnterInitializationMode");
    {
        const double start[2] = {0, 0.01 * 60};
        check(set(fmu, inputs, 2, start), "fmi2SetReal");
    }
    check(leave(fmu), "fmi2ExitInitializationMode");
    for (k = 0; k < steps; ++k) {
        double force[2][3], motion[2];
        check(get_state(fmu, &state), "fmi2GetFMUstate");
        for (i = 0; i < 2; ++i) { /* elsewhere first, as an iteration does */
            const double t = (k + 1) * H;
            motion[0] = 0.01 * sin(60 * t) + (i == 0 ? 1e-3 * (k % 2 ? -1 : 1) : 0);
            motion[1] = 0.01 * 60 * cos(60 * t);
            if (i == 1) check(set_state(fmu, state), "fmi2SetFMUstate");
            check(set(fmu, inputs, 2, motion), "fmi2SetReal");
            check(step(fmu, k * H, H, 0), "fmi2DoStep");
            check(get(fmu, outputs, 3, force[i]), "fmi2GetReal");
        }
        printf("%.17g %.17g %.17g\n", force[1][0], force[1][1], force[1][2]);
    }
    check(free_state(fmu, &state), "fmi2FreeFMUstate");
    check(terminate(fmu), "fmi2Terminate");
    release(fmu);
    return 0;
}
