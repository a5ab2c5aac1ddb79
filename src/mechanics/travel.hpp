// How far a coordinate of a mechanism can move, and where: its curve of configurations, followed through dead points.
#pragma once

#include "tamis/mechanics/parts.hpp"

#include <limits>

namespace tamis {

struct TravelOptions {
    double from = -std::numeric_limits<double>::infinity(), to = std::numeric_limits<double>::infinity();
    double step = 0.02; // along the curve at most: turns in rad, lengths over that of the mechanism
};

// Where a coordinate turns round. Of the swept one that is the end of its travel; what turns round cannot
// drive the mechanism there, for J_v is singular with it as the driver: a dead point.
struct Turning {
    Coordinate of;
    bool least;        // else most
    double value;      // of the coordinate
    double swept;      // of the swept one
    Eigen::VectorXd q; // positions of the mechanism
};

struct Travel {
    enum class End {
        closed,  // the curve comes back to its start, angles modulo whole turns
        limit,   // the coordinate is where `from` or `to` asked it to stop
        endless, // a slide went on for a hundred lengths of the mechanism
        lost,    // loops no longer close
    };
    std::vector<Coordinate> held;   // at their start values, since the mechanism has more freedoms than one
    std::vector<Coordinate> moving; // of the mechanism, but for spherical joints
    struct Point {
        Eigen::VectorXd values; // of `moving`
        double share; // of the swept coordinate in the motion, 0 at a dead point of it, 1: moves alone
    };
    std::vector<Point> points; // along the curve
    std::vector<Turning> turnings;
    std::vector<double> branches; // values of the swept coordinate where the mechanism may go on in two ways
    End down = End::lost, up = End::lost; // how the curve ends towards smaller and larger values at the start
    double least, most;                   // of the swept coordinate
};
const char* end_name(Travel::End end);

// Drives of the model hold where they start, but for that of the swept coordinate.
Travel find_travel(const Model& model, Coordinate swept, const TravelOptions& options = {});

} // namespace tamis
