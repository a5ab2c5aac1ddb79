// A motion: the reference node, if there is one; labels, with four bytes behind an odd number of them; then one field
// of all nodes after the other: x, orientation, v, omega, a, alpha. Forces likewise: f, m. Relative motion, marked ~,
// in the axes R of a reference node r that moves itself, with d = R x~:
//
//     x = x_r + d                                  v = v_r + omega_r x d + R v~
//     a = a_r + alpha_r x d + omega_r x (omega_r x d) + 2 omega_r x R v~ + R a~
//     omega = omega_r + R omega~                   alpha = alpha_r + omega_r x R omega~ + R alpha~
#include "tamis/cosim/mbdyn_protocol.hpp"

#include "tamis/base/error.hpp"
#include "tamis/model/rotation.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

namespace tamis {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

enum Flag : std::uint32_t {
    nodal = 0x02,
    with_reference = 0x04,
    with_accelerations = 0x08,
    with_labels = 0x10,
    orientation_mask = 0xf00,
    compared = 0x0f | with_labels | orientation_mask,
};

std::uint32_t orientation_flag(MbdynOrientation orientation)
{
    switch (orientation) {
    case MbdynOrientation::none:
        return 0;
    case MbdynOrientation::vector:
        return 0x100;
    case MbdynOrientation::matrix:
        return 0x200;
    case MbdynOrientation::euler123:
        return 0x400;
    }
    return 0;
}

bool turns(const MbdynLayout& layout)
{
    return layout.orientation != MbdynOrientation::none;
}

std::size_t numbers_of_orientation(const MbdynLayout& layout)
{
    return !turns(layout) ? 0 : layout.orientation == MbdynOrientation::matrix ? 9 : 3;
}

std::size_t numbers_of_motion(const MbdynLayout& layout)
{
    const std::size_t rates = turns(layout) ? 6 : 3;
    return 3 + numbers_of_orientation(layout) + rates + (layout.accelerations ? rates : 0);
}

std::size_t size_of_labels(const MbdynLayout& layout) // a multiple of eight
{
    return layout.labels ? static_cast<std::size_t>(4 * (layout.nodes + layout.nodes % 2)) : 0;
}

class Reader {
  public:
    explicit Reader(std::span<const std::byte> message) : from_(message.data()) {}
    template <class T>
    T next()
    {
        T value;
        std::memcpy(&value, from_, sizeof value);
        from_ += sizeof value;
        return value;
    }
    void skip(std::size_t bytes) { from_ += bytes; }
    Vector3d vector()
    {
        const double x = next<double>(), y = next<double>(), z = next<double>();
        require_finite(x + y + z);
        return {x, y, z};
    }
    Quaterniond turn(MbdynOrientation orientation)
    {
        if (orientation == MbdynOrientation::none) return Quaterniond::Identity();
        const Vector3d a = vector();
        if (orientation == MbdynOrientation::vector) {
            require_finite(a.squaredNorm());
            return exp_turn(a);
        }
        if (orientation == MbdynOrientation::euler123) {
            const Vector3d angle = a * (std::numbers::pi / 180);
            return AngleAxisd(angle[0], Vector3d::UnitX()) * AngleAxisd(angle[1], Vector3d::UnitY()) *
                   AngleAxisd(angle[2], Vector3d::UnitZ());
        }
        Matrix3d R;
        R.col(0) = a;
        R.col(1) = vector();
        R.col(2) = vector();
        if (!((R.transpose() * R - Matrix3d::Identity()).norm() < 1e-6 && R.determinant() > 0))
            fail("MBDyn sent an orientation matrix that is no rotation: do both sides have the same layout?");
        return Quaterniond(R);
    }

  private:
    static void require_finite(double x)
    {
        if (!std::isfinite(x)) fail("MBDyn sent a motion that is not finite: its solution has diverged.");
    }

