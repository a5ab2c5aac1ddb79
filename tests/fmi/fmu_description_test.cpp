// What descriptions say, and what they are refused for: each in one sentence.
#include "tamis/fmi/fmu_description.hpp"

#include "error_of.hpp"
#include "fmi/body_fmu.hpp"

#include <gtest/gtest.h>

namespace tamis::fmu_description_test {

using namespace tamis::test;

namespace {

FmuDescription read(const std::string& xml)
{
    return read_fmu_description(xml, "plant");
}

std::string refusal(const std::string& xml)
{
    const std::string why = error_of([&] { read(xml); });
    EXPECT_FALSE(contains(why, "\n")) << why;
    return why;
}

// A description with other parts than a sound one.
struct Text {
    std::string root = R"(fmiVersion="2.0" modelName="plant" guid="{1}")";
    std::string kind = R"(<CoSimulation modelIdentifier="plant"/>)";
    std::string units, variables, experiment;

    std::string operator()() const
    {
        return "<fmiModelDescription " + root + ">" + kind + "<UnitDefinitions>" + units +
               "</UnitDefinitions>" + experiment + "<ModelVariables>" + variables +
               "</ModelVariables></fmiModelDescription>";
    }
};

std::string scalar(const std::string& attributes, const std::string& type = "<Real/>")
{
    return "<ScalarVariable " + attributes + ">" + type + "</ScalarVariable>";
}

const std::string root_3 = R"(fmiVersion="3.0" modelName="plant" instantiationToken="{1}")";

} // namespace

TEST(FmuDescription, TellsWhatACoSimulationNeeds)
{
    const FmuDescription d = read(
        R"(<?xml version="1.0" encoding="UTF-8"?><!-- a comment -->
        <fmiModelDescription fmiVersion="2.0" modelName="plant" guid="{1}" generationTool="a tool">
        <ModelExchange modelIdentifier="plant_me"/>
        <CoSimulation modelIdentifier="plant" needsExecutionTool="true" canHandleVariableCommunicationStepSize="1"
          canGetAndSetFMUstate="true" canSerializeFMUstate="false" canBeInstantiatedOnlyOncePerProcess="true"/>
        <UnitDefinitions><Unit name="mm"><BaseUnit m="1" factor="1e-3"/></Unit>
          <Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit><Unit name="odd"/></UnitDefinitions>
        <TypeDefinitions><SimpleType name="Length"><Real unit="mm"/></SimpleType>
          <SimpleType name="Difference"><Real unit="degC" relativeQuantity="true"/></SimpleType></TypeDefinitions>
        <DefaultExperiment tolerance="1e-6"/>
        <ModelVariables>
          <ScalarVariable name="x" valueReference="7" causality="output"><Real declaredType="Length"/></ScalarVariable>
          <ScalarVariable name="n" valueReference="8" causality="parameter" variability="fixed">
            <Integer start="3"/></ScalarVariable>
          <ScalarVariable name="T" valueReference="9"><Real unit="degC"/></ScalarVariable>
          <ScalarVariable name="dT" valueReference="9"><Real declaredType="Difference"/></ScalarVariable>
          <ScalarVariable name="o" valueReference="4294967295"><Real unit="odd"/></ScalarVariable>
          <ScalarVariable name="f" valueReference="0" causality="input"><Real unit="N"/></ScalarVariable>
        </ModelVariables></fmiModelDescription>)");
    EXPECT_EQ(d.version, 2);
    EXPECT_EQ(d.token, "{1}");
    EXPECT_EQ(d.identifier, "plant");
    EXPECT_EQ(d.generator, "a tool");
    EXPECT_TRUE(d.needs_tool && d.variable_step && d.saves_state && d.only_once);
    EXPECT_FALSE(d.serialises_state);
    EXPECT_EQ(d.tolerance, 1e-6);
    ASSERT_EQ(d.variables.size(), 6u);
    const FmuVariable& x = *d.find("x");
    EXPECT_EQ(x.reference, 7u);
    EXPECT_EQ(x.type, FmuType::float64);
    EXPECT_EQ(x.causality, FmuCausality::output);
    EXPECT_EQ(x.variability, FmuVariability::continuous);
    EXPECT_EQ(d.unit_of(x).factor, 1e-3);
    EXPECT_EQ(d.unit_of(x).powers, (std::array<int, 7>{0, 1}));
    EXPECT_EQ(d.find("n")->type, FmuType::int32);
    EXPECT_EQ(d.find("n")->start, "3");
    EXPECT_EQ(d.unit_of(*d.find("T")).offset, 273.15);
    EXPECT_EQ(d.unit_of(*d.find("dT")).offset, 0);
    EXPECT_FALSE(d.unit_of(*d.find("o")).defined);
    EXPECT_EQ(d.find("o")->reference, 4294967295u);
    EXPECT_EQ(d.unit_of(*d.find("f")).powers, (std::array<int, 7>{1, 1, -2})); // not defined there, but known
    EXPECT_EQ(d.find("y"), nullptr);
}

TEST(FmuDescription, OfVersion3HasArraysAndAliases)
{
    const FmuDescription d = read(
        R"(<fmiModelDescription fmiVersion="3.0.1" modelName="plant" instantiationToken="t">
        <CoSimulation modelIdentifier="plant" canGetAndSetFMUState="true" canSerializeFMUState="true"
          fixedInternalStepSize="1e-3" hasEventMode="true" providesIntermediateUpdate="true"/>
        <TypeDefinitions><Float64Type name="Length" unit="m"/></TypeDefinitions>
        <ModelVariables>
          <UInt64 name="n" valueReference="1" causality="structuralParameter" start="3"/>
          <Float64 name="A" valueReference="2" causality="output" declaredType="Length"><Dimension start="2"/>
            <Dimension valueReference="1"/><Alias name="B"/></Float64>
          <Float64 name="v" valueReference="3" causality="local" unit="m/s"><Alias name="w"/></Float64>
          <Int8 name="i" valueReference="4" causality="parameter"/><Binary name="b" valueReference="5"/>
        </ModelVariables></fmiModelDescription>)");
    EXPECT_EQ(d.version, 3);
    EXPECT_TRUE(d.saves_state && d.serialises_state);
    EXPECT_FALSE(d.variable_step);
    EXPECT_EQ(d.internal_step, 1e-3);
    EXPECT_EQ(d.find("A")->size, 6u);
    EXPECT_EQ(d.find("A")->unit, "m");
    EXPECT_EQ(d.find("B")->size, 6u);
    EXPECT_EQ(d.find("B")->reference, 2u);
    EXPECT_EQ(d.find("w")->unit, "m/s");
    EXPECT_EQ(d.find("w")->size, 1u);
    EXPECT_EQ(d.find("i")->type, FmuType::int8);
    EXPECT_EQ(d.find("i")->variability, FmuVariability::fixed);
}

TEST(FmuDescription, IsRefusedByItsFault)
{
    Text fine;
    fine.variables = scalar(R"(name="x" valueReference="1")");
    EXPECT_EQ(refusal(fine()), "");
    const auto with = [&](const std::function<void(Text&)>& change) {
        Text text = fine;
        change(text);
        return refusal(text());
    };
    EXPECT_PRED2(contains, refusal(""), "is no XML");
    EXPECT_PRED2(contains, refusal("<fmiModelDescription>"), "is no XML at byte");
    EXPECT_PRED2(contains, refusal("<other/>"), "no element fmiModelDescription");
    for (const char* version : {"1.0", "", "2.1", "4.0"})
        EXPECT_PRED2(contains,
                     with([&](Text& t) { t.root = fmt::format(R"(fmiVersion="{}" guid="1")", version); }),
                     "it is of FMI version '");
    EXPECT_PRED2(contains, with([](Text& t) { t.root = R"(fmiVersion="2.0")"; }), "has no guid");
    EXPECT_PRED2(contains, with([](Text& t) { t.root = R"(fmiVersion="3.0" guid="1")"; }),
                 "no instantiationToken");
    EXPECT_PRED2(contains, with([](Text& t) { t.kind = R"(<ModelExchange modelIdentifier="p"/>)"; }),
                 "for model exchange only");
    EXPECT_PRED2(contains, with([](Text& t) { t.root = root_3, t.kind = "<ScheduledExecution/>"; }),
                 "for scheduled execution only");
    EXPECT_PRED2(contains, with([](Text& t) { t.kind = ""; }), "no element CoSimulation");
    for (const char* name : {"", "../../evil", "a b", "a/b", "\xc3\xa4"})
        EXPECT_PRED2(contains, with([&](Text& t) {
                         t.kind = fmt::format(R"(<CoSimulation modelIdentifier="{}"/>)", name);
                     }),
                     "modelIdentifier is");
    EXPECT_PRED2(contains, with([](Text& t) {
                     t.kind = R"(<CoSimulation modelIdentifier="p" needsExecutionTool="maybe"/>)";
                 }),
                 "needsExecutionTool is 'maybe', neither true nor false");
    EXPECT_PRED2(contains, with([](Text& t) {
                     t.root = root_3, t.variables = "";
                     t.kind = R"(<CoSimulation modelIdentifier="p" fixedInternalStepSize="-1"/>)";
                 }),
                 "fixedInternalStepSize is -1");
    EXPECT_PRED2(contains, with([](Text& t) { t.experiment = R"(<DefaultExperiment tolerance="0"/>)"; }),
                 "tolerance of its default experiment is 0");
    EXPECT_PRED2(contains, with([](Text& t) { t.experiment = R"(<DefaultExperiment tolerance="nan"/>)"; }),
                 "is 'nan', no number");
}

TEST(FmuDescription, UnitsAndVariablesAreChecked)
{
    const auto unit = [](const std::string& text) {
        Text t;
        t.units = text;
        return refusal(t());
    };
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"><BaseUnit m="1.5"/></Unit>)"), "the power '1.5' of m");
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"><BaseUnit kg="-2147483648"/></Unit>)"), "the power");
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"><BaseUnit factor="0"/></Unit>)"),
                 "the factor of its unit 'u' is 0");
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"><BaseUnit factor="1e-310"/></Unit>)"), "the factor");
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"><BaseUnit factor="x"/></Unit>)"), "no number");
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"><BaseUnit offset="inf"/></Unit>)"), "no number");
    EXPECT_PRED2(contains, unit(R"(<Unit name="u"/><Unit name="u"/>)"), "defines the unit 'u' twice");

    const auto variables = [](const std::string& text, bool v2 = true) {
        Text t;
        if (!v2) t.root = root_3;
        t.variables = text;
        return refusal(t());
    };
    EXPECT_PRED2(contains, variables(scalar(R"(valueReference="1")")), "has no name");
    EXPECT_PRED2(contains, variables(scalar(R"(name="x")")), "has the valueReference ''");
    for (const char* r : {"-1", "4294967296", "1.0", "0x1", " 1"})
        EXPECT_PRED2(contains, variables(scalar(fmt::format(R"(name="x" valueReference="{}")", r))),
                     "has the valueReference");
    const std::string x = R"(name="x" valueReference="1")";
    EXPECT_PRED2(contains, variables(scalar(x) + scalar(x)), "two variables of the name 'x'");
    EXPECT_PRED2(contains, variables(scalar(x + R"( causality="in")")), "has the causality 'in'");
    EXPECT_PRED2(contains, variables(scalar(x + R"( variability="often")")), "has the variability 'often'");
    EXPECT_PRED2(contains, variables(scalar(x, "<Complex/>")), "type that is not known");
    EXPECT_PRED2(contains, variables(scalar(x, "")), "type that is not known");
    EXPECT_EQ(variables(scalar(x) + scalar(R"(name="y" valueReference="1")")), ""); // aliases of FMI 2.0
    EXPECT_PRED2(
        contains,
        variables(R"(<Float64 name="x" valueReference="1"/><Int8 name="y" valueReference="1"/>)", false),
        "'y' has the valueReference 1 of another one");
    EXPECT_PRED2(contains, variables(R"(<Clock name="c" valueReference="1" causality="input"/>)", false),
                 "'c' is a clock");
    EXPECT_PRED2(contains, variables(R"(<Binary name="b" valueReference="1" causality="input"/>)", false),
                 "input 'b' is binary");
    EXPECT_PRED2(contains, variables(R"(<Float64 name="x" valueReference="1"><Alias/></Float64>)", false),
                 "alias");
    EXPECT_PRED2(contains, variables(scalar("name=\"" + std::string(5000, 'x') + R"(" valueReference="1")")),
                 "its name has 5000 characters");
}

