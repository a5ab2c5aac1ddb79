// Impulses x = (mu r_n, r_t) and velocities y = (w_n / mu + |w_t|, w_t) both lie in the Lorentz cone, and
// x o y = nu e with nu -> 0. With the Nesterov-Todd metric N x = y and e the error of y, a step is
//
//     (Q (W + R) + N) dr = c - Q e,     c = nu x^-1 - y,     Q = I + mu n (y_t / |y_t|)^T
//
// where Q holds the derivative of De Saxce's shift mu |w_t|. With W = G M^-1 G^T and S = N + Q R it becomes
//
//     (M + G^T S^-1 Q G) dv = G^T S^-1 (c - Q e),     dr = S^-1 (c - Q (e + G dv))
//
// six rows per body, however many contacts there are, and never singular because some of them are redundant.
// Source: Acary, Armand, Nguyen & Shpakovych (2024) for the convex problem without the shift. Departures: the
// shift is kept, because taken from the iterate before it makes the method creep; the predictor chooses the
// centring but has no second-order correction. Iterates stall where contacts are about to slide, at residuals
// near 1e-4, but then the load has found its way through the bed and sweeps do the rest.
//
// A general block, whose mass matrix the problem does not hold, takes part by velocities Z z that its
// contacts can cause: Z has columns of Y^T, and M Z the same columns of H^T.
#include "tamis/contact/interior_point.hpp"

#include "tamis/contact/second_order_cone.hpp"

#include <Eigen/Dense>
#include <Eigen/SparseLU>
#include <algorithm>

namespace tamis {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

constexpr int most_factorisations = 60;
constexpr double short_step = 0.01; // so many of these in a row end the method
constexpr int most_short_steps = 5;

} // namespace

// M + G^T D G over the blocks that can move.
struct InteriorPoint::System {
    using Map = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
    struct Side {
        int block = -1; // of the system
        Map G;
    };
    struct Link { // a contact
        Side side[2];
        double mu, lift;  // lift: mu, or 1 without friction, where x_t = y_t = 0
        double scale = 1; // sqrt(tr (W_aa + R) / 3)
        Vector3d x, y, dx, dy, error, c;
        Matrix3d N = Matrix3d::Zero(), S_inverse = N, Q = N;

        Vector3d times_velocity(const System& system, const VectorXd& v) const
        {
            Vector3d u = Vector3d::Zero();
            for (const Side& s : side)
                if (s.block >= 0) u += s.G * v.segment(system.first[s.block], s.G.cols());
            return u;
        }
    };

    explicit System(const ContactProblem& problem);
    bool factorise();
    double aim(double nu); // directions dx, dy towards x o y = nu e; the longest step inside the cones
    void number_blocks(const ContactProblem& problem);
    void make_links(const ContactProblem& problem);
    template <class Add>
    void visit(const Add& add) const; // add(row block, column block, matrix) for all parts of the matrix

    std::vector<int> number;    // of each block of the problem in the system, -1: does not move
    std::vector<MatrixXd> mass; // of each block of the system
    std::vector<int> first;     // its first unknown
    std::vector<MatrixXd> Z;    // of each general block
    std::vector<Link> links;
    int size = 0;
    Eigen::SparseMatrix<double> A;
    Eigen::SparseLU<Eigen::SparseMatrix<double>> factor;
};

InteriorPoint::System::System(const ContactProblem& problem)
{
    number_blocks(problem);
    make_links(problem);
    std::vector<Eigen::Triplet<double>> entries;
    visit([&](int i, int j, const MatrixXd& B) {
        for (int c = 0; c < B.cols(); ++c)
            for (int r = 0; r < B.rows(); ++r) entries.emplace_back(first[i] + r, first[j] + c, 0.0);
    });
    A.resize(size, size);
    A.setFromTriplets(entries.begin(), entries.end());
    factor.analyzePattern(A);
}