    const std::byte* from_;
};

class Writer {
  public:
    explicit Writer(std::size_t size) { bytes_.reserve(size); }
    template <class T>
    void put(const T& value)
    {
        const auto* from = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), from, from + sizeof value);
    }
    void put(const Vector3d& x)
    {
        for (int i = 0; i < 3; ++i) put(x[i]);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

  private:
    std::vector<std::byte> bytes_;
};

// Motion relative to a node that moves, in its axes, as seen from the world.
InterfaceMotion in_the_world(const InterfaceMotion& relative, const InterfaceMotion& r)
{
    const Vector3d d = r.turn * relative.x, v = r.turn * relative.v, omega = r.turn * relative.omega;
    return {.x = r.x + d,
            .turn = r.turn * relative.turn,
            .v = r.v + r.omega.cross(d) + v,
            .omega = r.omega + omega,
            .a = r.a + r.alpha.cross(d) + r.omega.cross(r.omega.cross(d)) + 2 * r.omega.cross(v) +
                 r.turn * relative.a,
            .alpha = r.alpha + r.omega.cross(omega) + r.turn * relative.alpha};
}

} // namespace

std::uint32_t MbdynLayout::flags() const
{
    return nodal | (reference ? with_reference : 0u) | (accelerations ? with_accelerations : 0u) |
           (labels ? with_labels : 0u) | orientation_flag(orientation);
}

std::string MbdynLayout::text() const
{
    static constexpr const char* orientations[] = {"no orientation", "orientation vectors",
                                                   "orientation matrices", "orientation by euler 123"};
    const auto with = [](bool has, const char* what) {
        return fmt::format(", {}{}", has ? "" : "no ", what);
    };
    return fmt::format("{} node{}, {}{}{}{}", nodes, nodes == 1 ? "" : "s",
                       orientations[static_cast<int>(orientation)], with(labels, "labels"),
                       with(accelerations, "accelerations"), with(reference, "reference node"));
}

std::size_t MbdynLayout::motion_size() const
{
    const std::size_t of_reference = reference ? (labels ? 8 : 0) + 8 * numbers_of_motion(*this) : 0;
    return of_reference + size_of_labels(*this) +
           8 * static_cast<std::size_t>(nodes) * numbers_of_motion(*this);
}

std::size_t MbdynLayout::force_size() const
{
    const std::size_t wrench = 8 * (turns(*this) ? 6 : 3);
    const std::size_t of_reference = reference ? (labels ? 8 : 0) + wrench : 0;
    return of_reference + size_of_labels(*this) + static_cast<std::size_t>(nodes) * wrench;
}

std::vector<std::byte> mbdyn_negotiation(const MbdynLayout& layout)
{
    Writer message(mbdyn_negotiation_size);
    message.put(MbdynCommand::negotiation);
    message.put(layout.flags());
    message.put(static_cast<std::uint32_t>(layout.nodes));
    return message.take();
}

void check_mbdyn_negotiation(const MbdynLayout& layout, std::span<const std::byte> message)
{
    Reader reader(message);
    const auto command = reader.next<std::uint8_t>();
    const auto flags = reader.next<std::uint32_t>(), nodes = reader.next<std::uint32_t>();
    if (command != static_cast<std::uint8_t>(MbdynCommand::negotiation))
        fail("MBDyn began with command {} instead of the negotiation, {}: is it the socket of an external "
             "structural force?",
             command, static_cast<int>(MbdynCommand::negotiation));
    if (!(flags & nodal))
        fail("MBDyn offers a modal element: give it an external structural force on nodes instead.");
    MbdynLayout theirs{.nodes = static_cast<int>(nodes),
                       .labels = (flags & with_labels) != 0,
                       .accelerations = (flags & with_accelerations) != 0,
                       .reference = (flags & with_reference) != 0};
    for (const MbdynOrientation o : {MbdynOrientation::none, MbdynOrientation::vector,
                                     MbdynOrientation::matrix, MbdynOrientation::euler123})
        if ((flags & orientation_mask) == orientation_flag(o)) theirs.orientation = o;
    if ((flags & compared) != theirs.flags())
        fail("MBDyn offers a layout with the flags {:#x}, which are unknown here: write its element as a "
             "force "
             "on nodes.",
             flags);
    if (theirs.flags() != layout.flags() || nodes != static_cast<std::uint32_t>(layout.nodes))
        fail("MBDyn's element has {}, and this run {}: make them the same.", theirs.text(), layout.text());
}

