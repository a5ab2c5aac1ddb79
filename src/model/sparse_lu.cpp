// The symbolic analysis is done once; see sparse_lu.hpp. KLU takes pointers to what it does not change.
#include "tamis/model/sparse_lu.hpp"

#include <klu.h>

namespace tamis {

struct SparseLu::Klu {
    klu_common common;
    klu_symbolic* symbolic = nullptr;
    klu_numeric* numeric = nullptr;
    ~Klu()
    {
        klu_free_numeric(&numeric, &common);
        klu_free_symbolic(&symbolic, &common);
    }
};

SparseLu::SparseLu(int size, const int* start, const int* rows, Scaling scaling)
    : size_(size), start_(start), rows_(rows), klu_(std::make_unique<Klu>())
{
    klu_defaults(&klu_->common);
    if (scaling == Scaling::none) klu_->common.scale = -1; // nor is the pattern checked
    klu_->symbolic = klu_analyze(size, const_cast<int*>(start), const_cast<int*>(rows), &klu_->common);
}

SparseLu::~SparseLu() = default;

bool SparseLu::factorise(const double* values)
{
    klu_free_numeric(&klu_->numeric, &klu_->common);
    if (klu_->symbolic)
        klu_->numeric = klu_factor(const_cast<int*>(start_), const_cast<int*>(rows_),
                                   const_cast<double*>(values), klu_->symbolic, &klu_->common);
    return klu_->numeric != nullptr;
}

bool SparseLu::refactorise(const double* values)
{
    return klu_->numeric &&
           klu_refactor(const_cast<int*>(start_), const_cast<int*>(rows_), const_cast<double*>(values),
                        klu_->symbolic, klu_->numeric, &klu_->common);
}

bool SparseLu::solve(double* x)
{
    return klu_->numeric && klu_solve(klu_->symbolic, klu_->numeric, size_, 1, x, &klu_->common);
}

} // namespace tamis
