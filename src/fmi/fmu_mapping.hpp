// Which variables of an FMU are the motion of a marker, and which take the wrench on it, in words such as
//
//     position=x; velocity=v; force=f
//     position=r; velocity=v; quaternion=q[1],q[2],q[3],q[4]; angular_velocity=w; force=f; moment=t
//
// Components follow each other; '-' leaves one out, as do those not named: the marker stays there as it starts, and the
// wrench is not told. An array stands for all of its elements. Names may hold commas and semicolons within brackets and
// quotation marks. `velocity=differences` takes quotients of the positions, `force=none` says that no wrench is told.
#pragma once

#include "tamis/base/error.hpp"
#include "tamis/cosim/interface_motion.hpp"
#include "tamis/fmi/fmu_description.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace tamis {

class FmuMapping {
  public:
    // `name` is that of the FMU, for errors.
    FmuMapping(const std::string& words, const FmuDescription& fmu, const std::string& name);

    // For calls of the FMU: value references, and the numbers that belong to them.
    const std::vector<std::uint32_t>& outputs() const { return outputs_.references; }
    const std::vector<std::uint32_t>& inputs() const { return inputs_.references; }
    std::size_t output_size() const { return outputs_.slots.size(); }
    std::size_t input_size() const { return inputs_.slots.size(); }
    const std::string& output_name(std::size_t slot) const { return outputs_.slots[slot].name; }

    bool turns() const { return turn_ != none; }
    bool accelerations() const { return accelerations_; } // of all that moves

    // `rest`: what it does not tell; `before`: the motion a time `h` earlier, for differences. All in the FMU's world.
    InterfaceMotion motion(std::span<const double> values, const InterfaceMotion& rest,
                           const InterfaceMotion& before, double h) const;
    void wrench(const Wrench& wrench, std::span<double> values) const;

  private:
    enum Quantity {
        position,
        velocity,
        acceleration,
        rotation,
        angles,
        quaternion,
        matrix,
        angular_velocity,
        angular_acceleration,
        force,
        moment,
        none
    };
    struct Kind;
    static const Kind kinds[none];
    struct Slot {
        std::string name;
        double factor, offset; // to SI
    };
    struct Side {
        std::vector<std::uint32_t> references;
        std::vector<Slot> slots;
    };
    using Places = std::array<int, 9>; // slots of the components, -1: none

    template <class... Args>
    [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const;
    void read(const std::string& entry, const FmuDescription& fmu);
    void place(Quantity quantity, std::size_t component, const FmuVariable& variable,
               const FmuDescription& fmu);
    void check(const FmuDescription& fmu);
    bool has(Quantity quantity) const;
    double si(std::span<const double> values, int place) const;
    Eigen::Quaterniond orientation(std::span<const double> values) const;

    std::string name_;
    Side outputs_, inputs_;
    std::array<Places, none> places_;
    std::array<bool, none> named_{};
    Quantity turn_ = none; // how the orientation is told
    bool velocity_differences_ = false, turn_differences_ = false, no_wrench_ = false, accelerations_ = false;
};

// The parts between separators, without spaces around them; separators within brackets and quotation marks do not
// count.
std::vector<std::string> split_words(std::string_view text, char separator);

// "its outputs are x, v and its inputs f", as many as one wants to read.
std::string words_of_variables(const FmuDescription& fmu);

} // namespace tamis
