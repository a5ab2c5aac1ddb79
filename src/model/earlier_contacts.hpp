// Contacts of the last step or iteration, found again: what the next contact solve starts from. Both lists are in the
// order of pairs of shapes, as Detection gives them; within a pair, whose features have no order, all are looked at.
#pragma once

#include "tamis/model/detection.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

namespace tamis {

// `Key` leads from an earlier contact to its shape_a, shape_b and feature.
template <class Earlier, class Key = std::identity>
class EarlierContacts {
  public:
    explicit EarlierContacts(std::span<const Earlier> contacts, Key key = {})
        : first_(contacts.data()), end_(contacts.data() + contacts.size()), key_(std::move(key))
    {
    }
    // The same contact, or null. To be asked in the order of pairs, from any pair on.
    const Earlier* find(const DetectedContact& contact)
    {
        const auto pair = pair_of(contact);
        const auto before = [&](const Earlier& c) { return pair_of(std::invoke(key_, c)) < pair; };
        if (std::exchange(placed_, true))
            while (first_ != end_ && before(*first_)) ++first_;
        else
            first_ = std::partition_point(first_, end_, before);
        for (const Earlier* c = first_; c != end_ && pair_of(std::invoke(key_, *c)) == pair; ++c)
            if (std::invoke(key_, *c).feature == contact.point.feature) return c;
        return nullptr;
    }
    // All of its pair, once find() was asked for the contact.
    std::span<const Earlier> pair(const DetectedContact& contact) const
    {
        const Earlier* end = first_;
        while (end != end_ && pair_of(std::invoke(key_, *end)) == pair_of(contact)) ++end;
        return {first_, end};
    }

  private:
    template <class C>
    static std::pair<int, int> pair_of(const C& contact)
    {
        return {contact.shape_a, contact.shape_b};
    }

    const Earlier *first_, *end_; // of the pair asked for last, and those behind it
    bool placed_ = false;
    Key key_;
};

} // namespace tamis
