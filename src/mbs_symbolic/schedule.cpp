// Schedule: depth-first from the outputs in their order, so that a value is computed close to its first use;
// what no output needs is never visited.
//
// -(c x) and -(c / x) are computed as (-c) x and (-c) / x: the same bits, one operation less.
#include "tamis/mbs_symbolic/schedule.hpp"

#include <set>
#include <unordered_map>

namespace tamis {

namespace {

// The operation that computes a node.
Node operation(const Node* n)
{
    if (n->op == Op::neg) {
        const Node* x = n->a.node();
        if ((x->op == Op::mul || x->op == Op::div) && x->a.is_constant())
            return {.op = x->op, .a = -x->a.value(), .b = x->b};
    }
    return *n;
}

} // namespace

OperationCount Schedule::count() const
{
    OperationCount n;
    std::set<int> angles;
    for (const Instruction& i : instructions) {
        switch (i.op) {
        case Op::symbol:
            break;
        case Op::add:
        case Op::sub:
        case Op::neg:
            ++n.additions;
            break;
        case Op::mul:
            ++n.multiplications;
            break;
        case Op::div:
            ++n.divisions;
            break;
        case Op::sin:
        case Op::cos:
            angles.insert(i.a.slot);
            break;
        case Op::sqrt:
            ++n.square_roots;
            break;
        }
    }
    n.trigonometric = static_cast<int>(angles.size());
    return n;
}

Schedule make_schedule(const std::vector<Expr>& outputs)
{
    Schedule schedule;
    std::unordered_map<const Node*, int> slots;
    const auto operand = [&](const Expr& e) -> Schedule::Operand {
        if (e.is_constant()) return {.value = e.value()};
        const int slot = slots.at(e.node());
        ++schedule.instructions[slot].uses;
        return {.slot = slot};
    };
    const auto append = [&](const Node* n) {
        const Node o = operation(n);
        slots.emplace(n, static_cast<int>(schedule.instructions.size()));
        schedule.instructions.push_back(
            {.op = o.op, .input = o.input, .index = o.index, .a = operand(o.a), .b = operand(o.b)});
    };
    const auto done = [&](const Node* n) { return slots.contains(n); };
    const auto operands = [](const Node* n) {
        const Node o = operation(n);
        return operands_of(&o);
    };
    for (const Expr& e : outputs) {
        if (!e.is_constant()) post_order(e.node(), done, append, operands);
        schedule.outputs.push_back(operand(e));
    }
    return schedule;
}

} // namespace tamis
