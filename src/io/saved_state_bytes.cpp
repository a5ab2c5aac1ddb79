// Layout: 8 bytes that say what it is, time, step, the arrays of numbers and those of integers (how many there are; of
// each the length of its name, the name, how many values, the values), and a checksum over all before it.
#include "tamis/io/saved_state_bytes.hpp"

#include "tamis/base/state_hash.hpp"

#include <cstring>
#include <type_traits>

namespace tamis {

namespace {

constexpr std::string_view seal = "tamis-s1";

std::uint64_t checksum(std::string_view bytes)
{
    StateHash hash;
    hash.add(bytes);
    return hash.value;
}

template <class T>
void put(std::string& out, const T* values, std::size_t n)
{
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(values), n * sizeof(T));
}
template <class T>
void put(std::string& out, T value)
{
    put(out, &value, 1);
}

template <class T>
void put_all(std::string& out, const std::map<std::string, std::vector<T>>& arrays)
{
    put(out, std::uint64_t{arrays.size()});
    for (const auto& [name, values] : arrays) {
        put(out, std::uint64_t{name.size()});
        out += name;
        put(out, std::uint64_t{values.size()});
        put(out, values.data(), values.size());
    }
}

class Reader {
  public:
    Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

    std::string_view take(std::size_t n)
    {
        if (n > bytes_.size()) damaged();
        const std::string_view taken = bytes_.substr(0, n);
        bytes_.remove_prefix(n);
        return taken;
    }
    template <class T>
    T value()
    {
        T x;
        std::memcpy(&x, take(sizeof(T)).data(), sizeof(T));
        return x;
    }
    std::size_t count(std::size_t size) // of things of this size that are still to come
    {
        const auto n = value<std::uint64_t>();
        if (n > bytes_.size() / size) damaged();
        return n;
    }
    template <class T>
    void all(std::map<std::string, std::vector<T>>& arrays)
    {
        for (std::size_t left = count(2 * sizeof(std::uint64_t)); left > 0; --left) {
            const std::string key(take(count(1)));
            std::vector<T>& values = arrays[key];
            values.resize(count(sizeof(T)));
            const std::string_view taken = take(values.size() * sizeof(T));
            if (!values.empty()) std::memcpy(values.data(), taken.data(), taken.size());
        }
    }
    void end() const
    {
        if (!bytes_.empty()) damaged();
    }
    [[noreturn]] void damaged() const
    {
        fail("{} is damaged, or was written by something else: take the bytes as they were given.", name_);
    }

  private:
    std::string_view bytes_;
    const std::string& name_;
};

} // namespace

std::string to_bytes(const SavedState& state)
{
    std::string out(seal);
    put(out, state.t);
    put(out, std::int64_t{state.step});
    put_all(out, state.numbers);
    put_all(out, state.integers);
    put(out, checksum(out));
    return out;
}

SavedState from_bytes(std::string_view bytes, const std::string& name)
{
    const std::size_t tail = std::min(bytes.size(), sizeof(std::uint64_t));
    const std::string_view content = bytes.substr(0, bytes.size() - tail);
    Reader sum(bytes.substr(content.size()), name), in(content, name);
    if (sum.value<std::uint64_t>() != checksum(content) || in.take(seal.size()) != seal) in.damaged();
    SavedState state;
    state.t = in.value<double>();
    state.step = static_cast<long>(in.value<std::int64_t>());
    in.all(state.numbers);
    in.all(state.integers);
    in.end();
    return state;
}

} // namespace tamis
