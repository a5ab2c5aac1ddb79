// Tape: one array of doubles [constants, inputs, results]; instruction k writes the next result, so it stores
// only its operation and the slots of its operands. Constants are written when the tape is made, inputs at
// the start of a call, and no call allocates.
#include "mbs_symbolic/tape.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>

namespace tamis {

Tape::Tape(const Schedule& schedule)
{
    // The first slots: constants, each once.
    std::unordered_map<std::uint64_t, int> constant_slots;
    const auto note = [&](const Schedule::Operand& x) {
        const auto bits = std::bit_cast<std::uint64_t>(x.value);
        if (x.slot < 0 && constant_slots.try_emplace(bits, static_cast<int>(slots_.size())).second)
            slots_.push_back(x.value);
    };
    for (const auto& i : schedule.instructions) {
        note(i.a);
        note(i.b);
    }
    for (const auto& x : schedule.outputs) note(x);
    constants_ = static_cast<int>(slots_.size());

    for (const auto& i : schedule.instructions)
        if (i.op == Op::symbol) loads_.push_back({i.input, i.index});

    int next_input = constants_, next_result = constants_ + static_cast<int>(loads_.size());
    std::vector<int> slots; // of the schedule's instructions
    const auto slot = [&](const Schedule::Operand& x) {
        return x.slot < 0 ? constant_slots.at(std::bit_cast<std::uint64_t>(x.value)) : slots[x.slot];
    };
    for (const auto& i : schedule.instructions) {
        if (i.op == Op::symbol) {
            slots.push_back(next_input++);
        } else {
            instructions_.push_back({i.op, slot(i.a), slot(i.b)});
            slots.push_back(next_result++);
        }
    }
    for (const auto& x : schedule.outputs) outputs_.push_back(slot(x));
    slots_.resize(next_result);
}

void Tape::operator()(const double* p, const double* q, const double* v, const double* w, double* out)
{
    (*this)({.p = p, .q = q, .v = v, .w = w}, out);
}

void Tape::operator()(const Inputs& in, double* out)
{
    const double* x = slots_.data();
    double* result = slots_.data() + constants_;
    for (const Load& load : loads_) *result++ = in(load.input, load.index);
    for (const Instruction& i : instructions_) {
        switch (i.op) {
        case Op::symbol:
            break; // loaded above
        case Op::add:
            *result = x[i.a] + x[i.b];
            break;
        case Op::sub:
            *result = x[i.a] - x[i.b];
            break;
        case Op::mul:
            *result = x[i.a] * x[i.b];
            break;
        case Op::div:
            *result = x[i.a] / x[i.b];
            break;
        case Op::neg:
            *result = -x[i.a];
            break;
        case Op::sin:
            *result = std::sin(x[i.a]);
            break;
        case Op::cos:
            *result = std::cos(x[i.a]);
            break;
        case Op::sqrt:
            *result = std::sqrt(x[i.a]);
            break;
        }
        ++result;
    }
    for (const int slot : outputs_) *out++ = x[slot];
}

} // namespace tamis
