// The state of a method as named arrays of numbers: what a checkpoint holds. Each part is written and read by the
// class that owns it, under names of its own.
#pragma once

#include "tamis/base/error.hpp"

#include <Eigen/Core>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace tamis {

class SavedState {
  public:
    double t = 0;
    long step = 0;
    std::map<std::string, std::vector<double>> numbers;
    std::map<std::string, std::vector<std::int64_t>> integers;

    void put(const std::string& name, std::span<const double> values)
    {
        numbers[name].assign(values.begin(), values.end());
    }
    void put(const std::string& name, const Eigen::VectorXd& values)
    {
        put(name, std::span(values.data(), static_cast<std::size_t>(values.size())));
    }
    template <class List>
    void put_integers(const std::string& name, const List& values)
    {
        integers[name].assign(values.begin(), values.end());
    }

    // Values of this name; those of the second form must be as many as asked for.
    const std::vector<double>& get(const std::string& name) const { return find(numbers, name); }
    const std::vector<double>& get(const std::string& name, std::size_t size) const
    {
        return sized(find(numbers, name), name, size);
    }
    void get(const std::string& name, std::span<double> out) const
    {
        const std::vector<double>& values = get(name, out.size());
        std::copy(values.begin(), values.end(), out.begin());
    }
    void get(const std::string& name, Eigen::VectorXd& out) const
    {
        get(name, std::span(out.data(), static_cast<std::size_t>(out.size())));
    }
    const std::vector<std::int64_t>& get_integers(const std::string& name) const
    {
        return find(integers, name);
    }
    const std::vector<std::int64_t>& get_integers(const std::string& name, std::size_t size) const
    {
        return sized(find(integers, name), name, size);
    }

    // The state of a part, all of its names behind `name/`.
    void put_part(const std::string& name, const SavedState& part)
    {
        for (const auto& [key, values] : part.numbers) numbers[name + "/" + key] = values;
        for (const auto& [key, values] : part.integers) integers[name + "/" + key] = values;
        numbers[name + "/t"] = {part.t};
        integers[name + "/step"] = {part.step};
    }
    SavedState part(const std::string& name) const
    {
        SavedState out;
        const std::string prefix = name + "/";
        for (const auto& [key, values] : numbers)
            if (key.starts_with(prefix)) out.numbers[key.substr(prefix.size())] = values;
        for (const auto& [key, values] : integers)
            if (key.starts_with(prefix)) out.integers[key.substr(prefix.size())] = values;
        out.t = out.get("t", 1)[0];
        out.step = static_cast<long>(out.get_integers("step", 1)[0]);
        return out;
    }

  private:
    [[noreturn]] static void wrong(const std::string& name, const char* why)
    {
        fail("The state to go on from {} '{}': it belongs to another model or method.", why, name);
    }
    template <class T>
    static const std::vector<T>& find(const std::map<std::string, std::vector<T>>& map,
                                      const std::string& name)
    {
        const auto found = map.find(name);
        if (found == map.end()) wrong(name, "lacks");
        return found->second;
    }
    template <class List>
    static const List& sized(const List& list, const std::string& name, std::size_t size)
    {
        if (list.size() != size) wrong(name, "has another number of");
        return list;
    }
};

} // namespace tamis
