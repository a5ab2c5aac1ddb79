// What a model file records: columns of histories.csv with the function that fills them, and numbers that are computed
// of these columns when the run has ended.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tamis {

class Columns;
class View;

struct Record {
    std::vector<std::string> columns;
    std::string unit; // of all of them; empty: none, or not told
    std::function<void(const View&, double*)> write;
};

struct Result {
    std::vector<std::string> names;
    std::string unit; // of all of them
    std::function<std::vector<double>(const Columns&)> values;
};

} // namespace tamis
