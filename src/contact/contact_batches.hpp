// The contacts of a problem as the sweeps in batches want them: manifolds in lanes, bodies in lines, and the
// overflow, contacts that fit into no batch and are solved one by one. What sweeps over the batches, SIMD
// lanes or a device, derives from this.
#pragma once

#include "tamis/contact/colouring.hpp"
#include "tamis/contact/contact_law.hpp"
#include "tamis/contact/nlgs_coloured_kernel.hpp"

#include <new>
#include <vector>

namespace tamis {

// Memory at lines of the cache; grows only.
template <class T>
class CacheLines {
  public:
    T* data() { return data_; }
    std::size_t size() const { return size_; }
    void resize(std::size_t size)
    {
        size_ = size;
        if (size <= capacity_) return;
        release();
        capacity_ = size + size / 2;
        data_ = static_cast<T*>(::operator new(capacity_ * sizeof(T), std::align_val_t(64)));
    }
    CacheLines() = default;
    CacheLines(const CacheLines&) = delete;
    CacheLines& operator=(const CacheLines&) = delete;
    ~CacheLines() { release(); }

  private:
    void release()
    {
        if (data_) ::operator delete(data_, std::align_val_t(64));
    }
    T* data_ = nullptr;
    std::size_t size_ = 0, capacity_ = 0;
};

// Largest and sum of |r' - r|^2, sum of |r'|^2.
struct Change {
    double largest = 0, change = 0, impulse = 0;
};

template <class T, int width>
class ContactBatches {
  public:
    void load_velocities(const ContactProblem& problem, int threads);
    void store_impulses(ContactProblem& problem, int threads) const;
    // Impulses and velocities as one vector; the first state_measured() numbers are impulses.
    std::size_t state_measured() const { return 3 * contact_.size() + 3 * overflow_.size(); }
    std::size_t state_size() const;
    void save(std::vector<T>& state, const ContactProblem& problem);
    void restore(const std::vector<T>& state, ContactProblem& problem);

    Colouring colouring;
    double lanes_filled() const; // part of the places for points in batches

  protected:
    static constexpr int lanes = width;

    // A contact in the overflow: velocities of the blocks on its sides and maps in `maps_`, H by columns of four, then
    // Y by rows.
    struct Single {
        int contact;
        T* x[2];
        int n[2];
        std::size_t map[2];
        Eigen::Matrix3d W; // local_matrix()
        ContactLaw law;    // of a contact with Coulomb's friction
    };

    // Bodies, and batches as the colouring says; fill() is still to be called for each.
    void lay_out(const ContactProblem& problem, int threads);
    void fill(const ContactProblem& problem, int b);
    void fill_overflow(const ContactProblem& problem);
    void sweep_overflow(ContactProblem& problem, Change& total);

    ContactBed<T, width> bed_;
    CacheLines<T> line_, inertia_, point_;
    std::vector<ContactBatch<T, width>> batch_;
    std::vector<long> place_;  // of the first point of each batch in contact_
    std::vector<int> contact_; // batch x point x lane: contact, -1: none
    std::vector<Single> overflow_;
    std::vector<T> maps_, general_; // velocities of the general blocks
    double unit_ = 1;               // of mass

  private:
    // Calls copy(place in the solver, numbers) for every part of a state, and convert(r) for an impulse of
    // the overflow; moments, which have another unit, come with the velocities.
    template <class Copy, class Convert, class Problem>
    void visit_state(Problem& problem, const Copy& copy, const Convert& convert);
};

} // namespace tamis
