// Descriptions of FMUs, and mappings of their variables: the first line of an input is a mapping, the rest a
// description. What is taken has variables that can be found, units that can be used, and motions that are motions.
#include "fuzz/fuzz.hpp"
#include "tamis/fmi/fmu_mapping.hpp"

#include <cmath>

namespace {

using namespace tamis;

int read_description(const std::uint8_t* data, std::size_t size)
{
    return fuzz::take([&] {
        const std::string input(reinterpret_cast<const char*>(data), size);
        const std::size_t end = std::min(input.find('\n'), size);
        const FmuDescription fmu = read_fmu_description(std::string_view(input).substr(end), "plant");
        fuzz::require(!fmu.identifier.empty() && fmu.identifier.find('/') == std::string::npos);
        for (const FmuVariable& v : fmu.variables) {
            fuzz::require(fmu.find(v.name) == &v && v.size <= 1000000);
            const FmuUnit unit = fmu.unit_of(v);
            fuzz::require(std::isfinite(unit.offset) && std::isnormal(unit.factor));
        }
        const FmuMapping mapping(input.substr(0, end), fmu, "plant");
        const std::vector<double> values(mapping.output_size(), 0.5);
        const InterfaceMotion m = mapping.motion(values, {}, {}, 1e-3);
        fuzz::require(std::abs(m.turn.norm() - 1) < 1e-6);
        std::vector<double> inputs(mapping.input_size());
        mapping.wrench({{1, 2, 3}, {4, 5, 6}}, inputs);
    });
}

std::vector<std::string> seeds()
{
    return {
        "position=x,-,y; velocity=v,-,w; rotation=-,-,o; angular_velocity=differences; force=f\n"
        "<fmiModelDescription fmiVersion='2.0' modelName='p' guid='1'><CoSimulation modelIdentifier='p' "
        "canGetAndSetFMUstate='true'/><UnitDefinitions><Unit name='mm'>"
        "<BaseUnit m='1' factor='1e-3' offset='1'/></Unit>"
        "<Unit name='N'/></UnitDefinitions><TypeDefinitions><SimpleType name='L'><Real unit='mm'/></SimpleType>"
        "</TypeDefinitions><DefaultExperiment tolerance='1e-6'/><ModelVariables>"
        "<ScalarVariable name='x' valueReference='0' causality='output'><Real declaredType='L'/></ScalarVariable>"
        "<ScalarVariable name='y' valueReference='1' causality='output'><Real unit='mm'/></ScalarVariable>"
        "<ScalarVariable name='v' valueReference='2' causality='local'><Real/></ScalarVariable>"
        "<ScalarVariable name='w' valueReference='3' causality='local'><Real unit='m/s'/></ScalarVariable>"
        "<ScalarVariable name='o' valueReference='4' causality='output'><Real unit='rad'/></ScalarVariable>"
        "<ScalarVariable name='n' valueReference='4' causality='parameter'><Integer start='3'/></ScalarVariable>"
        "<ScalarVariable name='f' valueReference='5' causality='input'><Real unit='N'/></ScalarVariable>"
        "</ModelVariables></fmiModelDescription>",
        "position=r; velocity=v; quaternion=q; angular_velocity=w; force=f; moment='t,1'\n"
        "<?xml version='1.0'?><fmiModelDescription fmiVersion='3.0' modelName='p' instantiationToken='1'>"
        "<CoSimulation modelIdentifier='p' fixedInternalStepSize='1e-3'/><TypeDefinitions><Float64Type name='L' "
        "unit='m' relativeQuantity='true'/></TypeDefinitions><ModelVariables>"
        "<UInt64 name='n' valueReference='1' causality='structuralParameter' start='3'/>"
        "<Float64 name='r' valueReference='2' causality='output' declaredType='L'><Dimension valueReference='1'/>"
        "<Alias name='s'/></Float64>"
        "<Float64 name='v' valueReference='3' causality='output'><Dimension start='3'/></Float64>"
        "<Float64 name='q' valueReference='4' causality='output'><Dimension start='2'/><Dimension start='2'/></Float64>"
        "<Float64 name='w' valueReference='5' causality='output'><Dimension start='3'/></Float64>"
        "<Float64 name='f' valueReference='6' causality='input'><Dimension start='3'/></Float64>"
        "<Float64 name=\"'t,1'\" valueReference='7' causality='input'/></ModelVariables></fmiModelDescription>",
        "matrix=R; angular_velocity=differences; force=none\n"
        "<fmiModelDescription fmiVersion='3.0' modelName='p' instantiationToken='1'><CoSimulation modelIdentifier='p'/>"
        "<ModelVariables><Float64 name='R' valueReference='1' causality='output'><Dimension start='9'/></Float64>"
        "</ModelVariables></fmiModelDescription>"};
}

TAMIS_FUZZ_TARGET("fmu_description", 100000, read_description, seeds)

} // namespace
