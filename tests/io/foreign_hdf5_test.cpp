// What files of other programs may hold, made by HDF5 itself: a circle, another file, more than there is. All
// of it is refused with a reason, and nothing outside the file is read.
#include "error_of.hpp"
#include "io/forged_seal.hpp"
#include "io/scratch.hpp"
#include "tamis/contact/local_problem.hpp"
#include "tamis/io/fclib.hpp"
#include "tamis/io/file.hpp"
#include "tamis/io/hdf5_file.hpp"

#define H5_USE_110_API
#include <gtest/gtest.h>
#include <hdf5.h>

namespace tamis::test::foreign_hdf5_test {

namespace {

struct Made {
    hid_t id;
    explicit Made(const std::filesystem::path& path)
        : id(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT))
    {
    }
    ~Made() { H5Fclose(id); }
    Made(const Made&) = delete;
    Made& operator=(const Made&) = delete;

    void group(const std::string& name) const
    {
        H5Gclose(H5Gcreate2(id, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    // Of doubles; written if values are given.
    void dataset(const std::string& name, hsize_t size, hid_t how, const double* values = nullptr) const
    {
        const hid_t space = H5Screate_simple(1, &size, nullptr);
        const hid_t data =
            H5Dcreate2(id, name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, how, H5P_DEFAULT);
        ASSERT_GE(data, 0) << name;
        if (values) {
            ASSERT_GE(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
        }
        H5Dclose(data);
        H5Sclose(space);
    }
};

hid_t creation()
{
    return H5Pcreate(H5P_DATASET_CREATE);
}

constexpr double three[] = {1, 2, 3};

// Makes a file, and expects the reason both as a foreign file and under a forged seal.
template <class Make>
void expect_refused(const std::string& reason, const std::string& dataset, Make&& make)
{
    ScratchFolder folder;
    {
        const Made file(folder / "a.h5");
        make(file, folder);
    }
    for (const bool sealed : {false, true}) {
        if (sealed) write_file(folder / "a.h5", with_seal(text_of(folder / "a.h5")));
        const std::string message = error_of([&] { read_hdf5(folder / "a.h5", sealed); });
        EXPECT_TRUE(contains(message, "a.h5") && contains(message, reason) &&
                    contains(message, "'" + dataset + "'"))
            << reason << ": " << message;
    }
    EXPECT_TRUE(contains(error_of([&] { read_fclib(folder / "a.h5"); }), reason)) << reason;
}

} // namespace

TEST(ForeignHdf5, PlainFileIsRead)
{
    ScratchFolder folder;
    {
        const Made file(folder / "a.h5");
        file.group("g");
        file.dataset("g/x", 3, H5P_DEFAULT, three);
    }
    EXPECT_EQ(read_hdf5(folder / "a.h5").array<double>("g/x"), (std::vector<double>{1, 2, 3}));
}

TEST(ForeignHdf5, LinksAreRefused)
{
    expect_refused("link", "soft", [](const Made& file, const ScratchFolder&) {
        file.dataset("x", 3, H5P_DEFAULT, three);
        H5Lcreate_soft("/x", file.id, "soft", H5P_DEFAULT, H5P_DEFAULT);
    });
    expect_refused("link", "outside", [](const Made& file, const ScratchFolder& folder) {
        const Made secret(folder / "secret.h5");
        secret.dataset("x", 3, H5P_DEFAULT, three);
        H5Lcreate_external((folder / "secret.h5").c_str(), "/x", file.id, "outside", H5P_DEFAULT,
                           H5P_DEFAULT);
    });
    // Groups that hold each other, eight ways each: without a record of those seen it would not end.
    expect_refused("more than one name", "g/0", [](const Made& file, const ScratchFolder&) {
        file.group("g");
        for (int k = 0; k < 8; ++k)
            H5Lcreate_hard(file.id, "/", file.id, ("g/" + std::to_string(k)).c_str(), H5P_DEFAULT,
                           H5P_DEFAULT);
    });
    expect_refused("more than one name", "y", [](const Made& file, const ScratchFolder&) {
        file.dataset("x", 3, H5P_DEFAULT, three);
        H5Lcreate_hard(file.id, "/x", file.id, "y", H5P_DEFAULT, H5P_DEFAULT);
    });
}

TEST(ForeignHdf5, NumbersInOtherFilesAreRefused)
{
    expect_refused("other files", "x", [](const Made& file, const ScratchFolder& folder) {
        write_file(folder / "secret.raw", std::string(24, 's'));
        const hid_t how = creation();
        H5Pset_external(how, (folder / "secret.raw").c_str(), 0, 24);
        file.dataset("x", 3, how);
        H5Pclose(how);
    });
    expect_refused("other files", "x", [](const Made& file, const ScratchFolder& folder) {
        const Made secret(folder / "secret.h5");
        secret.dataset("x", 3, H5P_DEFAULT, three);
        const hid_t how = creation();
        const hsize_t size = 3;
        const hid_t space = H5Screate_simple(1, &size, nullptr);
        H5Pset_virtual(how, space, (folder / "secret.h5").c_str(), "x", space);
        file.dataset("x", 3, how);
        H5Sclose(space);
        H5Pclose(how);
    });
}

TEST(ForeignHdf5, SizesBeyondTheFileAreRefused)
{
    // Nothing of it is stored: all would be fill values.
    for (const hsize_t size : {hsize_t{100000}, hsize_t{1} << 32, hsize_t{1} << 60})
        expect_refused("more numbers", "x", [&](const Made& file, const ScratchFolder&) {
            const hid_t how = creation();
            const hsize_t chunk = 1024;
            H5Pset_chunk(how, 1, &chunk);
            file.dataset("x", size, how);
            H5Pclose(how);
        });
    expect_refused("more numbers", "x", [](const Made& file, const ScratchFolder&) {
        const hid_t how = creation();
        const hsize_t chunk = 1 << 28; // a buffer of 2 GB for three numbers
        H5Pset_chunk(how, 1, &chunk);
        H5Pset_deflate(how, 1);
        const hsize_t size = 1 << 28;
        file.dataset("x", size, how);
        H5Pclose(how);
    });
}

TEST(ForeignHdf5, DepthAndNumberOfObjectsAreBounded)
{
    expect_refused("eight groups", "1/1/1/1/1/1/1/1/1", [](const Made& file, const ScratchFolder&) {
        std::string path;
        for (int k = 0; k < 12; ++k) file.group(path += "/1");
    });
    expect_refused("1000 objects", "2000", [](const Made& file, const ScratchFolder&) {
        for (int k = 1000; k < 2200; ++k) file.group(std::to_string(k));
    });
}

TEST(ForeignHdf5, UnknownFiltersAreRefused)
{
    expect_refused("filter", "x", [](const Made& file, const ScratchFolder&) {
        const hid_t how = creation();
        const hsize_t chunk = 3;
        H5Pset_chunk(how, 1, &chunk);
        H5Pset_filter(how, 32001, H5Z_FLAG_OPTIONAL, 0, nullptr);
        file.dataset("x", 3, how, three);
        H5Pclose(how);
    });
}

} // namespace tamis::test::foreign_hdf5_test
