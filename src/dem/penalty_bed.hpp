// Balls that push each other and walls by springs and dampers, stepped by symplectic Euler:
//
//     v_n+1 = v_n + h (g + f(x_n, v_n) / m),  omega likewise,  x_n+1 = x_n + h v_n+1
//
// Balls are sorted by cell of a grid from time to time; all arrays are in this order, `number` says whose they are.
// Near pairs are listed twice: the outer list has what the grid finds within a wide skin, the inner one what is within
// a narrow skin of it, with the history of each contact. A list is renewed when balls may have moved by its skin
// against each other; |v - c|, c the mean velocity, bounds that, so that a bed that moves as one renews nothing.
//
// Same bits for any number of threads and every instruction set: a ball adds the forces of balls before it in the
// order, then those of balls behind it, then those of walls. Threads have ranges of balls, and of the pairs those whose
// second ball is in their range; the first ones, whose other ball belongs to another thread, come first, and what acts
// on the other is stored and added by its thread at the end. Other sums are taken over blocks of balls, and over blocks
// in their order.
//
// Energy. The discrete work of a force over a step is f . (v_n + v_n+1) h / 2, exactly what it adds to the kinetic
// energy. Of the work done on balls along normals, along contacts and by rolling resistance, what does not come from
// walls and is not in springs was dissipated. The normal part includes what the step loses where contacts open and
// close within it, of the order (omega h)^2 / 6 of what dampers take.
#pragma once

#include "tamis/base/state_hash.hpp"
#include "tamis/dem/ball_grid.hpp"
#include "tamis/dem/device_balls.hpp"
#include "tamis/dem/pair_list.hpp"
#include "tamis/dem/penalty_law.hpp"
#include "tamis/dem/wall_list.hpp"
#include "tamis/model/saved_state.hpp"
#include "tamis/model/view.hpp"

#include <functional>
#include <memory>

namespace tamis {

struct Ball {
    Eigen::Vector3d x{0, 0, 0}, v{0, 0, 0}, omega{0, 0, 0};
    double radius = 0, mass = 0;
    int material = 0;
};

struct BallWall {
    std::string name;
    Shape shape;
    int material = 0;
    BodyMotion motion; // of the shape's frame
};

struct BedOptions {
    double h = 0;
    Eigen::Vector3d gravity{0, 0, 0};
    FrictionModel friction = FrictionModel::elastic;
    int threads = 1;
    const PenaltyKernels* kernels = nullptr;                // if not set, the widest of the machine
    const PenaltyDevice* device = nullptr;                  // that makes the steps instead of these
    double skin = 0.25, inner_skin = 0.02, wall_skin = 0.1; // in diameters of the largest ball
    // Whether two balls, or a ball and a wall, may touch at all; if not set, all may.
    std::function<bool(int, int)> balls_touch, wall_touches;
};

class PenaltyBed {
  public:
    // laws: of materials a and b at a * materials + b.
    PenaltyBed(const std::vector<Ball>& balls, const std::vector<BallWall>& walls,
               const std::vector<PenaltyLaw>& laws, const BedOptions& options);

    // Forces of all contacts in the present state, the wrenches on walls among them, from which a mechanism that
    // carries walls may be stepped; also the number of contacts and the largest overlap. Once per step, before
    // advance().
    void forces();
    // Moves the balls by these forces, and the walls to their motions at the end of the step; if not given, they stay
    // as they are.
    void advance(std::span<const BodyMotion> next = {});
    void step(std::span<const BodyMotion> next = {})
    {
        forces();
        advance(next);
    }
    std::span<const BodyMotion> walls() const { return motion_; }

    void set_step(double h) { options_.h = h; } // of the steps to come
    int count() const { return static_cast<int>(number_.size()); }
    // By number, as given to the constructor.
    Eigen::Vector3d position(int ball) const { return vector(current().x_[place_[ball]].data()); }
    Eigen::Vector3d velocity(int ball) const { return vector(current().v_[place_[ball]].row); }
    Eigen::Vector3d angular_velocity(int ball) const { return vector(current().v_[place_[ball]].row + 4); }

    // Of the last forces(): force of the balls on a wall and its moment about the origin of the wall's frame.
    const Wrench& wall_wrench(int wall) const { return wrench_[wall]; }
    int contacts() const { return deepest_.contacts; }
    double largest_overlap() const { return deepest_.delta; }
    // Balls (by number) of the largest overlap; the second is -1 - wall for a wall. -1 if there is none.
    std::pair<int, int> deepest() const { return {deepest_.one, deepest_.other}; }
    double momentum_error() const { return momentum_error_; }

