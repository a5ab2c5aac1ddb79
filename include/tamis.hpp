// What a model file includes.
#pragma once

#include "tamis/app/script.hpp"
#include "tamis/base/error.hpp"
#include "tamis/io/mesh_file.hpp"
#include "tamis/mbs_symbolic/mechanism.hpp"
#include "tamis/model/description.hpp"
#include "tamis/model/view.hpp"
#include "tamis/packing/deposit.hpp"
#include "tamis/packing/grading.hpp"
#include "tamis/packing/lattices.hpp"
#include "tamis/packing/measures.hpp"
#include "tamis/packing/random.hpp"
#include "tamis/packing/random_sequential.hpp"
#include "tamis/packing/stones.hpp"