// Of which an FMU may have some that nobody maps.
TEST(FmuDescription, ArraysOfAnImpossibleSizeHaveNone)
{
    const auto size = [](const std::string& dimensions) {
        Text t;
        t.root = root_3;
        t.variables = R"(<Float64 name="x" valueReference="1">)" + dimensions +
                      R"(<Alias name="y"/></Float64>)"
                      R"(<Float64 name="z" valueReference="2"/>)";
        const FmuDescription d = read(t());
        EXPECT_EQ(d.find("y")->size, d.find("x")->size);
        EXPECT_EQ(d.find("z")->size, 1u);
        return d.find("x")->size;
    };
    EXPECT_EQ(size(R"(<Dimension start="1000"/><Dimension start="1000"/>)"), 1000000u);
    for (const char* dimension : {R"(start="0")", R"(start="-3")", R"(start="1e3")", R"(start="1000001")",
                                  R"(valueReference="9")", R"(valueReference="1")", ""}) {
        EXPECT_EQ(size(fmt::format("<Dimension {}/>", dimension)), 0u) << dimension;
        EXPECT_EQ(
            size(fmt::format(R"(<Dimension start="5"/><Dimension {}/><Dimension start="7"/>)", dimension)),
            0u);
    }
    EXPECT_EQ(size(R"(<Dimension start="10000"/><Dimension start="10000"/>)"), 0u);
    EXPECT_EQ(size(R"(<Dimension start="1000000000000"/><Dimension start="0"/>)"), 0u);
}

