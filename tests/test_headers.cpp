// Holds nothing: the headers that all tests include are precompiled with it.
