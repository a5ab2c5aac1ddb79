// `--equations FILE` is taken out of the arguments before a model reads its options. For each mechanism that moves: its
// C, and a table of the operations of each function.
#include "tamis/app/equations.hpp"

#include "tamis/app/usage_error.hpp"
#include "tamis/io/file.hpp"
#include "tamis/mbs_symbolic/generate.hpp"
#include "tamis/mbs_symbolic/schedule.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace tamis {

std::string take_equations(std::vector<std::string>& arguments)
{
    const std::string name = "--equations";
    const auto found = std::find_if(arguments.begin(), arguments.end(), [&](const std::string& a) {
        return a == name || a.starts_with(name + "=");
    });
    if (found == arguments.end()) return "";
    const bool apart = *found == name;
    std::string file;
    if (!apart)
        file = found->substr(name.size() + 1);
    else if (found + 1 != arguments.end())
        file = found[1];
    if (file.empty()) throw UsageError("--equations needs the name of a file to write, such as equations.c.");
    arguments.erase(found, found + (apart ? 2 : 1));
    return file;
}

void write_equations(const Model& model, const std::string& file)
{
    namespace fs = std::filesystem;
    std::vector<const Mechanism*> mechanisms;
    for (const Mechanism& m : model.mechanisms())
        if (m.nv() > 0) mechanisms.push_back(&m);
    if (mechanisms.empty())
        fail("The model '{}' has no mechanism with joints that move, hence no equations to write.",
             model.name());
    for (const Mechanism* m : mechanisms) {
        fs::path path = file;
        if (mechanisms.size() > 1)
            path.replace_filename(
                fmt::format("{}_{}{}", path.stem().string(), m->name(), path.extension().string()));
        write_file(path, emit_equations(*m));
        fmt::print("{}: {} coordinates, {} loop equations: {}\n", m->name(), m->nv(), m->loop_rows(),
                   path.string());
        fmt::print("  {:<12} {:>16} {:>10} {:>10} {:>12} {:>13} {:>7}\n", "", "multiplications", "additions",
                   "divisions", "sine-cosines", "square roots", "all");
        for (int k = 0; k < quantity_count; ++k) {
            const OperationCount n = make_schedule(symbolic(*m, static_cast<Quantity>(k))).count();
            fmt::print("  {:<12} {:>16} {:>10} {:>10} {:>12} {:>13} {:>7}\n", quantity_names[k],
                       n.multiplications, n.additions, n.divisions, n.trigonometric, n.square_roots,
                       n.total());
        }
    }
}

} // namespace tamis
