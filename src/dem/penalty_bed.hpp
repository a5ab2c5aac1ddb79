// Balls that push each other and walls by springs and dampers, stepped by symplectic Euler:
//
//     v_n+1 = v_n + h (g + f(x_n, v_n) / m),  omega likewise,  x_n+1 = x_n + h v_n+1
//
// Balls are sorted by cell of a grid from time to time; all arrays are in this order, `number` says whose they are. Near
// pairs are listed twice: the outer list has what the grid finds within a wide skin, the inner one what is within a
// narrow skin of it, with the history of each contact. A list is renewed when balls may have moved by its skin against
// each other; |v - c|, c the mean velocity, bounds that, so that a bed that moves as one renews nothing.
//
// Same bits for any number of threads: a ball adds the forces of balls before it in the order, then those of balls behind
// it, then those of walls; other sums are taken over blocks of balls, and over blocks in their order.
//
// Energy. The discrete work of a force over a step is f . (v_n + v_n+1) h / 2, exactly what it adds to the kinetic energy.
// Of the work done on balls along normals, along contacts and by rolling resistance, what does not come from walls and
// is not in springs was dissipated. The normal part includes what the step loses where contacts open and close within
// it, of the order (omega h)^2 / 6 of what dampers take.
#pragma once

#include "tamis/base/state_hash.hpp"
#include "tamis/dem/ball_grid.hpp"
#include "tamis/dem/penalty_law.hpp"
#include "tamis/dem/wall_surface.hpp"
#include "tamis/model/saved_state.hpp"
#include "tamis/model/view.hpp"

#include <functional>

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
    double skin = 0.25, inner_skin = 0.02, wall_skin = 0.1; // in diameters of the largest ball
    // Whether two balls, or a ball and a wall, may touch at all; if not set, all may.
    std::function<bool(int, int)> balls_touch, wall_touches;
};

// Energy that contacts took, J: along the normal, along the contact, by rolling resistance.
struct Dissipation {
    double normal = 0, friction = 0, rolling = 0;
    double sum() const { return normal + friction + rolling; }
};

class PenaltyBed {
  public:
    // laws: of materials a and b at a * materials + b.
    PenaltyBed(const std::vector<Ball>& balls, const std::vector<BallWall>& walls,
               std::vector<PenaltyLaw> laws, const BedOptions& options);

    // `next`: motions of all walls at the end of the step; if not given, they stay as they are.
    void step(std::span<const BodyMotion> next = {});
    std::span<const BodyMotion> walls() const { return motion_; }

    int count() const { return static_cast<int>(x_.size()); }
    // By number, as given to the constructor.
    Eigen::Vector3d position(int ball) const { return vector(x_[place_[ball]].data()); }
    Eigen::Vector3d velocity(int ball) const { return vector(v_[place_[ball]].data()); }
    Eigen::Vector3d angular_velocity(int ball) const { return vector(v_[place_[ball]].data() + 4); }

    // Of the last step: force of the balls on a wall and its moment about the origin of the wall's frame.
    const Wrench& wall_wrench(int wall) const { return wrench_[wall]; }
    int contacts() const { return deepest_.contacts; }
    double largest_overlap() const { return deepest_.delta; }
    // Balls (by number) of the largest overlap; the second is -1 - wall for a wall.
    std::pair<int, int> deepest() const { return {deepest_.one, deepest_.other}; }
    double momentum_error() const { return momentum_error_; }

    // Of the state now.
    double kinetic_energy() const;
    double spring_energy() const;
    Eigen::Vector3d momentum() const;
    Eigen::Vector3d centre_of_mass() const;
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

