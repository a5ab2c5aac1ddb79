#include "tamis/contact/local_problem.hpp"
#include "tamis/io/contact_file.hpp"

#include "tamis/base/error.hpp"
#include "tamis/contact/nlgs.hpp"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace local_problem_test {

using namespace tamis;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

namespace {

// Three blocks of 6, 2 and 6 velocities; contacts between them and to the ground, one of them frictionless.
ContactProblem random_problem()
{
    std::mt19937 generator(7);
    const auto uniform = [&] { return 2 * (generator() / 4294967296.0) - 1; };
    ContactProblem problem;
    problem.general_offset = {0, 6, 8, 14};
    problem.v_free = VectorXd::NullaryExpr(14, uniform);
    std::vector<MatrixXd> inverse_mass;
    for (int b = 0; b < problem.blocks(); ++b) {
        const int n = problem.block_size(b);
        const MatrixXd root = MatrixXd::NullaryExpr(n, n, uniform);
        inverse_mass.push_back(root * root.transpose() + MatrixXd::Identity(n, n));
    }
    const int pairs[][2] = {{0, -1}, {0, 1}, {1, 2}, {-1, 2}, {2, 0}};
    for (const auto& pair : pairs) {
        Contact contact;
        contact.friction = problem.contacts.size() == 2 ? 0 : 0.4;
        contact.bias[0] = 0.1 * uniform();
        contact.drift = Vector3d::NullaryExpr(uniform);
        contact.r = Vector3d::NullaryExpr(uniform);
        if (contact.friction == 0) contact.r.tail<2>().setZero();
        for (int s = 0; s < 2; ++s) {
            if (pair[s] < 0) continue;
            const int n = problem.block_size(pair[s]);
            contact.side[s] = {pair[s], problem.reserve_map(pair[s])};
            using RowMajor = Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor>;
            Eigen::Map<RowMajor> H(problem.H.data() + contact.side[s].map, 3, n);
            Eigen::Map<RowMajor> Y(problem.Y.data() + contact.side[s].map, 3, n);
            H = RowMajor::NullaryExpr(3, n, uniform);
            Y = H * inverse_mass[pair[s]];
        }
        problem.contacts.push_back(contact);
    }
    return problem;
}

constexpr const char* two_contacts = "# a comment\n"
                                     "fc3d 1\n"
                                     "nc 2\n"
                                     "nblocks 2\n"
                                     "B 1 1 2 0 0 0 2 0 0 0 2\n"
                                     "B 0 0 1 2 3 4 5 6 7 8 9 # row by row\n"
                                     "\n"
                                     "q 0 -1 0.5 1e-3\n"
                                     "q 1 1 2 3\n"
                                     "mu 0 0.3\n"
                                     "mu 1 0\n";

std::string error_of(const std::string& text)
{
    try {
        parse_local_problem(text, "file");
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

// The text above with one line replaced.
std::string altered(const std::string& line, const std::string& by)
{
    std::string text = two_contacts;
    return text.replace(text.find(line), line.size(), by);
}

} // namespace

TEST(LocalProblem, TextIsReadByRowsInAnyOrder)
{
    const LocalProblem problem = parse_local_problem(two_contacts, "file");
    ASSERT_EQ(problem.contacts(), 2);
    EXPECT_EQ(problem.row, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(problem.column, (std::vector<int>{0, 1}));
    EXPECT_EQ(problem.block[0](0, 1), 2);
    EXPECT_EQ(problem.block[0](2, 0), 7);
    EXPECT_EQ(problem.diagonal(1), Matrix3d(2 * Matrix3d::Identity()));
    EXPECT_EQ(problem.mu, (std::vector<double>{0.3, 0}));
    EXPECT_EQ(problem.r.norm(), 0); // not given: no guess
    const VectorXd impulses = (VectorXd(6) << 1, 0, -1, 3, 0, 0).finished();
    EXPECT_EQ(problem.velocity(impulses), (VectorXd(6) << -3, -1.5, -2 + 1e-3, 7, 2, 3).finished());
}

TEST(LocalProblem, TextRoundTripIsExact)
{
    LocalProblem rigid = local_form(random_problem());
    rigid.q[0] = 5e-324;
    rigid.q[1] = -0.0;
    rigid.q[2] = 1.7976931348623157e308;
    LocalProblem compliant = rigid;
    compliant.R = {{0, 0}, {1.0 / 3, 5e-324}, {0, 1e300}, {2, 3}, {0.1, 0}};
    for (const LocalProblem& problem : {rigid, compliant}) {
        const std::string text = to_text(problem);
        EXPECT_EQ(text.substr(0, 7),
                  problem.R.empty() ? "fc3d 1\n" : "fc3d 2\n"); // older programs read the first
        const LocalProblem copy = parse_local_problem(text, "text");
        EXPECT_EQ(copy.row, problem.row);
        EXPECT_EQ(copy.column, problem.column);
        EXPECT_EQ(copy.mu, problem.mu);
        EXPECT_EQ(copy.R, problem.R);
        ASSERT_EQ(copy.block.size(), problem.block.size());
        const auto same = [](const auto& a, const auto& b) {
            return a.size() == b.size() && std::memcmp(a.data(), b.data(), sizeof(double) * a.size()) == 0;
        };
        for (std::size_t k = 0; k < copy.block.size(); ++k)
            EXPECT_TRUE(same(copy.block[k], problem.block[k]));
        EXPECT_TRUE(same(copy.q, problem.q));
        EXPECT_TRUE(same(copy.r, problem.r));
    }
}

TEST(LocalProblem, ComplianceNotGivenIsZero)
{
    const std::string text = altered("fc3d 1", "fc3d 2") + "R 1 0.5 0.25\n";
    const LocalProblem problem = parse_local_problem(text, "file");
    EXPECT_EQ(problem.compliance(0), Vector3d(0, 0, 0));
    EXPECT_EQ(problem.compliance(1), Vector3d(0.5, 0.25, 0.25));
    EXPECT_EQ(problem.diagonal(1), Matrix3d(Vector3d(2.5, 2.25, 2.25).asDiagonal()));
    const VectorXd impulses = (VectorXd(6) << 1, 0, -1, 4, 8, 0).finished();
    EXPECT_EQ(problem.velocity(impulses), (VectorXd(6) << -3, -1.5, -2 + 1e-3, 11, 20, 3).finished());
}

TEST(LocalProblem, MalformedTextIsRefusedByLine)
{
    const auto expect = [](const std::string& text, const std::string& message) {
        EXPECT_NE(error_of(text).find(message), std::string::npos) << error_of(text);
    };
    expect("", "file:0: 'fc3d' is expected");
    expect(altered("fc3d 1", "fc3d 3"), "file:2: only versions 1 and 2");
    expect(two_contacts + std::string("R 0 1 1\n"), "file:12: compliance R needs version 2");
    const std::string second = altered("fc3d 1", "fc3d 2");
    expect(second + "R 0 1 -1\n", "file:12: the compliance of contact 0 is negative");
    expect(second + "R 0 1\n", "file:12: 'R' needs two numbers, not ''");
    expect(second + "R 0 1 1\nR 0 1 1\n", "file:13: 'R' of contact 0 is given twice");
    expect(altered("nc 2", "nc two"), "file:3: 'nc' needs a number of contacts, not 'two'");
    expect(altered("nc 2", "nc -1"), "file:3: ");
    expect(altered("nc 2", "nc 2000000000"), "file:3: the file does not hold 2000000000 contacts");
    expect(altered("nblocks 2", "blocks 2"), "file:4: 'nblocks' is expected");
    expect(altered("nblocks 2", "nblocks 3"), "2 blocks of the 3 announced");
    expect(altered("B 1 1", "B 1 2"), "file:5: there is no contact 2 among 2");
    expect(altered("B 1 1", "B 0 0"), "block 0 0 is given twice");
    expect(altered("0 0 2\n", "0 0\n"), "file:5: 'B' needs nine numbers, not ''");
    expect(altered("q 0 -1", "q 0 nan"), "file:8: 'q' needs three numbers, not 'nan'");
    expect(altered("q 0 -1", "q 0 1x"), "file:8: 'q' needs three numbers, not '1x'");
    expect(altered("q 1 1 2 3", "q 1 1 2 3 4"), "file:9: '4' is one word too many");
    expect(altered("q 1", "q 0"), "file:9: 'q' of contact 0 is given twice");
    expect(altered("q 1 1 2 3", "p 1 1 2 3"), "file:9: 'p' is none of B, q, mu, R, r");
    expect(altered("mu 0 0.3", "mu 0 -0.3"), "file:10: the friction of contact 0 is negative");
    expect(altered("mu 1 0\n", ""), "the file ends without 'mu' of contact 1");
    EXPECT_THROW(read_local_problem("no/such/file"), Error);
}

TEST(LocalProblem, NaturalMapOfOneContactIsItsClosedForm)
{
    LocalProblem problem = parse_local_problem("fc3d 1\nnc 1\nnblocks 1\nB 0 0 1 0 0 0 1 0 0 0 1\n"
                                               "q 0 -3 0 4\nmu 0 0.5\n",
                                               "text");
    // From r = 0: z = -(u + mu |u_t| n) = (1, 0, -4), alpha = z_n + mu |z_t| = 3, n = alpha / (1 + mu^2).
    EXPECT_DOUBLE_EQ(relative_natural_map(problem), 2.4 * std::sqrt(1.25) / 5);
    // Sliding: u_n = 0, r_t = -mu r_n u_t / |u_t|.
    problem.r << 3, 0, -1.5;
    EXPECT_EQ(relative_natural_map(problem), 0);
    problem.q.setZero();
    problem.r.setZero();
    EXPECT_EQ(relative_natural_map(problem), 0);
}

TEST(LocalProblem, LocalFormHasTheVelocitiesOfTheProblem)
{
    ContactProblem problem = random_problem();
    problem.contacts[1].compliance = {0.3, 0.7};
    problem.contacts[1].bias = {0.1, -0.2, 0.3};
    problem.contacts[2].compliance = {0.4, 0.5}; // without friction
    problem.rebuild_velocities();
    const LocalProblem local = local_form(problem);
    ASSERT_EQ(local.contacts(), 5);
    EXPECT_EQ(local.column.size(), 19u); // all pairs but those of contacts 0-2, 0-3 and 1-3
    for (int a = 0; a < 5; ++a) {
        const Contact& contact = problem.contacts[a];
        Vector3d u = contact.law_velocity(problem.relative_velocity(contact));
        if (contact.friction == 0) u.tail<2>().setZero();
        EXPECT_LT((local.velocity(a, local.r) - u).norm(), 1e-13);
        EXPECT_LT((local.diagonal(a) - local.diagonal(a).transpose()).norm(), 1e-14);
    }
}

TEST(LocalProblem, LocalFormHasTheSolutionsOfTheProblem)
{
    ContactProblem problem = random_problem();
    EXPECT_GT(relative_natural_map(local_form(problem)), 0.1);
    Nlgs nlgs({.tolerance = 1e-13});
    ASSERT_EQ(nlgs.solve(problem).status, SolverStatus::converged);
    EXPECT_LT(relative_natural_map(local_form(problem)), 1e-12);
}

TEST(LocalProblem, LocalFormRefusesBilateralContacts)
{
    ContactProblem problem = random_problem();
    problem.contacts[3].law = Law::bilateral;
    EXPECT_THROW(local_form(problem), Error);
}

} // namespace local_problem_test
