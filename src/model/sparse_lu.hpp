// LU with partial pivoting of sparse square matrices of one pattern. KLU enters through sparse_lu.cpp only.
#pragma once

#include <memory>

namespace tamis {

class SparseLu {
  public:
    enum class Scaling { none, rows }; // rows: each divided by its largest entry
    // The pattern by columns, which must outlive this: rows[start[j]] .. rows[start[j + 1] - 1] of column j.
    SparseLu(int size, const int* start, const int* rows, Scaling scaling);
    ~SparseLu();

    // Values in the order of `rows`; false: singular.
    bool factorise(const double* values);   // with pivots chosen for them
    bool refactorise(const double* values); // with those of the last factorise(), which takes no memory
    bool solve(double* x);                  // x -> A^-1 x; false: not factorised

  private:
    struct Klu;
    int size_;
    const int *start_, *rows_;
    std::unique_ptr<Klu> klu_;
};

} // namespace tamis