    // Of the state now.
    double kinetic_energy() const;
    double spring_energy() const;
    Eigen::Vector3d momentum() const;
    Eigen::Vector3d centre_of_mass() const;
    Eigen::Matrix3d inertia() const;     // about the centre of mass
    double granular_temperature() const; // <|v - <v>|^2> / 3, m2/s2 (Campbell)
    // Since the start.
    Dissipation dissipated() const;
    double wall_work() const { return wall_work_[0] + wall_work_[1] + wall_work_[2]; }

    // A contact as it would push in the next step. n, force and rolling act on b, which is a ball; a is a ball or, if
    // negative, the wall -1 - a.
    struct Contact {
        int a, b, surface; // surface: number within the wall
        double gap;
        Eigen::Vector3d point, n, u, force, rolling;
    };
    void visit(const std::function<void(const Contact&)>& use) const;

    void write(SavedState& out) const;
    void read(const SavedState& in, std::span<const BodyMotion> walls); // motions of all walls then
    void hash(StateHash& hash) const;                                   // by number of balls

    long sorts() const { return sorts_; }
    std::size_t bytes() const; // of memory

  private:
    using Vector = Eigen::Vector3d;
    static constexpr int block_size = WallList::block_size;
    struct alignas(32) Row {
        double row[4];
    };
    struct alignas(64) LongRow {
        double row[8];
    };
    struct Part { // of a thread
        PairList pairs;
        std::vector<Row> reaction; // on balls of threads before
        std::vector<int> reaction_on;
        int first_ball = 0, end_ball = 0, apart = 0, reactions = 0;
        DeepestOverlap deepest{};
    };

    static Vector vector(const double* x) { return {x[0], x[1], x[2]}; }
    BallRows rows() const;
    LawOf<double> law(int material_a, int material_b) const;
    const PenaltyBed& current() const // with balls and histories from the device
    {
        if (on_device_ahead_) fetch();
        return *this;
    }
    void fetch() const;
    void push_on_device();
    void take_reactions(const Part& part);
    void wall_forces(int block);
    void reduce_forces();
    void move_walls(std::span<const BodyMotion> next);
    void place_walls(std::span<const BodyMotion> motions);
    void reduce();
    void renew();
    void sort();
    void list_outer();
    void refresh(std::span<const KeptContact> kept);
    void list_walls();
    void put_rows(std::span<const int> order); // as they were, in this order
    int histories() const;                     // of pairs
    std::span<KeptContact> lend(int count);    // memory for so many
    void give_back(std::span<const KeptContact> lent);
    void keep(std::span<KeptContact> kept) const; // of all pairs, by rows, as lists take them
    // From rows to numbers; from numbers to rows, as lists take them.
    void name(std::span<KeptContact> pairs, std::span<KeptContact> walls) const;
    void arrange(std::span<KeptContact> pairs, std::span<KeptContact> walls);
    // use(i, j, history), in the order of balls for any number of threads
    void for_pairs(const std::function<void(int, int, const Vec<double>&)>& use) const;
    int blocks() const { return (count() + block_size - 1) / block_size; }
    bool elastic() const { return options_.friction == FrictionModel::elastic; }

    BedOptions options_;
    const PenaltyKernels* kernels_;
    std::vector<LongRow> laws_;
    int materials_, force_rows_ = 3;
    bool uniform_ = true, rolls_ = false, hertz_ = false;
    double size_ = 0; // diameter of the largest ball
    // Balls, sorted; see BallRows.
    std::vector<int> number_, place_; // of ball at a place; place of a ball
    std::vector<BallRow> x_;
    std::vector<LongRow> v_;
    std::vector<int> material_;
    std::vector<Row> force_; // zero between steps
    // Walls.
    std::vector<WallSurface> surfaces_;
    std::vector<int> wall_material_, first_surface_;
    std::vector<BodyMotion> motion_;
    std::vector<WallMotion> plain_motion_;
    std::vector<Wrench> wrench_;
    // Lists.
    BallGrid grid_;
    std::vector<Part> parts_;
    WallList wall_list_;
    std::vector<KeptContact> kept_walls_;
    // On a device. A copy would share it: who copies a bed does not have one.
    std::shared_ptr<DeviceBalls> on_device_;
    bool sent_ = false;                    // what it has are these lists
    mutable bool on_device_ahead_ = false; // balls and histories there have moved on
    double outer_moved_ = 0, inner_moved_ = 0, wall_moved_ = 0;
    long sorts_ = 0;
    // Sums.
    std::vector<MotionSums> sums_;                // by block
    std::vector<WallPush> wall_sums_, wall_push_; // by block and wall; by wall
    std::vector<DeepestOverlap> wall_deepest_;
    DeepestOverlap deepest_{};
    Vector mean_{0, 0, 0}; // velocity c
    double mass_ = 0;
    double momentum_error_ = 0;
    double work_[3] = {0, 0, 0}, wall_work_[3] = {0, 0, 0};
    Dissipation spring_parts() const; // energies of the springs, of normal and tangential ones
    Dissipation start_springs_;
};

} // namespace tamis