void InteriorPoint::System::number_blocks(const ContactProblem& problem)
{
    number.assign(problem.blocks(), -1);
    Z.resize(problem.general());
    const auto take = [&](int block, const MatrixXd& M) {
        number[block] = static_cast<int>(mass.size());
        first.push_back(size);
        size += static_cast<int>(M.rows());
        mass.push_back(M);
    };
    for (int g = 0; g < problem.general(); ++g) {
        const int n = problem.block_size(g);
        std::vector<double> H, Y;
        for (const Contact& contact : problem.contacts)
            for (const Contact::Side& side : contact.side) {
                if (side.block != g) continue;
                const auto end = side.map + contact.active_rows() * n;
                H.insert(H.end(), problem.H.begin() + side.map, problem.H.begin() + end);
                Y.insert(Y.end(), problem.Y.begin() + side.map, problem.Y.begin() + end);
            }
        if (H.empty() || n == 0) continue;
        const int rows = static_cast<int>(H.size()) / n;
        const Eigen::Map<MatrixXd> H_columns(H.data(), n, rows), Y_columns(Y.data(), n, rows);
        const Eigen::ColPivHouseholderQR<MatrixXd> qr(Y_columns);
        const int rank = static_cast<int>(qr.rank());
        if (rank == 0) continue;
        Z[g].resize(n, rank);
        MatrixXd MZ(n, rank);
        for (int k = 0; k < rank; ++k) {
            const int chosen = qr.colsPermutation().indices()[k];
            Z[g].col(k) = Y_columns.col(chosen);
            MZ.col(k) = H_columns.col(chosen);
        }
        take(g, Z[g].transpose() * MZ);
    }
    for (const Contact& contact : problem.contacts)
        for (const Contact::Side& side : contact.side) {
            if (side.block < 0 || !problem.is_rigid(side.block) || number[side.block] >= 0) continue;
            const RigidBlock& body = problem.rigid[side.block - problem.general()];
            if (body.inverse_mass == 0) continue;
            MatrixXd M = MatrixXd::Zero(6, 6);
            M.diagonal().head<3>().setConstant(1 / body.inverse_mass);
            M.bottomRightCorner<3, 3>() = body.inverse_inertia.inverse();
            take(side.block, M);
        }
}

// With a start of x and y in the middle of their cones, as large as the free velocities suggest.
void InteriorPoint::System::make_links(const ContactProblem& problem)
{
    links.resize(problem.contacts.size());
    double unit = 0;
    for (std::size_t a = 0; a < links.size(); ++a) {
        const Contact& contact = problem.contacts[a];
        Link& link = links[a];
        link.mu = contact.friction;
        link.lift = contact.friction > 0 ? contact.friction : 1;
        const int m = contact.active_rows();
        for (int s = 0; s < 2; ++s) {
            const int block = contact.side[s].block;
            if (block < 0 || number[block] < 0) continue;
            Side& side = link.side[s];
            side.block = number[block];
            side.G = Map::Zero(3, mass[side.block].rows());
            if (problem.is_rigid(block)) {
                for (int row = 0; row < m; ++row) side.G.row(row) = problem.rigid_row(contact, s, row);
            } else {
                const Eigen::Map<const Map> H(problem.H.data() + contact.side[s].map, 3,
                                              problem.block_size(block));
                side.G.topRows(m) = H.topRows(m) * Z[block];
            }
        }
        const double trace =
            problem.local_delassus(contact).trace() + contact.compliance[0] + 2 * contact.compliance[1];
        if (!(trace > 0)) continue;
        link.scale = std::sqrt(trace / 3);
        Vector3d u = Vector3d::Zero();
        for (int row = 0; row < m; ++row) u[row] = problem.relative_velocity(contact, row);
        u[0] += contact.bias[0];
        for (int row = 1; row < m; ++row) u[row] += contact.bias[row];
        unit += u.squaredNorm() / (link.scale * link.scale) / static_cast<double>(links.size());
    }
    unit = unit > 0 ? std::sqrt(unit) : 1;
    for (Link& link : links) {
        link.x = unit / link.scale * Vector3d::UnitX();
        link.y = unit * link.scale * Vector3d::UnitX();
    }
}

template <class Add>
void InteriorPoint::System::visit(const Add& add) const
{
    for (std::size_t b = 0; b < mass.size(); ++b) add(b, b, mass[b]);
    for (const Link& link : links)
        for (const Side& a : link.side)
            for (const Side& b : link.side)
                if (a.block >= 0 && b.block >= 0)
                    add(a.block, b.block, a.G.transpose() * (link.S_inverse * link.Q) * b.G);
}

bool InteriorPoint::System::factorise()
{
    std::fill(A.valuePtr(), A.valuePtr() + A.nonZeros(), 0.0);
    visit([&](int i, int j, const MatrixXd& B) {
        for (int c = 0; c < B.cols(); ++c) {
            const int *rows = A.innerIndexPtr(), *column = A.outerIndexPtr() + first[j] + c;
            const auto place = std::lower_bound(rows + column[0], rows + column[1], first[i]) - rows;
            for (int r = 0; r < B.rows(); ++r) A.valuePtr()[place + r] += B(r, c);
        }
    });
    factor.factorize(A);
    return factor.info() == Eigen::Success;
}

