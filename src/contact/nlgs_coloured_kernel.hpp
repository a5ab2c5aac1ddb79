// The data of the coloured solver as its kernels see them, and the kernels for each instruction set. Plain
// data only: the kernels are compiled with flags that the rest of the library must not see.
#pragma once

namespace tamis {

// Manifolds of different bodies, solved together, one per lane. A line of memory
// holds one number of all lanes.
template <class T, int width = 64 / sizeof(T)>
struct ContactBatch {
    static constexpr int lanes = width;
    int row[2][lanes]; // of the bodies in Bed; of an empty lane, a body that does not move
    long start;        // of the points in Bed
    int points;        // of the longest manifold; shorter ones are filled up with points that do nothing
    bool rolling;      // the points have rolling resistance
    bool compliant;    // they have compliance or a tangential bias
    bool isotropic;    // all bodies have
};

template <class T, int width = 64 / sizeof(T)>
struct ContactBed {
    T* line;          // v, 1/m, w, 1/I of each body: 8 numbers
    const T* inertia; // inverse, xx yy zz xy xz yz 0 0
    T* point;         // PointField of each point, `lanes` numbers each
    const ContactBatch<T, width>* batch;
    int moving; // rows below are written
};

// Sums over batches, kept apart by lane so that they do not depend on the width of the registers.
template <class T>
struct BatchChange {
    alignas(64) T largest[ContactBatch<T>::lanes], change[ContactBatch<T>::lanes],
        impulse[ContactBatch<T>::lanes];
};

template <class T>
struct BatchKernels {
    // Batches begin .. end - 1; `change`: added to, unless null.
    void (*sweep)(const ContactBed<T>& bed, int begin, int end, BatchChange<T>* change);
    // Fills in the steps of their points.
    void (*prepare)(const ContactBed<T>& bed, int begin, int end);
};

// Contacts with friction between rigid bodies, or a body and the ground: their numbers, one contact a lane.
struct ResidualPack {
    static constexpr int lanes = 8;
    alignas(64) double frame[9][lanes]; // columns n, t1, t2
    double arm[2][3][lanes], v[2][6][lanes], inverse_mass[2][lanes], J[2][9][lanes];
    double friction[lanes], bias[3][lanes], compliance[2][lanes], drift[3][lanes], r[3][lanes];
    // Found: |r - P(r - rho w^)|, max(-w_n, 0), rho, sum of the magnitudes in w, |w|^2, |r|^2.
    double natural[lanes], approach[lanes], rho[lanes], magnitude[lanes], square[lanes], impulse[lanes];
};

struct ContactKernels {
    const char* name;
    BatchKernels<double> in_double;
    BatchKernels<float> in_float;
    void (*check)(ResidualPack& pack);
};
extern const ContactKernels contact_kernels_scalar, contact_kernels_sse2, contact_kernels_avx2,
    contact_kernels_avx512;

// The widest that this machine has, or the one named by the environment variable TAMIS_SIMD.
const ContactKernels& contact_kernels();
// By name; null if this machine cannot run it.
const ContactKernels* contact_kernels(const char* name);

} // namespace tamis
