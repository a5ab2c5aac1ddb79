// Mesh files: STL (3D Systems, 1988) in both forms, and of OBJ (Wavefront) vertices and polygons.
//
// A binary STL file is 80 bytes of anything, the number n of triangles, and 50 bytes for each: a file of
// 84 + 50 n bytes is binary, whatever its first word is. (In a text file the four bytes of n are letters, so
// n would be above 10^8.) STL repeats vertices in each triangle: equal ones become one. Polygons of OBJ
// become fans around their first vertex, which is exact for convex ones.
//
// VTK 9.1 reads both, but not well enough. Its points are single precision (0.1 becomes 0.10000000149), in text
// STL and OBJ too. Of the inputs of tests/fuzz, vtkOBJReader crashes on 545 of 1500 (a face that names a texture
// it has not is enough) and returns vertices that are not there on 106 more; vtkSTLReader needs more than 4 GB
// for 313 of 3000, and takes silently 866 that are cut, inconsistent or not finite.
#include "tamis/io/mesh_file.hpp"

#include "tamis/base/error.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace tamis {

namespace {

using Eigen::Vector3d;

std::string content(const std::filesystem::path& file)
{
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    std::string bytes(error ? 0 : size, ' ');
    std::ifstream in(file, std::ios::binary);
    if (error || !in.read(bytes.data(), static_cast<std::streamsize>(bytes.size())))
        fail("Cannot read the mesh file '{}': check that the file exists and may be read.",
             std::filesystem::absolute(file).string()); // relative to the folder of the program's start
    return bytes;
}

std::string lower(std::string_view text)
{
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
    return result;
}

// Words of a text file, line by line. A backslash at the end continues a line of OBJ, but not a comment or a
// name, which may end so by chance.
class Lines {
  public:
    Lines(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

    bool next()
    {
        words_.clear();
        if (text_.empty()) return false;
        line_ = following_;
        for (bool continued = true; continued && !text_.empty();) {
            std::string_view line = text_.substr(0, text_.find('\n'));
            text_.remove_prefix(std::min(text_.size(), line.size() + 1));
            ++following_;
            while (!line.empty() && space(line.back())) line.remove_suffix(1);
            const bool backslash = line.ends_with('\\');
            if (backslash) line.remove_suffix(1);
            for (std::size_t i = 0; i < line.size();) {
                std::size_t end = i;
                while (end < line.size() && !space(line[end])) ++end;
                if (end > i) words_.push_back(line.substr(i, end - i));
                i = end + 1;
            }
            continued = backslash && !words_.empty() && (words_[0] == "v" || words_[0] == "f");
        }
        return true;
    }

    const std::vector<std::string_view>& words() const { return words_; }
    std::string where() const { return fmt::format("{}:{}", name_, line_); }

    // The three numbers after the first word; more words may follow.
    Vector3d vector() const
    {
        Vector3d x;
        for (std::size_t k = 0; k < 3; ++k) {
            const std::optional<double> value =
                k + 1 < words_.size() ? number<double>(words_[k + 1]) : std::nullopt;
            if (!value || !std::isfinite(*value))
                fail("{}: a vertex needs three finite numbers: correct the line or export the mesh again.",
                     where());
            x[k] = *value;
        }
        return x;
    }

    template <class Number>
    static std::optional<Number> number(std::string_view word)
    {
        if (word.starts_with('+')) word.remove_prefix(1);
        Number value;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
        return value;
    }

  private:
    static bool space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

    std::string_view text_;
    std::string name_;
    std::vector<std::string_view> words_;
    int line_ = 0, following_ = 1;
};

// Numbers the vertices in order of appearance, equal ones alike.
class Weld {
  public:
    explicit Weld(TriangleMesh& mesh) : mesh_(mesh) {}

    int operator()(const Vector3d& x)
    {
        const Key key{x[0] + 0.0, x[1] + 0.0, x[2] + 0.0}; // -0 and 0 are equal
        const auto [found, added] = numbers_.emplace(key, static_cast<int>(mesh_.vertices.size()));
        if (added) mesh_.vertices.push_back(x);
        return found->second;
    }

  private:
    using Key = std::array<double, 3>;
    struct Hash {
        std::size_t operator()(const Key& key) const
        {
            std::uint64_t h = 0;
            for (double x : key) h = (h ^ std::bit_cast<std::uint64_t>(x) ^ (h >> 29)) * 0x9E3779B97F4A7C15u;
            return h ^ (h >> 32);
        }
    };
    TriangleMesh& mesh_;
    std::unordered_map<Key, int, Hash> numbers_;
};

TriangleMesh read_binary_stl(const std::string& bytes, const std::string& name)
{
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 4; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
        return value;
    };
    TriangleMesh mesh;
    Weld weld(mesh);
    for (std::size_t at = 84; at < bytes.size(); at += 50) {
        std::array<int, 3> triangle;
        for (std::size_t i = 0; i < 3; ++i) {
            Vector3d x;
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t place = at + 12 + 12 * i + 4 * k; // after the normal
                x[k] = std::bit_cast<float>(word(place));
                if (!std::isfinite(x[k]))
                    fail("{}: the coordinate at byte {} is not a finite number: export the mesh again.", name,
                         place);
            }
            triangle[i] = weld(x);
        }
        mesh.triangles.push_back(triangle);
    }
    return mesh;
}

