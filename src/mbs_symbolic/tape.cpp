// Tape: one array of doubles [constants, inputs, results]; an instruction writes the next result, so it
// stores only the slots of its operands. Instructions are ordered into runs of one operation, so that the
// processor seldom guesses wrong what comes next. Constants are written when the tape is made, inputs at the
// start of a call, and no call allocates.
#include "tamis/mbs_symbolic/tape.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace tamis {

namespace {
constexpr int operations = static_cast<int>(Op::sqrt) + 1;
}

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

    // Operands before users; among what is ready, the most frequent operation goes next, in one run.
    const int count = static_cast<int>(schedule.instructions.size());
    std::vector<std::vector<int>> users(count);
    std::vector<int> waits(count, 0);
    std::array<std::vector<int>, operations> ready;
    int next_slot = constants_;
    std::vector<int> slots(count); // of the schedule's instructions
    const auto compute = [&](int k) {
        slots[k] = next_slot++;
        for (int user : users[k])
            if (--waits[user] == 0) ready[static_cast<int>(schedule.instructions[user].op)].push_back(user);
    };
    for (int k = 0; k < count; ++k) {
        for (const auto& x : {schedule.instructions[k].a, schedule.instructions[k].b})
            if (x.slot >= 0) {
                users[x.slot].push_back(k);
                ++waits[k];
            }
        if (waits[k] == 0 && schedule.instructions[k].op != Op::symbol)
            ready[static_cast<int>(schedule.instructions[k].op)].push_back(k);
    }
    for (int k = 0; k < count; ++k)
        if (schedule.instructions[k].op == Op::symbol) compute(k);
    const auto slot = [&](const Schedule::Operand& x) {
        return x.slot < 0 ? constant_slots.at(std::bit_cast<std::uint64_t>(x.value)) : slots[x.slot];
    };
    while (true) {
        const auto most = std::max_element(ready.begin(), ready.end(),
                                           [](const auto& x, const auto& y) { return x.size() < y.size(); });
        if (most->empty()) break;
        const std::vector<int> run = std::exchange(*most, {});
        runs_.push_back({static_cast<Op>(most - ready.begin()), static_cast<int>(run.size())});
        for (int k : run)
            operands_.push_back({slot(schedule.instructions[k].a), slot(schedule.instructions[k].b)});
        for (int k : run) compute(k);
    }
    for (const auto& x : schedule.outputs) outputs_.push_back(slot(x));
    slots_.resize(next_slot);
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
    const Operands* i = operands_.data();
    const auto each = [&](int count, auto&& operation) {
        for (const Operands* end = i + count; i != end; ++i) *result++ = operation(x[i->a], x[i->b]);
    };
    for (const Run& run : runs_) {
        switch (run.op) {
        case Op::symbol:
            break; // loaded above
        case Op::add:
            each(run.count, [](double a, double b) { return a + b; });
            break;
        case Op::sub:
            each(run.count, [](double a, double b) { return a - b; });
            break;
        case Op::mul:
            each(run.count, [](double a, double b) { return a * b; });
            break;
        case Op::div:
            each(run.count, [](double a, double b) { return a / b; });
            break;
        case Op::neg:
            each(run.count, [](double a, double) { return -a; });
            break;
        case Op::sin:
            each(run.count, [](double a, double) { return std::sin(a); });
            break;
        case Op::cos:
            each(run.count, [](double a, double) { return std::cos(a); });
            break;
        case Op::sqrt:
            each(run.count, [](double a, double) { return std::sqrt(a); });
            break;
        }
    }
    for (const int slot : outputs_) *out++ = x[slot];
}

} // namespace tamis
