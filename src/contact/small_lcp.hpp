// Linear complementarity problem of a few frictionless contacts, solved directly:
//
//     r >= 0,  A r + q >= 0,  r.(A r + q) = 0,  A symmetric positive semidefinite
#pragma once

#include <Eigen/Core>

namespace tamis {

constexpr int small_lcp_size = 8;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, small_lcp_size, small_lcp_size>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, small_lcp_size, 1>;

// False if no solution was found: A is singular and the contacts contradict each other, or round-off decides.
bool solve_small_lcp(const SmallMatrix& A, const SmallVector& q, SmallVector& r);

} // namespace tamis