TriangleMesh read_text_stl(const std::string& text, const std::string& name)
{
    TriangleMesh mesh;
    Weld weld(mesh);
    Lines lines(text, name);
    std::vector<int> corners;
    bool in_facet = false;
    while (lines.next()) {
        if (lines.words().empty()) continue;
        const std::string word = lower(lines.words()[0]);
        const bool inner = word == "outer" || word == "vertex" || word == "endloop" || word == "endfacet";
        const bool outer = word == "solid" || word == "facet" || word == "endsolid";
        if (in_facet ? !inner : !outer)
            fail("{}: '{}' cannot stand {} a facet: correct the line or export the mesh again.",
                 lines.where(), lines.words()[0], in_facet ? "inside" : "outside");
        if (word == "facet") {
            in_facet = true;
            corners.clear();
        } else if (word == "vertex") {
            corners.push_back(weld(lines.vector()));
        } else if (word == "endfacet") {
            if (corners.size() != 3)
                fail("{}: the facet has {} vertices: export the mesh as triangles.", lines.where(),
                     corners.size());
            mesh.triangles.push_back({corners[0], corners[1], corners[2]});
            in_facet = false;
        }
    }
    if (in_facet) fail("{}: the file ends inside a facet: export the mesh again.", lines.where());
    return mesh;
}

TriangleMesh read_stl(const std::string& bytes, const std::string& name)
{
    // (84 + 50 n exactly, without overflow.)
    std::uint64_t count = 0;
    if (bytes.size() >= 84)
        for (std::size_t i = 4; i-- > 0;) count = count << 8 | static_cast<unsigned char>(bytes[80 + i]);
    if (bytes.size() >= 84 && bytes.size() == 84 + 50 * count) return read_binary_stl(bytes, name);
    const bool text = bytes.find('\0') == std::string::npos;
    if (!text && bytes.size() >= 84)
        fail("{}: {} triangles, announced at byte 80, take {} bytes but the file has {}: export the mesh "
             "again.",
             name, count, 84 + 50 * count, bytes.size());
    if (!text) fail("{}: ends at byte {}, within its header: export the mesh again.", name, bytes.size());
    return read_text_stl(bytes, name);
}

TriangleMesh read_obj(const std::string& text, const std::string& name)
{
    TriangleMesh mesh;
    Lines lines(text, name);
    std::vector<int> corners;
    while (lines.next()) {
        if (lines.words().empty()) continue;
        if (lines.words()[0] == "v") mesh.vertices.push_back(lines.vector());
        if (lines.words()[0] != "f") continue;
        corners.clear();
        const int count = static_cast<int>(mesh.vertices.size());
        for (std::size_t i = 1; i < lines.words().size(); ++i) {
            const std::string_view word = lines.words()[i]; // v, v/vt, v//vn or v/vt/vn
            const std::optional<int> given = Lines::number<int>(word.substr(0, word.find('/')));
            const int index = !given ? -1 : *given < 0 ? count + *given : *given - 1;
            if (index < 0 || index >= count)
                fail("{}: '{}' is none of the {} vertices given so far: correct the line or export the mesh "
                     "again.",
                     lines.where(), word, count);
            corners.push_back(index);
        }
        if (corners.size() < 3)
            fail("{}: the face has {} vertices: give it at least three.", lines.where(), corners.size());
        for (std::size_t i = 2; i < corners.size(); ++i)
            mesh.triangles.push_back({corners[0], corners[i - 1], corners[i]});
    }
    return mesh;
}

} // namespace

TriangleMesh read_mesh(const std::filesystem::path& file)
{
    const std::string name = file.string(), kind = lower(file.extension().string());
    if (kind != ".stl" && kind != ".obj")
        fail("{}: only .stl and .obj files are read as meshes: export the mesh as one of these.", name);
    const std::string bytes = content(file);
    TriangleMesh mesh = kind == ".stl" ? read_stl(bytes, name) : read_obj(bytes, name);
    if (mesh.vertices.empty()) fail("{}: the file has no vertices: export the mesh again.", name);
    // Height below 1e-12 of the longest side: no normal.
    std::erase_if(mesh.triangles, [&](const std::array<int, 3>& t) {
        const Vector3d u = mesh.vertices[t[1]] - mesh.vertices[t[0]],
                       v = mesh.vertices[t[2]] - mesh.vertices[t[0]];
        const double longest = std::max({u.squaredNorm(), v.squaredNorm(), (u - v).squaredNorm()});
        return !(u.cross(v).norm() > 1e-12 * longest);
    });
    return mesh;
}

void write_obj(const Surface& surface, const std::filesystem::path& file)
{
    std::ofstream out(file, std::ios::binary);
    for (const Vector3d& x : surface.vertices) out << fmt::format("v {} {} {}\n", x.x(), x.y(), x.z());
    for (const auto& face : surface.faces) {
        out << 'f';
        for (int v : face) out << ' ' << v + 1;
        out << '\n';
    }
    if (!out.flush())
        fail("Cannot write the mesh file {}: check that its folder exists and may be written.",
             file.string());
}

namespace {

TriangleMesh scaled_mesh(const char* kind, const std::filesystem::path& file, double scale)
{
    if (!(scale > 0) || !std::isfinite(scale))
        fail("The {} of {} cannot be scaled by {}: give it a positive, finite scale.", kind, file.string(),
             scale);
    TriangleMesh mesh = read_mesh(file);
    for (Eigen::Vector3d& x : mesh.vertices) x *= scale;
    return mesh;
}

} // namespace

Shape polyhedron(const std::filesystem::path& file, double scale)
{
    return Polyhedron{std::make_shared<const Hull>(
        make_hull(scaled_mesh("polyhedron", file, scale).vertices, "polyhedron " + file.string()))};
}

Shape mesh(const std::filesystem::path& file, double scale)
{
    TriangleMesh triangles = scaled_mesh("mesh", file, scale);
    if (triangles.triangles.empty())
        fail("The mesh of {} has no triangle with an area: export it with its faces.", file.string());
    return Mesh{std::make_shared<const TriangleMesh>(
        make_mesh(std::move(triangles.vertices), triangles.triangles, "mesh " + file.string()))};
}

} // namespace tamis