double InteriorPoint::System::aim(double nu)
{
    VectorXd b = VectorXd::Zero(size);
    for (Link& link : links) {
        link.c = cone_inverse(link.x, nu) - link.y;
        link.c[0] *= link.lift;
        const Vector3d d = link.S_inverse * (link.c - link.Q * link.error);
        for (const Side& side : link.side)
            if (side.block >= 0) b.segment(first[side.block], side.G.cols()) += side.G.transpose() * d;
    }
    const VectorXd dv = factor.solve(b);
    if (!dv.allFinite()) return 0;
    double step = std::numeric_limits<double>::max();
    for (Link& link : links) {
        link.dx = link.S_inverse * (link.c - link.Q * (link.error + link.times_velocity(*this, dv)));
        link.dy = link.c - link.N * link.dx;
        link.dx[0] *= link.lift;
        link.dy[0] /= link.lift;
        step = std::min({step, step_to_boundary(link.x, link.dx), step_to_boundary(link.y, link.dy)});
    }
    return step;
}

InteriorPoint::InteriorPoint(int threads) : sweeps_({.threads = threads}) {}
InteriorPoint::~InteriorPoint() = default;

int InteriorPoint::approach(ContactProblem& problem)
{
    problem.v = problem.v_free;
    system_ = std::make_unique<System>(problem);
    std::vector<System::Link>& links = system_->links;
    const std::size_t n = links.size();
    double nu_per_error = 0; // at the start
    for (int count = 0, short_steps = 0;; ++count) {
        double nu = 0;
        for (std::size_t a = 0; a < n; ++a) {
            const System::Link& link = links[a];
            problem.contacts[a].r = Vector3d(link.x[0] / link.lift, link.x[1], link.x[2]);
            nu += link.x.dot(link.y) / static_cast<double>(n);
        }
        problem.rebuild_velocities();
        if (stop.satisfied(residual(problem)) || count == most_factorisations ||
            short_steps == most_short_steps)
            return count;
        for (std::size_t a = 0; a < n; ++a) {
            System::Link& link = links[a];
            const Contact& contact = problem.contacts[a];
            const double slip = link.y.tail<2>().norm();
            link.error = {contact.bias[0] - link.lift * link.y[0] + link.mu * slip, -link.y[1], -link.y[2]};
            for (int row = 0; row < contact.active_rows(); ++row) {
                link.error[row] += problem.relative_velocity(contact, row);
                link.error[row] +=
                    (row > 0 ? contact.bias[row] : 0) + contact.compliance_of(row) * contact.r[row];
            }
            link.N = cone_metric(link.x, link.y);
            link.N.row(0) *= link.lift;
            link.N.col(0) *= link.lift;
            link.Q = Matrix3d::Identity();
            if (slip > 0) link.Q.block<1, 2>(0, 1) = link.mu / slip * link.y.tail<2>().transpose();
            Matrix3d S = link.N;
            if (contact.compliant())
                for (int row = 0; row < contact.active_rows(); ++row)
                    S.col(row) += link.Q.col(row) * contact.compliance_of(row);
            link.S_inverse = S.inverse();
        }
        if (!system_->factorise()) return count;
        // Complementarity must not run ahead of the error: x would freeze before it has grown to the load.
        double error = 0;
        for (const System::Link& link : links) error += (link.error / link.scale).squaredNorm();
        error = std::sqrt(error);
        if (count == 0 && error > 0) nu_per_error = nu / error;
        const double predicted = std::min(system_->aim(0), 1.0);
        const double centring = std::max(std::pow(1 - predicted, 3), 1e-4);
        const double target = std::max(centring * nu, std::min(nu_per_error * error, 10 * nu));
        const double step = std::min(0.99 * system_->aim(target), 1.0);
        if (!(step > 0)) return count;
        short_steps = step < short_step ? short_steps + 1 : 0;
        for (System::Link& link : links) {
            link.x = push_inside_cone(link.x + step * link.dx);
            link.y = push_inside_cone(link.y + step * link.dy);
        }
    }
}

SolverReport InteriorPoint::solve(ContactProblem& problem)
{
    SolverReport report{.status = SolverStatus::iteration_limit};
    const bool suits = std::all_of(problem.contacts.begin(), problem.contacts.end(),
                                   [](const Contact& c) { return c.law == Law::contact; });
    problem.rebuild_velocities();
    report.residual = residual(problem);
    if (stop.satisfied(report.residual)) {
        report.satisfied();
    } else if (suits && std::isfinite(report.residual.natural_max)) {
        const int factorisations = approach(problem);
        // Cones of contacts on which nothing moves degenerate; impulses there have no effect.
        for (Contact& contact : problem.contacts)
            if (!contact.r.allFinite()) contact.r.setZero();
        sweeps_.stop = stop;
        report = sweeps_.solve(problem);
        report.sweeps += factorisations;
    }
    report.solver = "interior";
    return report;
}

} // namespace tamis
