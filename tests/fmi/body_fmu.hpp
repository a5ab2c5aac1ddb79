// FMUs of the body of body.h: descriptions with what a test wants, packed with the libraries that CMake has compiled.
#pragma once

#include "fmi/zip_file.hpp"
#include "io/scratch.hpp"
#include "tamis/fmi/fmu_peer.hpp"

#include <fmt/format.h>
#include <fstream>

namespace tamis::test {

struct BodyFmu {
    int version = 2;
    bool saves = true, serialises = true;
    std::string capabilities;              // more attributes of CoSimulation
    std::string length = "m", force = "N"; // units
    std::string library = version == 2 ? BODY_FMU_2 : BODY_FMU_3;
    std::string token = "body-token";
    std::string variables; // more of them

    std::string state() const { return version == 2 ? "FMUstate" : "FMUState"; }

    std::string description() const
    {
        const bool v2 = version == 2;
        std::string text = fmt::format(
            R"(<?xml version="1.0"?><fmiModelDescription fmiVersion="{}.0" modelName="body" {}="{}">)"
            R"(<CoSimulation modelIdentifier="body" canGetAndSet{}="{}" canSerialize{}="{}" {}/><UnitDefinitions>)"
            R"(<Unit name="m"><BaseUnit m="1"/></Unit><Unit name="mm"><BaseUnit m="1" factor="1e-3"/></Unit>)"
            R"(<Unit name="m/s"><BaseUnit m="1" s="-1"/></Unit>)"
            R"(<Unit name="mm/s"><BaseUnit m="1" s="-1" factor="1e-3"/></Unit>)"
            R"(<Unit name="mm/s2"><BaseUnit m="1" s="-2" factor="1e-3"/></Unit>)"
            R"(<Unit name="N"><BaseUnit kg="1" m="1" s="-2"/></Unit>)"
            R"(<Unit name="kN"><BaseUnit kg="1" m="1" s="-2" factor="1e3"/></Unit>)"
            R"(<Unit name="deg"><BaseUnit rad="1" factor="0.017453292519943295"/></Unit>)"
            R"(<Unit name="furlong"/></UnitDefinitions><ModelVariables>)",
            version, v2 ? "guid" : "instantiationToken", token, state(), saves, state(), serialises,
            capabilities);
        const auto add = [&](const std::string& name, int reference, const char* causality,
                             const std::string& unit, const char* type = nullptr, int size = 1) {
            const char* real = v2 ? "Real" : "Float64";
            const std::string units = unit.empty() ? "" : " unit=\"" + unit + "\"";
            const std::string initial =
                std::string(causality) == "parameter" ? " variability=\"tunable\"" : "";
            if (v2)
                text +=
                    fmt::format(R"(<ScalarVariable name="{}" valueReference="{}" causality="{}"{}><{}{}/>)"
                                R"(</ScalarVariable>)",
                                name, reference, causality, initial, type ? type : real, units);
            else
                text += fmt::format(R"(<{} name="{}" valueReference="{}" causality="{}"{}{}>{}</{}>)",
                                    type ? type : real, name, reference, causality, initial, units,
                                    size > 1 ? fmt::format(R"(<Dimension start="{}"/>)", size) : "",
                                    type ? type : real);
        };
        const char* axes = "xyz";
        for (int k = 0; k < 3; ++k) {
            const std::string of = std::string("[") + axes[k] + "]";
            add("r" + of, k, "output", length);
            add("v" + of, 3 + k, "output", length + "/s");
            add("a" + of, 6 + k, "output", length + "/s2");
            add("w" + of, 13 + k, "output", "rad/s");
            add("f" + of, 16 + k, "input", force);
            add("t" + of, 19 + k, "input", "N.m");
        }
        for (int k = 0; k < 4; ++k) add(fmt::format("q[{},1]", k), 9 + k, "output", "");
        const char* parameters[] = {"mass",      "inertia", "stiffness",   "damping",   "amplitude",
                                    "frequency", "at",      "length_unit", "force_unit"};
        for (int k = 0; k < 9; ++k) add(parameters[k], 22 + k, "parameter", "");
        add("angle", 31, "output", "deg");
        add("trouble", 40, "parameter", "", v2 ? "Integer" : "Int32");
        add("loud", 41, "parameter", "", "Boolean");
        add("word", 42, "parameter", "", "String");
        if (!v2) {
            add("r", 100, "output", length, nullptr, 3);
            add("v", 101, "output", length + "/s", nullptr, 3);
            add("q", 102, "output", "", nullptr, 4);
            add("w", 103, "output", "rad/s", nullptr, 3);
            add("f", 104, "input", force, nullptr, 3);
            add("t", 105, "input", "N.m", nullptr, 3);
        }
        return text + variables + "</ModelVariables><ModelStructure/></fmiModelDescription>";
    }

    std::filesystem::path write(const ScratchFolder& folder, const std::string& name = "body.fmu") const
    {
        const std::filesystem::path path = folder / name;
        std::ofstream(path, std::ios::binary) << zip_of(
            {{"modelDescription.xml", description()},
             {"binaries/" + fmu_platform(version) + "/body.so", library.empty() ? "" : text_of(library)}});
        return path;
    }
};

inline constexpr const char* along_x = "position=r[x]; velocity=v[x]; force=f[x]";
inline constexpr const char* in_space =
    "position=r[x],r[y],r[z]; velocity=v[x],v[y],v[z]; quaternion=q[0,1],q[1,1],q[2,1],q[3,1]; "
    "angular_velocity=w[x],w[y],w[z]; force=f[x],f[y],f[z]; moment=t[x],t[y],t[z]";

} // namespace tamis::test
