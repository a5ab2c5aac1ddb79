// A smooth mechanical system: nodes, the elements that act on them, and who looks at its motion.
#pragma once

#include "tamis/model/element.hpp"

#include <memory>

namespace tamis {

// Is shown the motion before the elements are asked; what it remembers from step to
// step is a part of the state.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void see(double t, std::span<const NodeMotion> nodes, std::span<const double> lambda) = 0;
    virtual void settle() {} // the motion last seen ends a step
    virtual std::span<double> memory() { return {}; }
};

class SmoothSystem {
  public:
    // Motion at the start; accelerations are found by the solver. Returns the number of the node.
    int add_node(const std::string& name, const NodeMotion& start);
    template <class E, class... Arguments>
    E& add(Arguments&&... arguments)
    {
        auto element = std::make_unique<E>(std::forward<Arguments>(arguments)...);
        E& added = *element;
        add(std::move(element));
        return added;
    }
    void add(std::unique_ptr<Element> element);
    void observe(Observer& observer) { observers_.push_back(&observer); } // must outlive the system
    // What a small displacement is small against; by default the size of the box
    // around the nodes at the start.
    void set_length(double length) { length_ = length; }

    int nodes() const { return static_cast<int>(start_.size()); }
    int rows() const { return rows_; } // constraints of all elements
    int unknowns() const { return 6 * nodes() + rows_; }
    double length() const;
    const std::string& node_name(int node) const { return names_[node]; }
    const std::vector<NodeMotion>& start() const { return start_; }
    const std::vector<std::unique_ptr<Element>>& elements() const { return elements_; }
    int first_row(int element) const { return first_row_[element]; }
    const std::vector<Observer*>& observers() const { return observers_; }
    // Of all elements.
    Energy energy(double t, std::span<const NodeMotion> nodes) const;

  private:
    std::vector<std::string> names_;
    std::vector<NodeMotion> start_;
    std::vector<std::unique_ptr<Element>> elements_;
    std::vector<int> first_row_; // by element
    std::vector<Observer*> observers_;
    int rows_ = 0;
    double length_ = 0;
};

// The motion of an element's nodes, gathered.
class Gather {
  public:
    explicit Gather(const SmoothSystem& system);
    std::span<const NodeMotion> operator()(const Element& element, std::span<const NodeMotion> nodes);

  private:
    std::vector<NodeMotion> own_;
};

} // namespace tamis
