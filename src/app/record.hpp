// A record: columns of histories.csv and the function that fills them.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace tamis {

class View;

struct Record {
    std::vector<std::string> columns;
    std::string unit; // of all of them; empty: none, or not told
    std::function<void(const View&, double*)> write;
};

} // namespace tamis
