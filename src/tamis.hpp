// What a model file includes.
#pragma once

#include "app/script.hpp"
#include "error.hpp"
#include "mbs_symbolic/mechanism.hpp"
#include "nscd/model.hpp"
#include "nscd/view.hpp"
#include "packing/deposit.hpp"
#include "packing/grading.hpp"
#include "packing/lattices.hpp"
#include "packing/measures.hpp"
#include "packing/random.hpp"
#include "packing/random_sequential.hpp"
#include "packing/stones.hpp"
