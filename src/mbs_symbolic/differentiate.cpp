// Directional derivative, forward through the graph, each node once:
//
//   D[a ± b] = D[a] ± D[b]       D[a b] = D[a] b + a D[b]     D[a / b] = (D[a] - (a / b) D[b]) / b
//   D[sin a] = cos a D[a]        D[cos a] = -sin a D[a]       D[√a] = D[a] / (2 √a)
#include "tamis/mbs_symbolic/differentiate.hpp"

namespace tamis {

Expr Derivative::operator()(const Expr& e)
{
    const auto D = [&](const Expr& x) { return x.is_constant() ? Expr(0) : done_.at(x.node()); };
    const auto derive = [&](const Node* n) -> Expr {
        const Expr a = n->a, b = n->b, da = D(a), db = D(b);
        if (n->op != Op::symbol && da.is(0) && db.is(0)) return 0;
        switch (n->op) {
        case Op::symbol:
            return rate_(n->input, n->index);
        case Op::add:
            return da + db;
        case Op::sub:
            return da - db;
        case Op::mul:
            return da * b + a * db;
        case Op::div:
            return (da - Expr::of(n) * db) / b;
        case Op::neg:
            return -da;
        case Op::sin:
            return cos(a) * da;
        case Op::cos:
            return -(sin(a) * da);
        case Op::sqrt:
            break;
        }
        return da / (2 * Expr::of(n));
    };
    if (!e.is_constant())
        post_order(
            e.node(), [&](const Node* n) { return done_.contains(n); },
            [&](const Node* n) { done_.emplace(n, derive(n)); });
    return D(e);
}

} // namespace tamis
