// Emitted C: the operations of the schedule and nothing else, so that, compiled without contraction, the
// function and the tape agree to the last bit.
//
// A value used once is written into its user as long as the line stays readable, with the parentheses that
// keep the order of operations; the others are named after their instruction. Outputs are stored after the
// last operation: a store in between might alias an input and would keep the compiler from pairing a sine
// with its cosine. Beyond max_statements the function is cut into parts that hand their values on in an
// array, so that the time to compile grows linearly.
#include "tamis/mbs_symbolic/emit_c.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <vector>

namespace tamis {

namespace {

constexpr std::size_t max_length = 80; // of the operands in a line
constexpr std::size_t max_statements = 1500;

enum Precedence { additive = 1, multiplicative, unary, primary };

// Text of a value, with what it refers to.
struct Text {
    std::string text;
    Precedence precedence = primary;
    std::set<int> names = {}; // named values, by instruction
    std::set<Input> inputs = {};
};

struct Statement {
    int slot;   // of the named value, or -1
    int output; // its index if it is one, or -1
    Text value;
};

char letter(Input input)
{
    return "pqvw"[static_cast<int>(input)];
}

Text constant(double value)
{
    if (!std::isfinite(value)) fail("an expression to be emitted holds the constant {}", value);
    std::string text = fmt::format("{}", value); // shortest that reads back exactly
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return {.text = text, .precedence = std::signbit(value) ? unary : primary};
}

std::string enclosed(const Text& x, int least)
{
    return x.precedence < least ? fmt::format("({})", x.text) : x.text;
}

// The statements in order, an output right after the value that it takes.
class Writer {
  public:
    explicit Writer(const Schedule& schedule) : schedule_(schedule)
    {
        const auto& instructions = schedule.instructions;
        std::vector<std::vector<int>> outputs(instructions.size() + 1); // after instruction k - 1
        for (std::size_t i = 0; i < schedule.outputs.size(); ++i)
            outputs[schedule.outputs[i].slot + 1].push_back(static_cast<int>(i));
        for (std::size_t k = 0; k <= instructions.size(); ++k) {
            if (k > 0) append(static_cast<int>(k) - 1);
            for (const int i : outputs[k]) statements.push_back({-1, i, text(schedule.outputs[i])});
        }
    }

    std::vector<Statement> statements;

  private:
    Text text(const Schedule::Operand& x) const { return x.slot < 0 ? constant(x.value) : texts_[x.slot]; }

    void name(int slot)
    {
        statements.push_back({slot, -1, std::move(texts_[slot])});
        texts_[slot] = {.text = fmt::format("x{}", slot), .names = {slot}};
    }

    void append(int slot)
    {
        const Schedule::Instruction& i = schedule_.instructions[slot];
        if (i.op == Op::symbol) {
            if (i.input == Input::t) fail("an emitted function has no argument for time");
            texts_.push_back({.text = fmt::format("{}[{}]", letter(i.input), i.index), .inputs = {i.input}});
            return;
        }
        Text a = text(i.a), b = text(i.b);
        if (a.text.size() + b.text.size() > max_length) {
            const bool first = a.text.size() > b.text.size();
            const int longer = first ? i.a.slot : i.b.slot;
            name(longer);
            (first ? a : b) = texts_[longer];
        }
        texts_.push_back(operation(i.op, a, b));
        if (i.uses > 1) name(slot);
    }

    static Text operation(Op op, const Text& a, const Text& b)
    {
        Text x;
        const auto binary = [&](char symbol, Precedence precedence) {
            x.text = fmt::format("{} {} {}", enclosed(a, precedence), symbol, enclosed(b, precedence + 1));
            x.precedence = precedence;
        };
        const auto call = [&](const char* function) { x.text = fmt::format("{}({})", function, a.text); };
        switch (op) {
        case Op::symbol:
            break;
        case Op::add:
            binary('+', additive);
            break;
        case Op::sub:
            binary('-', additive);
            break;
        case Op::mul:
            binary('*', multiplicative);
            break;
        case Op::div:
            binary('/', multiplicative);
            break;
        case Op::neg:
            x = {.text = fmt::format("-{}", enclosed(a, primary)), .precedence = unary};
            break;
        case Op::sin:
            call("sin");
            break;
        case Op::cos:
            call("cos");
            break;
        case Op::sqrt:
            call("sqrt");
            break;
        }
        for (const Text* operand : {&a, &b}) {
            x.names.insert(operand->names.begin(), operand->names.end());
            x.inputs.insert(operand->inputs.begin(), operand->inputs.end());
        }
        return x;
    }

