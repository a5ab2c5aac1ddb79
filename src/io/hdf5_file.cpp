// HDF5 by its C interface; the only file that includes it.
// HDF5 works in memory (its `core` driver) and write_file() stores: its own file output does not tell why it
// failed and locks files, which some network disks refuse. Times of objects are not recorded, so that equal
// content gives equal bytes. Shuffling by bytes, then zlib level 1: higher levels gain little on numbers.
// HDF5 reads damaged files as if they were whole, to the point of crashing: the seal behind the image, a
// magic word and the hash of all bytes before it, is checked before HDF5 sees them.
#include "tamis/io/hdf5_file.hpp"

#include "tamis/base/error.hpp"
#include "tamis/base/state_hash.hpp"
#include "tamis/io/file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <hdf5.h>

namespace tamis {

namespace {

constexpr std::size_t compress_from = 1024; // values
constexpr std::size_t chunk_values = 1 << 16;
constexpr std::size_t deepest = 8; // groups within groups; deeper ones are links in a circle

// While it lives HDF5 prints nothing.
class Silence {
  public:
    Silence()
    {
        // A damaged file leaves objects inside HDF5 that it would complain of at the end of the program; all
        // handles are closed here.
        static const herr_t once = H5dont_atexit();
        (void)once;
        H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    }
    ~Silence() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
    Silence(const Silence&) = delete;
    Silence& operator=(const Silence&) = delete;

  private:
    H5E_auto2_t print_ = nullptr;
    void* data_ = nullptr;
};

struct Refused {}; // by HDF5; told as an Error where file and dataset are known

template <class T>
T checked(T result)
{
    if (result < 0) throw Refused{};
    return result;
}

class Handle {
  public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(checked(id)), close_(close) {}
    ~Handle() { close_(id_); }
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    operator hid_t() const { return id_; }

  private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

hid_t memory_type(const std::vector<double>&)
{
    return H5T_NATIVE_DOUBLE;
}
hid_t memory_type(const std::vector<std::int32_t>&)
{
    return H5T_NATIVE_INT32;
}
hid_t memory_type(const std::vector<std::int64_t>&)
{
    return H5T_NATIVE_INT64;
}
hid_t memory_type(const std::vector<std::uint64_t>&)
{
    return H5T_NATIVE_UINT64;
}

hid_t text_type(std::size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size);
    return type;
}

// A place for values of a shape in the file: a dataset or an attribute.
template <class Create, class Write>
void put(const Hdf5::Values& values, std::size_t columns, Create&& create, Write&& write)
{
    if (const auto* text = std::get_if<std::string>(&values)) {
        const Handle type(text_type(text->size() + 1), H5Tclose), space(H5Screate(H5S_SCALAR), H5Sclose);
        write(create(type, space, 0, 0), type, text->c_str());
        return;
    }
    std::visit(
        [&](const auto& v) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(v)>, std::string>) {
                const std::size_t rows = columns == 0 ? v.size() : v.size() / columns;
                const std::array<hsize_t, 2> shape{rows, columns};
                const Handle space(H5Screate_simple(columns == 0 ? 1 : 2, shape.data(), nullptr), H5Sclose);
                write(create(memory_type(v), space, rows, columns), memory_type(v), v.data());
            }
        },
        values);
}