// What is small in a file and would be large in memory, or long in the making.
TEST(FmuDescription, IsBounded)
{
    const auto variables = [](const std::string& text) {
        Text t;
        t.root = root_3;
        t.variables = text;
        return t();
    };
    const auto repeated = [](int n, const std::string& text) {
        std::string all;
        for (int k = 0; k < n; ++k) all += text;
        return all;
    };
    const auto dimensions = [&](int n) {
        return variables(R"(<Float64 name="x" valueReference="1">)" +
                         repeated(n, R"(<Dimension start="1"/>)") + "</Float64>");
    };
    EXPECT_EQ(refusal(dimensions(32)), "");
    EXPECT_PRED2(contains, refusal(dimensions(33)), "'x' has more than 32 dimensions");
    EXPECT_PRED2(contains,
                 refusal(variables(R"(<Float64 name="x" valueReference="1">)" +
                                   repeated(1000001, R"(<Alias name="y"/>)") + "</Float64>")),
                 "more than 1000000 variables");
    const std::string longer(201, 'u');
    EXPECT_PRED2(contains,
                 refusal(variables(R"(<Float64 name="x" valueReference="1" unit=")" + longer + "\"/>")),
                 "its unit has 201 characters");
    EXPECT_PRED2(contains,
                 refusal(variables(R"(<Float64 name="x" valueReference="1" initial=")" + longer + "\"/>")),
                 "its initial has 201 characters");
    const std::string start(3000, '1');
    EXPECT_EQ(
        read(variables(R"(<Float64 name="x" valueReference="1" start=")" + start + "\"/>")).find("x")->start,
        "");
    // Elements within each other do not use up the stack.
    const int depth = 500000;
    EXPECT_PRED2(contains, refusal(repeated(depth, "<a>")), "is no XML");
    EXPECT_EQ(refusal(variables(R"(<Float64 name="x" valueReference="1">)" + repeated(depth, "<a>") +
                                repeated(depth, "</a>") + "</Float64>")),
              "");
}

// Control characters and long texts of a file do not reach the terminal.
TEST(FmuDescription, ErrorsAreFitToPrint)
{
    Text t;
    t.variables = scalar("name=\"a&#27;[2J&#10;b" + std::string(3000, 'c') + "\" valueReference=\"x\"");
    const std::string why = refusal(t());
    EXPECT_PRED2(contains, why, "'a?[2J?bccc");
    EXPECT_LT(why.size(), 300u);
    t.variables = scalar("name=\"x\" valueReference=\"1\"", "<Real unit=\"&#27;[2J\"/>");
    EXPECT_PRED2(contains, refusal(t()), "unit '?[2J' has control characters");
}

// Each name of a variable, of both versions.
TEST(FmuDescription, OfTheTestsIsTaken)
{
    for (const int version : {2, 3}) {
        const FmuDescription d = read(BodyFmu{.version = version}.description());
        EXPECT_EQ(d.find("q[2,1]")->reference, 11u);
        EXPECT_EQ(d.unit_of(*d.find("angle")).factor, 0.017453292519943295);
        EXPECT_EQ(d.find("trouble")->causality, FmuCausality::parameter);
    }
}

} // namespace tamis::fmu_description_test
