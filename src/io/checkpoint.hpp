// Checkpoints: a state on disk, from which a run goes on to the same bits.
//
// <folder>/checkpoint_000123.h5 is an HDF5 file with the state after step 123. The two last ones are kept, so
// that one is whole whatever happens to the other.
#pragma once

#include "tamis/model/saved_state.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace tamis {

struct Checkpoint {
    std::string model;            // its name
    std::uint64_t model_hash = 0; // model_hash() of it
    std::string options;          // those that the state depends on, as the program around it writes them
    SavedState state;             // as the method has written it
    std::map<std::string, std::vector<double>> run; // what that program needs to go on, by name
};

// Writes it, and then removes the older ones but the last, and those of later steps, which a run that went
// back has left behind. Throws if a number of the state is not finite.
void write_checkpoint(const std::filesystem::path& folder, const Checkpoint& checkpoint);

// Throws unless the file is whole, a checkpoint, and of a known version.
Checkpoint read_checkpoint(const std::filesystem::path& file);

struct LatestCheckpoint {
    std::filesystem::path file;
    Checkpoint checkpoint;
    std::vector<std::string> notes; // why newer ones are not used
};
// The newest that is valid and belongs to the model of this name; throws if there is none.
LatestCheckpoint read_latest(const std::filesystem::path& folder, const std::string& model);

void remove_checkpoints(const std::filesystem::path& folder);

} // namespace tamis