MbdynMotion read_mbdyn_motion(const MbdynLayout& layout, std::span<const std::byte> message)
{
    if (message.size() != layout.motion_size())
        fail("A motion from MBDyn has {} bytes instead of {}.", message.size(), layout.motion_size());
    const auto n = static_cast<std::size_t>(layout.nodes);
    MbdynMotion motion;
    Reader reader(message);
    if (layout.reference) {
        if (layout.labels) motion.reference_label = reader.next<std::uint32_t>(), reader.skip(4);
        InterfaceMotion& r = motion.reference;
        r.x = reader.vector();
        r.turn = reader.turn(layout.orientation);
        r.v = reader.vector();
        if (turns(layout)) r.omega = reader.vector();
        if (layout.accelerations) r.a = reader.vector();
        if (layout.accelerations && turns(layout)) r.alpha = reader.vector();
    }
    if (layout.labels) {
        for (std::size_t i = 0; i < n; ++i) motion.labels.push_back(reader.next<std::uint32_t>());
        reader.skip(size_of_labels(layout) - 4 * n);
    }
    motion.nodes.resize(n);
    for (InterfaceMotion& m : motion.nodes) m.x = reader.vector();
    for (InterfaceMotion& m : motion.nodes) m.turn = reader.turn(layout.orientation);
    for (InterfaceMotion& m : motion.nodes) m.v = reader.vector();
    if (turns(layout))
        for (InterfaceMotion& m : motion.nodes) m.omega = reader.vector();
    if (layout.accelerations)
        for (InterfaceMotion& m : motion.nodes) m.a = reader.vector();
    if (layout.accelerations && turns(layout))
        for (InterfaceMotion& m : motion.nodes) m.alpha = reader.vector();
    if (layout.reference)
        for (InterfaceMotion& m : motion.nodes) {
            m = in_the_world(m, motion.reference);
            if (!layout.accelerations) m.a = m.alpha = Vector3d(0, 0, 0);
        }
    return motion;
}

std::vector<std::byte> mbdyn_forces(const MbdynLayout& layout, MbdynCommand command,
                                    const MbdynMotion& motion, std::span<const Wrench> forces)
{
    Writer message(1 + layout.force_size());
    message.put(command);
    const Quaterniond to_wire =
        layout.reference ? motion.reference.turn.conjugate() : Quaterniond::Identity();
    const auto on_wire = [&](const Vector3d& x) { return layout.reference ? Vector3d(to_wire * x) : x; };
    if (layout.reference) { // the resultant: MBDyn gives that node what is beyond it, nothing
        if (layout.labels) message.put(motion.reference_label), message.put(std::uint32_t{0});
        Vector3d force(0, 0, 0), moment(0, 0, 0);
        for (std::size_t i = 0; i < forces.size(); ++i) {
            force += forces[i].force;
            moment += forces[i].moment + (motion.nodes[i].x - motion.reference.x).cross(forces[i].force);
        }
        message.put(on_wire(force));
        if (turns(layout)) message.put(on_wire(moment));
    }
    if (layout.labels) {
        for (const std::uint32_t label : motion.labels) message.put(label);
        if (layout.nodes % 2) message.put(std::uint32_t{0});
    }
    for (const Wrench& f : forces) message.put(on_wire(f.force));
    if (turns(layout))
        for (const Wrench& f : forces) message.put(on_wire(f.moment));
    return message.take();
}

} // namespace tamis
