// Active set method of Lawson & Hanson (1974, ch. 23) on A = H M^-1 H^T: the most violated contact joins
// the closed ones, A z = -q is solved on these, and contacts whose impulse would become negative leave
// again. A contact that joins is violated while the closed ones are at rest, hence independent of them: a
// singular A (four corners of one face) is harmless. Departure: two closed contacts are solved by
// Cramer's rule with exact differences of products (Kahan), so that exchanging two equal contacts
// exchanges their impulses to the last bit.
#include "tamis/contact/small_lcp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tamis {

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

struct ClosedSet {
    int count = 0;
    int index[small_lcp_size];

    void add(int i) { index[count++] = i; }
    void remove_at(int k)
    {
        for (--count; k < count; ++k) index[k] = index[k + 1];
    }
    bool contains(int i) const
    {
        for (int k = 0; k < count; ++k)
            if (index[k] == i) return true;
        return false;
    }
};

// a b - c d within 1.5 units in the last place
double difference_of_products(double a, double b, double c, double d)
{
    const double cd = c * d;
    return std::fma(a, b, -cd) + std::fma(-c, d, cd);
}

// A z = -q on the closed set by L D L^T; false if it is singular to round-off.
bool solve_closed(const SmallMatrix& A, const SmallVector& q, const ClosedSet& closed, double* z)
{
    const int n = closed.count;
    const int* at = closed.index;
    if (n == 1) {
        const double a = A(at[0], at[0]);
        z[0] = a > 0 ? -q[at[0]] / a : 0;
        return a > 0;
    }
    if (n == 2) {
        const double a = A(at[0], at[0]), b = A(at[1], at[1]), c = A(at[0], at[1]);
        const double determinant = difference_of_products(a, b, c, c);
        if (!(determinant > 4 * epsilon * a * b)) return false;
        z[0] = difference_of_products(c, q[at[1]], b, q[at[0]]) / determinant;
        z[1] = difference_of_products(c, q[at[0]], a, q[at[1]]) / determinant;
        return true;
    }
    double L[small_lcp_size][small_lcp_size], D[small_lcp_size];
    for (int i = 0; i < n; ++i) {
        D[i] = A(at[i], at[i]);
        z[i] = -q[at[i]];
        for (int j = 0; j < i; ++j) {
            double product = A(at[i], at[j]); // L_ij D_j
            for (int k = 0; k < j; ++k) product -= L[i][k] * D[k] * L[j][k];
            L[i][j] = product / D[j];
            D[i] -= L[i][j] * product;
            z[i] -= L[i][j] * z[j];
        }
        if (!(D[i] > 4 * n * epsilon * A(at[i], at[i]))) return false;
    }
    for (int i = n - 1; i >= 0; --i) {
        z[i] /= D[i];
        for (int k = i + 1; k < n; ++k) z[i] -= L[k][i] * z[k];
    }
    return true;
}

// The open contact that approaches fastest beyond round-off, or -1.
int most_violated(const SmallMatrix& A, const SmallVector& q, const SmallVector& r, const ClosedSet& closed)
{
    int worst = -1;
    double worst_value = 0;
    for (int i = 0; i < q.size(); ++i) {
        if (closed.contains(i)) continue;
        double u = q[i], magnitude = 0;
        for (int k = 0; k < closed.count; ++k) {
            const double term = A(i, closed.index[k]) * r[closed.index[k]];
            u += term;
            magnitude += std::abs(term);
        }
        if (u < worst_value && u < -16 * epsilon * magnitude) {
            worst = i;
            worst_value = u;
        }
    }
    return worst;
}

} // namespace

bool solve_small_lcp(const SmallMatrix& A, const SmallVector& q, SmallVector& r)
{
    const int n = static_cast<int>(q.size());
    r.setZero(n);
    ClosedSet closed;
    double z[small_lcp_size];
    for (int pass = 0; pass < 4 * small_lcp_size; ++pass) {
        const int entering = most_violated(A, q, r, closed);
        if (entering < 0) return true;
        closed.add(entering);
        for (;;) {
            if (!solve_closed(A, q, closed, z)) return false;
            // Go from r towards z until the first impulse vanishes.
            double fraction = 1;
            int leaving = -1;
            for (int k = 0; k < closed.count; ++k) {
                const double r_k = r[closed.index[k]];
                if (z[k] > 0 || r_k >= fraction * (r_k - z[k])) continue;
                fraction = r_k / (r_k - z[k]);
                leaving = k;
            }
            for (int k = 0; k < closed.count; ++k) {
                double& r_k = r[closed.index[k]];
                r_k = leaving < 0 ? z[k] : std::max(r_k + fraction * (z[k] - r_k), 0.0);
            }
            if (leaving < 0) break;
            r[closed.index[leaving]] = 0;
            closed.remove_at(leaving);
            if (closed.count == 0) break;
        }
    }
    return false;
}

} // namespace tamis