void put_dataset(hid_t file, const std::string& path, const Hdf5::Dataset& dataset)
{
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    checked(H5Pset_create_intermediate_group(links, 1));
    const auto create = [&](hid_t type, hid_t space, std::size_t rows, std::size_t columns) {
        const Handle how(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
        checked(H5Pset_obj_track_times(how, 0));
        const std::size_t width = std::max<std::size_t>(columns, 1);
        if (rows * width >= compress_from) {
            const std::array<hsize_t, 2> chunk{std::min(rows, std::max<std::size_t>(chunk_values / width, 1)),
                                               width};
            checked(H5Pset_chunk(how, columns == 0 ? 1 : 2, chunk.data()));
            checked(H5Pset_shuffle(how));
            checked(H5Pset_deflate(how, 1));
        }
        return H5Dcreate2(file, path.c_str(), type, space, links, how, H5P_DEFAULT);
    };
    put(dataset.values, dataset.columns, create, [&](hid_t id, hid_t type, const void* data) {
        const Handle place(id, H5Dclose);
        checked(H5Dwrite(place, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
    });
}

void put_attribute(hid_t file, const std::string& name, const Hdf5::Values& values)
{
    const auto create = [&](hid_t type, hid_t space, std::size_t, std::size_t) {
        return H5Acreate2(file, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    };
    put(values, 0, create, [&](hid_t id, hid_t type, const void* data) {
        const Handle place(id, H5Aclose);
        checked(H5Awrite(place, type, data));
    });
}

std::string image_of(hid_t file)
{
    checked(H5Fflush(file, H5F_SCOPE_GLOBAL));
    std::string image(static_cast<std::size_t>(checked(H5Fget_file_image(file, nullptr, 0))), '\0');
    checked(H5Fget_file_image(file, image.data(), image.size()));
    return image;
}

constexpr std::string_view magic = "TAMISSUM";
constexpr std::size_t seal_size = 16;

std::string seal(std::string_view image)
{
    StateHash hash;
    hash.add(std::uint64_t{image.size()});
    for (; !image.empty(); image.remove_prefix(std::min<std::size_t>(image.size(), 8))) {
        std::uint64_t word = 0;
        std::memcpy(&word, image.data(), std::min<std::size_t>(image.size(), 8));
        hash.add(word);
    }
    std::string result(magic);
    for (int k = 0; k < 8; ++k) result += static_cast<char>(hash.value >> 8 * k & 0xff);
    return result;
}

class Reader {
  public:
    Reader(Hdf5& content, std::size_t file_size) : content_(content), most_(2000 * file_size + 4096) {}

    // Datasets below a group, then deeper groups; `at_` is what is being read.
    void group(hid_t id, const std::string& path, std::size_t depth)
    {
        H5G_info_t info;
        checked(H5Gget_info(id, &info));
        if (depth > deepest) return;
        for (hsize_t k = 0; k < info.nlinks; ++k) {
            const auto name_of = [&](char* name, std::size_t size) {
                return checked(
                    H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, size, H5P_DEFAULT));
            };
            std::string name(static_cast<std::size_t>(name_of(nullptr, 0)), '\0');
            name_of(name.data(), name.size() + 1);
            at_ = path.empty() ? name : path + '/' + name;
            const std::string here = at_;
            const Handle object(H5Oopen(id, name.c_str(), H5P_DEFAULT), H5Oclose);
            const H5I_type_t kind = H5Iget_type(object);
            if (kind == H5I_GROUP) group(object, here, depth + 1);
            if (kind == H5I_DATASET) dataset(object, here);
        }
    }
    void attributes(hid_t file)
    {
        const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
        for (unsigned k = 0;; ++k) {
            const hid_t next =
                H5Aopen_by_idx(root, ".", H5_INDEX_NAME, H5_ITER_INC, k, H5P_DEFAULT, H5P_DEFAULT);
            if (next < 0) return;
            const Handle attribute(next, H5Aclose);
            std::string name(static_cast<std::size_t>(checked(H5Aget_name(attribute, 0, nullptr))), '\0');
            checked(H5Aget_name(attribute, name.size() + 1, name.data()));
            at_ = name;
            const Handle type(H5Aget_type(attribute), H5Tclose), space(H5Aget_space(attribute), H5Sclose);
            Hdf5::Values values;
            std::size_t columns;
            if (get(type, space, values, columns,
                    [&](hid_t as, void* data) { checked(H5Aread(attribute, as, data)); }))
                content_.attributes.emplace(name, std::move(values));
        }
    }
    const std::string& at() const { return at_; }

  private:
    void dataset(hid_t id, const std::string& path)
    {
        const Handle type(H5Dget_type(id), H5Tclose), space(H5Dget_space(id), H5Sclose);
        Hdf5::Dataset result;
        if (get(type, space, result.values, result.columns,
                [&](hid_t as, void* data) { checked(H5Dread(id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, data)); }))
            content_.datasets.emplace(path, std::move(result));
    }

    // False for types and shapes that are passed over.
    template <class Read>
    bool get(hid_t type, hid_t space, Hdf5::Values& values, std::size_t& columns, Read&& read)
    {
        const int rank = checked(H5Sget_simple_extent_ndims(space));
        const std::size_t size = H5Tget_size(type);
        if (rank > 2 || size == 0) return false;
        std::array<hsize_t, 2> shape{1, 0};
        if (rank > 0) checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr));
        columns = rank == 2 ? shape[1] : 0;
        // A damaged size must not exhaust the memory: zlib packs at most a thousandfold.
        const std::size_t width = rank == 2 ? shape[1] : 1;
        if (shape[0] > most_ || width > most_ || shape[0] * width > most_ || shape[0] * width * size > most_)
            throw Refused{};
        const std::size_t count = shape[0] * width;
        const auto numbers = [&](auto empty) {
            empty.resize(count);
            if (count > 0) read(memory_type(empty), empty.data());
            values = std::move(empty);
            return true;
        };
        switch (H5Tget_class(type)) {
        case H5T_FLOAT:
            return size <= 8 && numbers(std::vector<double>{});
        case H5T_INTEGER:
            if (size > 8) return false;
            if (size == 8 && H5Tget_sign(type) == H5T_SGN_NONE) return numbers(std::vector<std::uint64_t>{});
            if (size == 8 || (size == 4 && H5Tget_sign(type) == H5T_SGN_NONE))
                return numbers(std::vector<std::int64_t>{});
            return numbers(std::vector<std::int32_t>{});
        case H5T_STRING: {
            if (count != 1 || H5Tis_variable_str(type) > 0) return false;
            std::string text(size + 1, '\0');
            const Handle as(text_type(size + 1), H5Tclose);
            checked(H5Tset_cset(as, H5Tget_cset(type)));
            read(as, text.data());
            text.resize(text.find('\0'));
            values = std::move(text);
            return true;
        }
        default:
            return false;
        }
    }

    Hdf5& content_;
    std::size_t most_; // bytes that an array of this file may have
    std::string at_;
};

template <class Map>
const auto& found(const Map& map, std::string_view name, const std::string& file)
{
    const auto it = map.find(name);
    if (it == map.end()) fail("'{}' has no '{}': it is damaged or another kind of file.", file, name);
    return it->second;
}

[[noreturn]] void wrong_type(std::string_view name, const std::string& file)
{
    fail("'{}' of '{}' has an unexpected type: the file is damaged or another kind of file.", name, file);
}

} // namespace

