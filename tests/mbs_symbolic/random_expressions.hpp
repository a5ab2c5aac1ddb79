// Random expressions together with their values, computed in parallel in plain doubles.
#pragma once

#include "tamis/mbs_symbolic/expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tamis {

struct RandomExpressions {
    struct Term {
        Expr e;
        double value;
        double error; // bound on the round-off of value and of its rearrangements
    };
    static constexpr int symbols = 4; // of each kind
    static constexpr double max_error = 1e-14;

    // As many terms as asked; each applies an operation to earlier ones. Rotations are frequent, so that
    // their products condense. Ill-conditioned terms are left out.
    RandomExpressions(Graph& graph, unsigned seed, std::size_t size) : random_(seed)
    {
        constexpr double eps = std::numeric_limits<double>::epsilon();
        const std::array arrays{&p, &q, &v, &w};
        for (const Input input : {Input::p, Input::q, Input::v, Input::w})
            for (int i = 0; i < symbols; ++i) {
                const double value = uniform(-2, 2);
                (*arrays[static_cast<std::size_t>(input)])[static_cast<std::size_t>(i)] = value;
                terms.push_back({graph.symbol(input, i), value, 0});
            }
        for (const double c : {-1.0, 0.0, 0.5, 1.0, 1.25}) terms.push_back({c, c, 0});

        while (terms.size() < size) {
            const Term a = pick(), b = pick(), c = pick();
            const double scale =
                eps * std::max({1.0, std::abs(a.value), std::abs(b.value), std::abs(c.value)});
            switch (random_() % 9) {
            case 0:
                keep({a.e + b.e, a.value + b.value, a.error + b.error + scale});
                break;
            case 1:
                keep({a.e - b.e, a.value - b.value, a.error + b.error + scale});
                break;
            case 2:
                keep({a.e * b.e, a.value * b.value, product_error(a, b) + scale});
                break;
            case 3:
                if (std::abs(b.value) > 0.25)
                    keep({a.e / b.e, a.value / b.value, 4 * (a.error + 16 * b.error) + 16 * scale});
                break;
            case 4:
                if (a.value > 0.25) keep({sqrt(a.e), std::sqrt(a.value), a.error + scale});
                break;
            case 5:
                keep({-a.e, -a.value, a.error});
                break;
            default: { // a, b turned by c
                const Expr ce = cos(c.e), se = sin(c.e);
                const double cv = std::cos(c.value), sv = std::sin(c.value);
                const double error = a.error + b.error + 2 * c.error + 3 * scale;
                keep({ce, cv, c.error + scale});
                keep({se, sv, c.error + scale});
                keep({ce * a.e - se * b.e, cv * a.value - sv * b.value, error});
                keep({se * a.e + ce * b.e, sv * a.value + cv * b.value, error});
            }
            }
        }
    }

    Inputs inputs() const { return {.p = p.data(), .q = q.data(), .v = v.data(), .w = w.data()}; }

    std::vector<Expr> expressions() const
    {
        std::vector<Expr> all;
        for (const Term& t : terms) all.push_back(t.e);
        return all;
    }

    std::vector<Term> terms;
    std::array<double, symbols> p, q, v, w;

  private:
    double uniform(double low, double high) { return std::uniform_real_distribution(low, high)(random_); }
    const Term& pick() // rather a late one: deep expressions
    {
        return terms[std::max(random_() % terms.size(), random_() % terms.size())];
    }
    void keep(const Term& t)
    {
        if (std::abs(t.value) < 4 && t.error < max_error) terms.push_back(t);
    }
    static double product_error(const Term& a, const Term& b)
    {
        return a.error * std::abs(b.value) + b.error * std::abs(a.value);
    }

    std::mt19937 random_;
};

} // namespace tamis
