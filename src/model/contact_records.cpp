// Each record is a row of 22 numbers and three integers: two shapes and a feature. Shapes that the model does not have
// are refused, since files may be damaged.
#include "tamis/model/contact_records.hpp"

#include <array>

namespace tamis {

namespace {
constexpr std::size_t width = 1 + 3 + 9 + 3 + 3 + 3; // gap, point, frame, u_minus, u_plus, impulse
} // namespace

void write_records(const std::string& name, std::span<const ContactRecord> records, SavedState& out)
{
    std::vector<std::int64_t> pairs;
    std::vector<double> values;
    for (const ContactRecord& c : records) {
        pairs.insert(pairs.end(), {c.shape_a, c.shape_b, c.feature});
        values.push_back(c.gap);
        const auto append = [&](const auto& x) {
            values.insert(values.end(), x.data(), x.data() + x.size());
        };
        append(c.point);
        append(c.frame);
        append(c.u_minus);
        append(c.u_plus);
        append(c.impulse);
    }
    out.put_integers(name + "_pairs", pairs);
    out.put(name, values);
}

std::vector<ContactRecord> read_records(const std::string& name, const SavedState& in, const Model& model)
{
    const std::vector<std::int64_t>& pairs = in.get_integers(name + "_pairs");
    const std::size_t count = pairs.size() / 3;
    const std::vector<double>& values = in.get(name, width * count);
    const auto shapes = static_cast<std::int64_t>(model.shapes().size());
    std::vector<ContactRecord> records(count);
    for (std::size_t k = 0; k < count; ++k) {
        ContactRecord& c = records[k];
        for (const std::int64_t shape : {pairs[3 * k], pairs[3 * k + 1]})
            if (shape < 0 || shape >= shapes)
                fail("The state to go on from has a contact of shape {} of {}: the file is damaged.", shape,
                     shapes);
        c.shape_a = static_cast<int>(pairs[3 * k]);
        c.shape_b = static_cast<int>(pairs[3 * k + 1]);
        c.feature = static_cast<int>(pairs[3 * k + 2]);
        const double* x = &values[width * k];
        c.gap = x[0];
        c.point = Eigen::Map<const Eigen::Vector3d>(x + 1);
        c.frame = Eigen::Map<const Eigen::Matrix3d>(x + 4);
        c.u_minus = Eigen::Map<const Eigen::Vector3d>(x + 13);
        c.u_plus = Eigen::Map<const Eigen::Vector3d>(x + 16);
        c.impulse = Eigen::Map<const Eigen::Vector3d>(x + 19);
    }
    return records;
}

void write_taken(const Dissipation& taken, SavedState& out)
{
    out.put("energy_taken", std::array{taken.normal, taken.friction, taken.rolling});
}

Dissipation read_taken(const SavedState& in)
{
    const std::vector<double>& taken = in.get("energy_taken", 3);
    return {taken[0], taken[1], taken[2]};
}

} // namespace tamis