bool Hdf5::has_group(std::string_view path) const
{
    const std::string begin = std::string(path) + '/';
    const auto it = datasets.lower_bound(begin);
    return it != datasets.end() && it->first.starts_with(begin);
}

template <class T>
const std::vector<T>& Hdf5::array(std::string_view dataset) const
{
    const auto* values = std::get_if<std::vector<T>>(&found(datasets, dataset, name).values);
    if (!values) wrong_type(dataset, name);
    return *values;
}
template const std::vector<double>& Hdf5::array(std::string_view) const;
template const std::vector<std::int32_t>& Hdf5::array(std::string_view) const;
template const std::vector<std::int64_t>& Hdf5::array(std::string_view) const;
template const std::vector<std::uint64_t>& Hdf5::array(std::string_view) const;

template <class T>
const T& Hdf5::attribute(std::string_view attribute) const
{
    const Values& values = found(attributes, attribute, name);
    if constexpr (std::is_same_v<T, std::string>) {
        if (const auto* text = std::get_if<std::string>(&values)) return *text;
    } else {
        const auto* numbers = std::get_if<std::vector<T>>(&values);
        if (numbers && numbers->size() == 1) return numbers->front();
    }
    wrong_type(attribute, name);
}
template const double& Hdf5::attribute(std::string_view) const;
template const std::int32_t& Hdf5::attribute(std::string_view) const;
template const std::int64_t& Hdf5::attribute(std::string_view) const;
template const std::uint64_t& Hdf5::attribute(std::string_view) const;
template const std::string& Hdf5::attribute(std::string_view) const;

std::vector<std::int64_t> Hdf5::integers(std::string_view dataset) const
{
    const Values& values = found(datasets, dataset, name).values;
    if (const auto* wide = std::get_if<std::vector<std::int64_t>>(&values)) return *wide;
    const auto& narrow = array<std::int32_t>(dataset);
    return {narrow.begin(), narrow.end()};
}

bool is_hdf5(std::string_view content)
{
    return content.starts_with("\x89HDF\r\n\x1a\n");
}

void write_hdf5(const std::filesystem::path& path, const Hdf5& content)
{
    const Silence silence;
    std::string image, at;
    try {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), how(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
        checked(H5Pset_fapl_core(access, 1 << 22, 0));
        checked(H5Pset_obj_track_times(how, 0));
        const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, how, access), H5Fclose);
        for (const auto& [name, dataset] : content.datasets) put_dataset(file, at = name, dataset);
        for (const auto& [name, values] : content.attributes) put_attribute(file, at = name, values);
        image = image_of(file);
    } catch (const Refused&) {
        fail("Cannot put '{}' into '{}': HDF5 refuses it.", at, path.string());
    }
    write_file(path, image + seal(image), true);
}

Hdf5 read_hdf5(const std::filesystem::path& path, bool sealed)
{
    std::string image = read_file(path);
    if (!is_hdf5(image)) fail("'{}' is not an HDF5 file.", path.string());
    const std::string end = image.substr(std::max(image.size(), seal_size) - seal_size);
    if (end.starts_with(magic)) {
        image.resize(image.size() - seal_size);
        if (end != seal(image))
            fail("'{}' is damaged: its checksum does not fit its content.", path.string());
    } else if (sealed) {
        fail("'{}' is damaged, cut off, or of another program: the checksum at its end is missing.",
             path.string());
    }
    Hdf5 content;
    content.name = path.string();
    Reader reader(content, image.size());
    const Silence silence;
    bool open = false;
    try {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        checked(H5Pset_fapl_core(access, 1 << 16, 0));
        checked(H5Pset_file_image(access, image.data(), image.size()));
        // An image must have a name that no file has.
        const Handle file(H5Fopen((path / "image").c_str(), H5F_ACC_RDONLY, access), H5Fclose);
        open = true;
        const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
        reader.attributes(file);
        reader.group(root, "", 0);
    } catch (const Refused&) {
        if (!open) fail("'{}' is damaged or cut off: HDF5 cannot open it.", path.string());
        fail("'{}' of '{}' cannot be read: the file is damaged.", reader.at(), path.string());
    }
    return content;
}

} // namespace tamis
