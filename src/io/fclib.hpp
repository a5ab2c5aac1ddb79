// Contact problems in local form as HDF5 files of the FCLIB collection (group fclib_local).
#pragma once

#include "tamis/contact/local_problem.hpp"

#include <filesystem>

namespace tamis {

enum class SparseStorage { compressed_rows, compressed_columns, triplets };

// r becomes the solution of the file if it is one, else a guess. Throws on a problem with compliance, for which
// this layout has no place.
void write_fclib(const std::filesystem::path& path, const LocalProblem& problem, bool solved,
                 SparseStorage storage = SparseStorage::compressed_rows);

// r is the solution of the file, else its first guess, else zero. Throws on problems of two dimensions, with
// equality constraints or in global form, and on indices, sizes and numbers that make no sense.
LocalProblem read_fclib(const std::filesystem::path& path);

// From an FCLIB file or a text file (`fc3d`), by content.
LocalProblem read_contact_problem(const std::filesystem::path& path);

} // namespace tamis
