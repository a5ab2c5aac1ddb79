// A deterministic stand-in for libFuzzer: input number k of a target is a seed of it, changed in a few places
// by a random sequence that starts from k.
#include "fuzz/fuzz.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>

namespace tamis::fuzz {

std::vector<Target>& targets()
{
    static std::vector<Target> all;
    return all;
}

namespace {

volatile std::sig_atomic_t current = 0;

void tell(int signal)
{
    char text[64];
    const int size =
        std::snprintf(text, sizeof text, "input %d: signal %d\n", static_cast<int>(current), signal);
    [[maybe_unused]] const auto written = ::write(2, text, static_cast<std::size_t>(size));
    std::signal(signal, SIG_DFL);
    ::raise(signal);
}

std::string mutated(const std::vector<std::string>& seeds, unsigned number)
{
    std::mt19937 random(number);
    const auto below = [&](std::size_t n) { return n == 0 ? 0 : random() % n; };
    static const char* const words[] = {"0",
                                        "-1",
                                        "1e308",
                                        "-1e308",
                                        "1e-320",
                                        "nan",
                                        "inf",
                                        "255",
                                        "65536",
                                        "2147483648",
                                        "-9223372036854775808",
                                        "1e999",
                                        "\n",
                                        " "};
    std::string input = seeds[below(seeds.size())];
    for (std::size_t change = 1 + below(4); change > 0; --change) {
        const std::size_t at = below(input.size()), length = std::min(1 + below(16), input.size() - at);
        switch (below(8)) {
        case 0:
            if (!input.empty()) input[at] ^= static_cast<char>(1 << below(8));
            break;
        case 1:
            if (!input.empty()) input[at] = static_cast<char>(below(256));
            break;
        case 2: // a number of 1, 2, 4 or 8 bytes with few or many bits
            for (std::size_t k = 0, size = 1u << below(4), fill = below(3); k < size && at + k < input.size();
                 ++k)
                input[at + k] = static_cast<char>(fill == 0       ? 0
                                                  : fill == 1     ? 255
                                                  : k + 1 == size ? 127
                                                                  : 255);
            break;
        case 3:
            input.erase(at, length);
            break;
        case 4:
            input.insert(at, input.substr(at, length));
            break;
        case 5: { // a word of a text
            const std::size_t end = std::min(input.find_first_of(" \n", at), input.size());
            input.replace(at, end - at, words[below(std::size(words))]);
            break;
        }
        case 6: { // the end of another seed
            const std::string& other = seeds[below(seeds.size())];
            input = input.substr(0, at) + other.substr(below(other.size()));
            break;
        }
        default:
            if (below(4) == 0)
                input.resize(at);
            else if (!input.empty()) // a part of it elsewhere
                input.replace(below(input.size()), length, input.substr(at, length));
        }
    }
    return input;
}

int run(const Target& target, int first, int count)
{
    const std::vector<std::string> seeds = target.seeds();
    const auto try_out = [&](const std::string& input) {
        ::alarm(60); // an input that takes longer does not end
        target.run(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
        ::alarm(0);
    };
    for (const std::string& seed : seeds) try_out(seed);
    for (int k = first; k < first + count; ++k) {
        current = k;
        try_out(mutated(seeds, static_cast<unsigned>(k)));
    }
    std::printf("%s: %d inputs\n", target.name, count);
    return 0;
}

} // namespace

} // namespace tamis::fuzz

// fuzz TARGET [COUNT [FIRST]]
int main(int argc, char** argv)
{
    using namespace tamis::fuzz;
    for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGILL, SIGBUS, SIGALRM}) std::signal(signal, tell);
    for (const Target& target : targets())
        if (argc > 1 && std::strcmp(argv[1], target.name) == 0)
            return run(target, argc > 3 ? std::atoi(argv[3]) : 0,
                       argc > 2 ? std::atoi(argv[2]) : target.runs);
    std::fprintf(stderr, "fuzz TARGET [COUNT [FIRST]], with a TARGET of");
    for (const Target& target : targets()) std::fprintf(stderr, " %s", target.name);
    std::fprintf(stderr, "\n");
    return 2;
}
