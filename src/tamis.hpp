// What a model file includes.
#pragma once

#include "app/script.hpp"
#include "mbs_symbolic/mechanism.hpp"
#include "nscd/model.hpp"
#include "nscd/view.hpp"
