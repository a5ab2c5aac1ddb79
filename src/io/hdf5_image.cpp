// HDF5 by its C interface; the only file that includes it.
// HDF5 works in memory (its `core` driver): its own file output does not tell why it failed and locks files, which some
// network disks refuse. Times of objects are not recorded, so that equal content gives equal bytes. Shuffling by bytes,
// then zlib level 1: higher levels gain little on numbers.
// A forged image is as whole to HDF5 as any other; therefore
//
//     objects are reached by one hard link each, at most eight groups deep: no circles, no other files;
//     numbers lie in the image itself, under filters that HDF5 brings with it, and are not many more than
//     its bytes can hold.
#define H5_USE_110_API
#include "tamis/io/hdf5_image.hpp"

#include "tamis/base/error.hpp"

#include <algorithm>
#include <array>
#include <hdf5.h>
#include <set>

namespace tamis {

namespace {

constexpr std::size_t compress_from = 1024; // values
constexpr std::size_t chunk_values = 1 << 16;
constexpr std::size_t deepest = 8;         // groups within groups
constexpr std::size_t most_objects = 1000; // groups, datasets, attributes
constexpr std::size_t packing = 1100;      // bytes that zlib makes of one, at most 1032

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

struct Refused { // told as an Error where file and dataset are known
    const char* reason;
};

template <class T>
T checked(T result)
{
    if (result < 0) throw Refused{"the file is damaged"};
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

class Reader {
  public:
    // A file may hold the zeros of a gigabyte; above that, no more than sixteen times its size.
    Reader(Hdf5& content, std::size_t file_size)
        : content_(content), file_size_(file_size),
          left_(std::max(16 * file_size, std::min<std::size_t>(packing * file_size + 4096, 1 << 30)))
    {
    }

    void file(hid_t id)
    {
        const Handle root(H5Gopen2(id, "/", H5P_DEFAULT), H5Gclose);
        H5O_info_t info;
        checked(H5Oget_info(root, &info));
        seen_.insert(info.addr);
        attributes(id);
        group(root, "", 0);
    }
    const std::string& at() const { return at_; }

  private:
    // Datasets below a group, then deeper groups; `at_` is what is being read.
    void group(hid_t id, const std::string& path, std::size_t depth)
    {
        H5G_info_t info;
        checked(H5Gget_info(id, &info));
        if (depth > deepest) throw Refused{"it has more than eight groups within each other"};
        for (hsize_t k = 0; k < info.nlinks; ++k) {
            const auto name_of = [&](char* name, std::size_t size) {
                return checked(
                    H5Lget_name_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, k, name, size, H5P_DEFAULT));
            };
            std::string name(static_cast<std::size_t>(name_of(nullptr, 0)), '\0');
            name_of(name.data(), name.size() + 1);
            at_ = path.empty() ? name : path + '/' + name;
            const std::string here = at_;
            H5L_info_t link;
            checked(H5Lget_info_by_idx(id, ".", H5_INDEX_NAME, H5_ITER_INC, k, &link, H5P_DEFAULT));
            if (link.type != H5L_TYPE_HARD)
                throw Refused{"it is a link to another place or file; store a copy instead"};
            if (!seen_.insert(link.u.address).second)
                throw Refused{"it is linked to by more than one name; store copies instead"};
            count_object();
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
            count_object();
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
    void count_object()
    {
        if (++objects_ > most_objects) throw Refused{"the file has more than 1000 objects"};
    }

    void dataset(hid_t id, const std::string& path)
    {
        check_storage(id); // before anything else: other files would be opened
        const Handle type(H5Dget_type(id), H5Tclose), space(H5Dget_space(id), H5Sclose);
        const std::size_t stored = H5Dget_storage_size(id);
        const hssize_t count = checked(H5Sget_simple_extent_npoints(space));
        if (stored > file_size_ || static_cast<double>(count) * static_cast<double>(H5Tget_size(type)) >
                                       static_cast<double>(packing * stored + 4096))
            throw Refused{"it claims more numbers than the file holds"};
        Hdf5::Dataset result;
        if (get(type, space, result.values, result.columns,
                [&](hid_t as, void* data) { checked(H5Dread(id, as, H5S_ALL, H5S_ALL, H5P_DEFAULT, data)); }))
            content_.datasets.emplace(path, std::move(result));
    }

    void check_storage(hid_t id) const
    {
        const Handle how(H5Dget_create_plist(id), H5Pclose);
        const H5D_layout_t layout = H5Pget_layout(how);
        if (layout == H5D_VIRTUAL || checked(H5Pget_external_count(how)) > 0)
            throw Refused{"its numbers lie in other files; store them in the file itself"};
        for (int k = 0; k < checked(H5Pget_nfilters(how)); ++k) {
            std::size_t none = 0;
            const H5Z_filter_t filter =
                H5Pget_filter2(how, static_cast<unsigned>(k), nullptr, &none, nullptr, 0, nullptr, nullptr);
            if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
                filter != H5Z_FILTER_FLETCHER32)
                throw Refused{
                    "it is packed by a filter that is not known here; pack it by zlib or not at all"};
        }
        if (layout != H5D_CHUNKED) return;
        std::array<hsize_t, H5S_MAX_RANK> chunk{};
        const int rank = checked(H5Pget_chunk(how, H5S_MAX_RANK, chunk.data()));
        double values = 1;
        for (int k = 0; k < rank; ++k) values *= static_cast<double>(chunk[k]);
        const Handle type(H5Dget_type(id), H5Tclose);
        if (values * static_cast<double>(H5Tget_size(type)) > static_cast<double>(left_))
            throw Refused{"it claims more numbers than the file holds"};
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
        const std::size_t width = rank == 2 ? shape[1] : 1, bytes = std::max<std::size_t>(size, 8);
        if (shape[0] > 0 && width > left_ / bytes / shape[0])
            throw Refused{"it claims more numbers than the file holds"};
        const std::size_t count = shape[0] * width;
        left_ -= count * bytes;
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
    std::size_t file_size_;
    std::size_t left_; // bytes that the arrays to come may have
    std::size_t objects_ = 0;
    std::set<haddr_t> seen_; // groups and datasets
    std::string at_;
};

} // namespace

std::string make_image(const Hdf5& content, const std::filesystem::path& path)
{
    const Silence silence;
    std::string at;
    try {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose), how(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
        checked(H5Pset_fapl_core(access, 1 << 22, 0));
        checked(H5Pset_obj_track_times(how, 0));
        const Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, how, access), H5Fclose);
        for (const auto& [name, dataset] : content.datasets) put_dataset(file, at = name, dataset);
        for (const auto& [name, values] : content.attributes) put_attribute(file, at = name, values);
        return image_of(file);
    } catch (const Refused&) {
        fail("Cannot put '{}' into '{}': HDF5 refuses it.", at, path.string());
    }
}

void read_image(std::string& image, Hdf5& content)
{
    const Silence silence;
    H5PLset_loading_state(0); // no filters from plugins
    Reader reader(content, image.size());
    bool open = false;
    try {
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        checked(H5Pset_fapl_core(access, 1 << 16, 0));
        checked(H5Pset_file_image(access, image.data(), image.size()));
        // An image must have a name that no file has.
        const Handle file(H5Fopen((content.name + "/image").c_str(), H5F_ACC_RDONLY, access), H5Fclose);
        open = true;
        reader.file(file);
    } catch (const Refused& refused) {
        if (!open) fail("'{}' is damaged or cut off: HDF5 cannot open it.", content.name);
        fail("'{}' of '{}' cannot be read: {}.", reader.at(), content.name, refused.reason);
    }
}

} // namespace tamis
