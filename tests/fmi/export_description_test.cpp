// Model descriptions against the rules of the schemas and of the standards: FMI 2.0.4, Sects. 2.2 and 4.3; FMI 3.0.1,
// Sects. 2.4 and 4.4.
#include "error_of.hpp"
#include "export_reference.hpp"
#include "fmi/plain_xml.hpp"
#include "tamis/app/program.hpp"
#include "tamis/fmi/export_description.hpp"

#include <gtest/gtest.h>
#include <set>

namespace tamis::fmi_description_test {

using namespace fmi_export_test;
using plain_xml::Element;

namespace {

Element description(const std::string& model, const std::string& words, const std::string& version)
{
    return plain_xml::parse(master::unzipped(write_fmu(model, words, version))["modelDescription.xml"]);
}

std::vector<std::string> names(const std::vector<Element>& children)
{
    std::vector<std::string> out;
    for (const Element& c : children) out.push_back(c.name);
    return out;
}

void only(const Element& e, const std::set<std::string>& allowed, const std::set<std::string>& required = {})
{
    for (const auto& [name, value] : e.attributes)
        EXPECT_TRUE(allowed.contains(name)) << e.name << ' ' << name;
    for (const std::string& name : required) EXPECT_TRUE(e.has(name)) << e.name << ' ' << name;
}

const std::set<std::string> base = {"kg", "m", "s", "A", "K", "mol", "cd", "rad", "factor", "offset"};

std::set<std::string> check_units(const Element& definitions)
{
    std::set<std::string> units;
    for (const Element& unit : definitions.children) {
        EXPECT_EQ(unit.name, "Unit");
        only(unit, {"name"}, {"name"});
        EXPECT_TRUE(units.insert(unit.at("name")).second);
        for (const Element& b : unit.children) {
            EXPECT_EQ(b.name, "BaseUnit");
            only(b, base);
        }
    }
    return units;
}

// What is moved or told may be anything; a start is within its range.
void check_range(const Element& type)
{
    if (type.has("min") && type.has("max")) {
        EXPECT_LT(std::stod(type.at("min")), std::stod(type.at("max")));
    }
    if (!type.has("start")) return;
    if (type.has("min")) {
        EXPECT_LE(std::stod(type.at("min")), std::stod(type.at("start")));
    }
    if (type.has("max")) {
        EXPECT_GE(std::stod(type.at("max")), std::stod(type.at("start")));
    }
}

// Causality, variability and initial that may stand together, and starts where they must be and where not.
void check_variable(const Element& v, bool has_start)
{
    const std::string &causality = v.at("causality"), &variability = v.at("variability");
    if (causality == "parameter") {
        EXPECT_EQ(variability, "fixed");
        EXPECT_EQ(v.at("initial"), "exact");
        EXPECT_TRUE(has_start);
    } else if (causality == "input") {
        EXPECT_FALSE(v.has("initial"));
        EXPECT_TRUE(has_start);
    } else {
        EXPECT_EQ(causality, "output");
        EXPECT_EQ(v.at("initial"), "calculated");
        EXPECT_FALSE(has_start);
    }
}

} // namespace

TEST(ExportedDescription, KeepsTheRulesOfFmi2)
{
    for (const char* model : {"rattle", "particle_damper"}) {
        const Element root = description(model, model[0] == 'p' ? "--particles 6 --height 0.02" : "", "2");
        EXPECT_EQ(root.name, "fmiModelDescription");
        only(root,
             {"fmiVersion", "modelName", "guid", "description", "author", "version", "copyright", "license",
              "generationTool", "generationDateAndTime", "variableNamingConvention",
              "numberOfEventIndicators"},
             {"fmiVersion", "modelName", "guid"});
        EXPECT_EQ(root.at("fmiVersion"), "2.0");
        EXPECT_EQ(names(root.children),
                  (std::vector<std::string>{"CoSimulation", "UnitDefinitions", "LogCategories",
                                            "DefaultExperiment", "ModelVariables", "ModelStructure"}));
        only(root.child("CoSimulation"),
             {"modelIdentifier", "needsExecutionTool", "canHandleVariableCommunicationStepSize",
              "canInterpolateInputs", "maxOutputDerivativeOrder", "canRunAsynchronuously",
              "canBeInstantiatedOnlyOncePerProcess", "canNotUseMemoryManagementFunctions",
              "canGetAndSetFMUstate", "canSerializeFMUstate", "providesDirectionalDerivative"},
             {"modelIdentifier"});
        EXPECT_EQ(root.child("CoSimulation").at("modelIdentifier"), model);
        only(root.child("DefaultExperiment"), {"startTime", "stopTime", "tolerance", "stepSize"});
        const std::set<std::string> units = check_units(root.child("UnitDefinitions"));
        std::set<std::string> seen, references;
        std::vector<std::string> outputs, calculated;
        const auto& variables = root.child("ModelVariables").children;
        for (std::size_t k = 0; k < variables.size(); ++k) {
            const Element& v = variables[k];
            EXPECT_EQ(v.name, "ScalarVariable");
            only(v,
                 {"name", "valueReference", "description", "causality", "variability", "initial",
                  "canHandleMultipleSetPerTimeInstant"},
                 {"name", "valueReference"});
            EXPECT_TRUE(seen.insert(v.at("name")).second) << v.at("name");
            EXPECT_TRUE(references.insert(v.at("valueReference")).second) << v.at("name");
            ASSERT_EQ(v.children.size(), 1u) << v.at("name");
            const Element& type = v.children[0];
            const std::map<std::string, std::set<std::string>> types = {
                {"Real", {"start", "unit", "min", "max"}},
                {"Integer", {"start", "min", "max"}},
                {"Boolean", {"start"}},
                {"String", {"start"}}};
            ASSERT_TRUE(types.contains(type.name)) << type.name;
            only(type, types.at(type.name));
            if (type.has("unit")) {
                EXPECT_TRUE(units.contains(type.at("unit"))) << type.at("unit");
            }
            check_variable(v, type.has("start"));
            check_range(type);
            if (v.at("variability") == "continuous") {
                EXPECT_EQ(type.name, "Real");
            }
            if (v.at("causality") == "output") outputs.push_back(std::to_string(k + 1));
        }
        const Element& structure = root.child("ModelStructure");
        EXPECT_EQ(names(structure.children), (std::vector<std::string>{"Outputs", "InitialUnknowns"}));
        for (const char* list : {"Outputs", "InitialUnknowns"}) {
            std::vector<std::string> listed;
            for (const Element& unknown : structure.child(list).children) {
                EXPECT_EQ(unknown.name, "Unknown");
                only(unknown, {"index", "dependencies", "dependenciesKind"}, {"index"});
                listed.push_back(unknown.at("index"));
            }
            EXPECT_EQ(listed, outputs) << list;
        }
    }
}

TEST(ExportedDescription, KeepsTheRulesOfFmi3)
{
    const Element root = description("rattle", "--coupling explicit-index1", "3");
    only(root,
         {"fmiVersion", "modelName", "instantiationToken", "description", "author", "version", "copyright",
          "license", "generationTool", "generationDateAndTime", "variableNamingConvention"},
         {"fmiVersion", "modelName", "instantiationToken"});
    EXPECT_TRUE(root.at("fmiVersion").starts_with("3."));
    EXPECT_EQ(names(root.children),
              (std::vector<std::string>{"CoSimulation", "UnitDefinitions", "LogCategories",
                                        "DefaultExperiment", "ModelVariables", "ModelStructure"}));
    only(root.child("CoSimulation"),
         {"modelIdentifier", "needsExecutionTool", "canBeInstantiatedOnlyOncePerProcess",
          "canGetAndSetFMUState", "canSerializeFMUState", "providesDirectionalDerivatives",
          "providesAdjointDerivatives", "providesPerElementDependencies",
          "canHandleVariableCommunicationStepSize", "fixedInternalStepSize", "maxOutputDerivativeOrder",
          "recommendedIntermediateInputSmoothness", "providesIntermediateUpdate",
          "mightReturnEarlyFromDoStep", "canReturnEarlyAfterIntermediateUpdate", "hasEventMode",
          "providesEvaluateDiscreteStates"},
         {"modelIdentifier"});
    const std::set<std::string> units = check_units(root.child("UnitDefinitions"));
    std::set<std::string> seen, references;
    std::vector<std::string> outputs;
    int independent = 0;
    for (const Element& v : root.child("ModelVariables").children) {
        std::set<std::string> allowed = {"name",        "valueReference", "description", "causality",
                                         "variability", "initial",        "start"};
        if (v.name == "Float64") allowed.insert({"unit", "min", "max"});
        if (v.name == "Int32") allowed.insert({"min", "max"});
        EXPECT_TRUE(v.name == "Float64" || v.name == "Int32" || v.name == "Boolean" || v.name == "String")
            << v.name;
        only(v, allowed, {"name", "valueReference"});
        EXPECT_TRUE(seen.insert(v.at("name")).second);
        EXPECT_TRUE(references.insert(v.at("valueReference")).second);
        if (v.has("unit")) {
            EXPECT_TRUE(units.contains(v.at("unit")));
        }
        if (v.at("causality") == "independent") {
            ++independent;
            EXPECT_EQ(v.at("variability"), "continuous");
            EXPECT_FALSE(v.has("start") || v.has("initial"));
            EXPECT_EQ(v.at("unit"), "s");
            continue;
        }
        if (v.name == "String") {
            EXPECT_FALSE(v.has("start"));
        }
        check_variable(v, v.has("start") || !v.children.empty());
        check_range(v);
        if (v.at("causality") == "output") outputs.push_back(v.at("valueReference"));
    }
    EXPECT_EQ(independent, 1);
    std::vector<std::string> listed, initial;
    for (const Element& e : root.child("ModelStructure").children) {
        EXPECT_TRUE(e.name == "Output" || e.name == "InitialUnknown");
        EXPECT_FALSE(e.name == "Output" && !initial.empty()) << "out of order";
        (e.name == "Output" ? listed : initial).push_back(e.at("valueReference"));
    }
    EXPECT_EQ(listed, outputs);
    EXPECT_EQ(initial, outputs);
}

TEST(ExportedDescription, TellsTheModelsWords)
{
    const Element root = description("rattle", "--balls 6 --h 2e-3", "2");
    std::map<std::string, const Element*> all;
    for (const Element& v : root.child("ModelVariables").children) all[v.at("name")] = &v;
    EXPECT_EQ(all.at("options.balls")->children[0].at("start"), "6");
    EXPECT_EQ(all.at("options.wall_stiffness")->at("description"), "of compliant contacts; 0: rigid");
    EXPECT_EQ(all.at("options.wall_stiffness")->children[0].at("unit"), "N/m");
    EXPECT_EQ(all.at("options.wall_stiffness")->children[0].at("min"), "0");
    EXPECT_EQ(all.at("options.start")->at("description"), "motion of the balls [spread|still]");
    EXPECT_TRUE(all.contains("records.'box x'") && all.contains("records.energy"));
    EXPECT_EQ(all.at("h")->children[0].at("start"), "0.002");
    EXPECT_EQ(root.child("DefaultExperiment").at("stepSize"), "0.002");
    EXPECT_EQ(root.child("DefaultExperiment").at("stopTime"), "1");
    const auto token = [&](const char* words) { return description("rattle", words, "2").at("guid"); };
    EXPECT_EQ(root.at("guid"), token("--balls 6 --h 2e-3"));
    EXPECT_NE(root.at("guid"), token("--balls 7 --h 2e-3"));
}

TEST(ExportedDescription, EscapesWhatXmlCannotHold)
{
    ExportContent content{.model = "m", .description = "a <b> & \"c\"\n\x01", .token = "{t}", .tool = "t"};
    content.variables.push_back({.name = "'<&>'", .start = std::string("\"&<"), .unit = ""});
    for (const FmiVersion version : {FmiVersion::fmi2, FmiVersion::fmi3}) {
        const Element root = plain_xml::parse(model_description(content, version));
        EXPECT_EQ(root.at("description"), "a <b> & \"c\"\n");
    }
}

TEST(BaseUnits, AreThoseOfTheUnit)
{
    using Exponents = std::array<int, 8>;
    const auto of = [](const char* unit) { return base_units(unit).value().exponents; };
    EXPECT_EQ(of("N s/m"), (Exponents{1, 0, -1, 0, 0, 0, 0, 0}));
    EXPECT_EQ(of("kg/m3"), (Exponents{1, -3, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(of("kg m^2"), (Exponents{1, 2, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(of("rad/s2"), (Exponents{0, 0, -2, 0, 0, 0, 0, 1}));
    EXPECT_EQ(of("1/s"), (Exponents{0, 0, -1, 0, 0, 0, 0, 0}));
    EXPECT_DOUBLE_EQ(base_units("mm2").value().factor, 1e-6);
    EXPECT_FALSE(base_units("stones"));
    EXPECT_FALSE(base_units("m99"));
}

TEST(Export, IsTheSameBytesEveryTime)
{
    EXPECT_EQ(master::unzipped(write_fmu("rattle", "")), master::unzipped(write_fmu("rattle", "")));
}

// What an archive holds, and what its library shows and needs.
TEST(Export, IsSelfContained)
{
    const auto files = master::unzipped(write_fmu("rattle", "", "3"));
    EXPECT_TRUE(files.contains("modelDescription.xml") && files.contains("resources/model.json") &&
                files.contains("binaries/x86_64-linux/rattle.so"));
    const std::string names = library("rattle").string();
    const auto output = [](const std::string& command) {
        FILE* pipe = popen(command.c_str(), "r");
        std::string text;
        for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
        pclose(pipe);
        return text;
    };
    EXPECT_EQ(output("nm -D --defined-only '" + names + "' | grep -v ' T fmi[23]'"), "");
    const std::string needed = output("readelf -d '" + names + "' | grep NEEDED");
    EXPECT_NE(needed, "");
    for (const char* heavy : {"vtk", "hdf5", "zip", "Simbody"})
        EXPECT_EQ(needed.find(heavy), std::string::npos) << needed;
}

TEST(Export, RefusesInOneSentence)
{
    const auto refused = [](std::vector<std::string> arguments) {
        return error_of([&] { take_fmu(arguments); });
    };
    EXPECT_PRED2(contains, refused({"--make-fmu", "m.fmu", "--fmu-library", "m.so", "--fmi", "4"}),
                 "--fmi is '4': FMUs are written for FMI 2 or 3.");
    EXPECT_PRED2(contains, refused({"--make-fmu", "no/such/m.fmu", "--fmu-library", "m.so"}),
                 "The folder of 'no/such/m.fmu' does not exist");
    EXPECT_PRED2(contains, refused({"--make-fmu"}), "--make-fmu needs the name of a file");
    const auto not_made = [](const std::string& words) {
        return error_of([&] { write_fmu("rattle", words); });
    };
    EXPECT_PRED2(contains, not_made("--ball 3"), "There is no option '--ball': did you mean --balls?");
    EXPECT_PRED2(contains, not_made("--coupling monolithic"), "--coupling monolithic leaves nothing to move");
    EXPECT_PRED2(contains, not_made("--peer mbdyn --socket s --coupling loose"), "--peer is for runs");
    EXPECT_PRED2(contains, error_of([] { write_fmu("particle_damper", "--particles 0"); }),
                 "where it may be cut");
}

} // namespace tamis::fmi_description_test
