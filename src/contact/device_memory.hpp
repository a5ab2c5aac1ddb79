// Memory of a device, whatever runs on it.
#pragma once

#include <cstddef>

namespace tamis {

struct DeviceAccess {
    void* (*allocate)(std::size_t bytes);
    void (*release)(void* memory);
    void (*upload)(void* to, const void* from, std::size_t bytes);
    void (*download)(void* to, const void* from, std::size_t bytes);
};

// Grows only.
template <class T>
class DeviceMemory {
  public:
    T* data() { return data_; }
    void resize(const DeviceAccess& device, std::size_t size)
    {
        if (size <= capacity_ && device_ == &device) return;
        release();
        device_ = &device;
        data_ = static_cast<T*>(device.allocate((size + size / 2) * sizeof(T)));
        capacity_ = size + size / 2;
    }
    void upload(const T* from, std::size_t size)
    {
        if (size > 0) device_->upload(data_, from, size * sizeof(T));
    }
    void download(T* to, std::size_t size) const
    {
        if (size > 0) device_->download(to, data_, size * sizeof(T));
    }
    // All of a list; returns where it is.
    template <class List>
    T* send(const DeviceAccess& device, List&& from)
    {
        resize(device, from.size());
        upload(from.data(), from.size());
        return data_;
    }
    DeviceMemory() = default;
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;
    ~DeviceMemory() { release(); }

  private:
    void release()
    {
        if (data_) device_->release(data_);
        data_ = nullptr;
        capacity_ = 0;
    }
    const DeviceAccess* device_ = nullptr;
    T* data_ = nullptr;
    std::size_t capacity_ = 0;
};

} // namespace tamis