    const Schedule& schedule_;
    std::vector<Text> texts_; // of instruction k where it is used
};

// The named values that one part computes and another uses, with their places in the array s.
using Crossing = std::map<int, int>;

Crossing crossing_values(const std::vector<std::span<const Statement>>& parts)
{
    Crossing crossing;
    std::set<int> earlier, here;
    for (const auto& part : parts) {
        for (const Statement& statement : part) {
            for (const int slot : statement.value.names)
                if (earlier.contains(slot)) crossing.try_emplace(slot, static_cast<int>(crossing.size()));
            if (statement.slot >= 0) here.insert(statement.slot);
        }
        earlier.merge(here);
    }
    return crossing;
}

// One function; C wants names even of parameters that it does not use.
std::string emit_part(const std::string& head, std::span<const Statement> part, const Crossing& crossing,
                      bool split)
{
    std::set<int> names, own;
    std::set<Input> inputs;
    std::string received, values, sent, stored;
    std::map<int, std::string> outputs;
    for (const auto& [slot, output, value] : part) {
        names.insert(value.names.begin(), value.names.end());
        inputs.insert(value.inputs.begin(), value.inputs.end());
        if (output >= 0) {
            outputs[output] = value.text;
            continue;
        }
        own.insert(slot);
        values += fmt::format("    const double x{} = {};\n", slot, value.text);
        if (const auto place = crossing.find(slot); place != crossing.end())
            sent += fmt::format("    s[{}] = x{};\n", place->second, slot);
    }
    for (const int slot : names)
        if (!own.contains(slot))
            received += fmt::format("    const double x{} = s[{}];\n", slot, crossing.at(slot));
    for (const auto& [output, value] : outputs) stored += fmt::format("    out[{}] = {};\n", output, value);

    std::string unused;
    for (const Input input : {Input::p, Input::q, Input::v, Input::w})
        if (!inputs.contains(input)) unused += fmt::format("    (void)({});\n", letter(input));
    if (split && received.empty() && sent.empty()) unused += "    (void)(s);\n";
    if (stored.empty()) unused += "    (void)(out);\n";
    return fmt::format(
        "{}(const double* p, const double* q, const double* v, const double* w, {}double* out)\n"
        "{{\n{}{}{}{}{}}}\n",
        head, split ? "double* s, " : "", unused, received, values, sent, stored);
}

} // namespace

std::string emit_function(const std::string& name, const std::string& comment, const Schedule& schedule)
{
    std::string text;
    std::istringstream lines(comment);
    for (std::string line; std::getline(lines, line);) text += line.empty() ? "//\n" : "// " + line + "\n";

    const Writer writer(schedule);
    const std::span<const Statement> statements(writer.statements);
    if (statements.size() <= max_statements) return text + emit_part("void " + name, statements, {}, false);

    std::vector<std::span<const Statement>> parts;
    for (std::size_t i = 0; i < statements.size(); i += max_statements)
        parts.push_back(statements.subspan(i, std::min(max_statements, statements.size() - i)));
    const Crossing crossing = crossing_values(parts);

    std::string calls;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part = fmt::format("{}_part{}", name, i + 1);
        text += emit_part("static void " + part, parts[i], crossing, true) + "\n";
        calls += fmt::format("    {}(p, q, v, w, s, out);\n", part);
    }
    text += fmt::format(
        "void {}(const double* p, const double* q, const double* v, const double* w, double* out)\n"
        "{{\n    double s[{}];\n{}}}\n",
        name, std::max<std::size_t>(1, crossing.size()), calls);
    return text;
}

} // namespace tamis