  private:
    using Vector = Eigen::Vector3d;
    static constexpr int block_size = 256;
    struct Pushed {                                  // what a contact does to b
        Vector normal, tangential, turning, rolling; // turning: n x tangential
        double arm_a, arm_b, delta;
        Vector n, u;
        void answer(const Overlap& o, const PenaltyForce& f)
        {
            normal = f.normal;
            tangential = f.tangential;
            turning = o.n.cross(f.tangential);
            rolling = f.rolling;
            delta = o.delta;
            n = o.n;
            u = o.u;
        }
    };
    struct Sums { // over a block of balls
        double work[3], wall_work[3], momentum[3], push[3], pushed, speed;
    };
    struct Deepest {
        double delta = 0;
        int one = -1, other = -1, contacts = 0;
        void add(double d, int i, int j)
        {
            ++contacts;
            if (!(d > delta)) return;
            delta = d;
            one = i;
            other = j;
        }
        void add(const Deepest& d)
        {
            contacts += d.contacts;
            if (!(d.delta > delta)) return;
            delta = d.delta;
            one = d.one;
            other = d.other;
        }
    };
    struct Kept { // a contact with history
        int i, j;
        Vector u;
    };
    using Force =
        std::array<double, 12>; // normal, tangential; torques of the tangential force and of rolling

    static Vector vector(const double* x) { return {x[0], x[1], x[2]}; }
    const PenaltyLaw& law(int material_a, int material_b) const
    {
        return laws_[material_a * materials_ + material_b];
    }
    bool push(int i, int j, Vector* u_T, Pushed& out) const;      // balls
    bool push_wall(int i, int s, Vector* u_T, Pushed& out) const; // ball i and surface s
    void add(Force& force, const Pushed& p, double sign, double arm) const;
    void pair_forces();
    void wall_forces(int block, std::span<const BodyMotion> next, Sums& sums);
    void move(int begin, int end, Sums& sums);
    void reduce();
    void move_walls(std::span<const BodyMotion> next);
    void renew();
    void sort();
    void list_outer();
    void refresh();
    void list_walls();
    void arrange(std::vector<Kept>& pairs, std::span<const Kept> walls); // as lists to take histories from
    void keep(std::vector<Kept>& pairs, std::vector<Kept>& walls) const; // those with history, by number
    int blocks() const { return (count() + block_size - 1) / block_size; }
    bool elastic() const { return options_.friction == FrictionModel::elastic; }

    BedOptions options_;
    std::vector<PenaltyLaw> laws_;
    int materials_;
    bool rolls_ = false;
    double size_ = 0; // diameter of the largest ball
    // Balls, sorted.
    std::vector<int> number_, place_;      // of ball at a place; place of a ball
    std::vector<BallRow> x_;               // centre, radius
    std::vector<std::array<double, 8>> v_; // velocity, 1/m, angular velocity, 1/I
    std::vector<int> material_;
    std::vector<Force> force_; // zero between steps
    // Walls.
    std::vector<WallSurface> surfaces_;
    std::vector<int> wall_material_, first_surface_;
    std::vector<BodyMotion> motion_;
    std::vector<double> reach_; // largest distance of a ball from the wall's origin when the list was made
    std::vector<Wrench> wrench_;
    // Lists.
    BallGrid grid_;
    std::vector<int> outer_start_, outer_;
    std::vector<int> inner_start_, inner_, before_start_, before_;
    std::vector<Vector> u_, u_before_;
    std::vector<int> in_start_, in_, in_fill_; // pairs of the inner list by their second ball; with threads
    std::vector<Pushed> pushed_;
    struct WallContact {
        int ball, surface;
        Vector u{0, 0, 0};
    };
    std::vector<WallContact> wall_list_, wall_before_;
    std::vector<int> wall_first_;               // by block
    std::vector<Kept> kept_pairs_, kept_walls_; // while sorting, as are the next
    std::vector<BallRow> old_x_;
    std::vector<std::array<double, 8>> old_v_;
    std::vector<int> old_;
    double outer_moved_ = 0, inner_moved_ = 0, wall_moved_ = 0;
    long sorts_ = 0;
    // Sums.
    std::vector<Sums> sums_;
    std::vector<Deepest> depth_;
    std::vector<std::array<double, 6>> wall_sums_; // by block and wall
    Deepest deepest_;
    Vector mean_{0, 0, 0}; // velocity c
    double mass_ = 0;
    double momentum_error_ = 0;
    double work_[3] = {0, 0, 0}, wall_work_[3] = {0, 0, 0};
    Dissipation spring_parts() const; // energies of the springs, of normal and tangential ones
    Dissipation start_springs_;
};

} // namespace tamis
