// Contact records as numbers of a saved state.
#pragma once

#include "tamis/model/saved_state.hpp"
#include "tamis/model/view.hpp"

namespace tamis {

void write_records(const std::string& name, std::span<const ContactRecord> records, SavedState& out);
// Refuses shapes that the model does not have.
std::vector<ContactRecord> read_records(const std::string& name, const SavedState& in, const Model& model);

// Energy that contacts took, likewise.
void write_taken(const Dissipation& taken, SavedState& out);
Dissipation read_taken(const SavedState& in);

} // namespace tamis
