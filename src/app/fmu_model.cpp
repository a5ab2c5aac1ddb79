// Names follow the structured convention of FMI: what is no identifier is quoted. Parameters of the model become its
// options again, words for words, in place of those that were given at the export.
#include "tamis/app/fmu_model.hpp"

#include "tamis/base/state_hash.hpp"
#include "tamis/cosim/guided_side.hpp"
#include "tamis/model/model_hash.hpp"

#include <cctype>
#include <cmath>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <set>

namespace tamis {

namespace {

bool is_identifier(const std::string& name)
{
    const auto letter = [](unsigned char c) { return std::isalpha(c) || c == '_'; };
    return !name.empty() && letter(static_cast<unsigned char>(name[0])) &&
           std::ranges::all_of(name, [&](unsigned char c) { return letter(c) || std::isdigit(c); });
}

std::string quoted(const std::string& name)
{
    if (is_identifier(name)) return name;
    std::string out = "'";
    for (const char c : name)
        out += c == '\'' || c == '\\' || c == '"' || !std::isprint(static_cast<unsigned char>(c)) ? '_' : c;
    return out + "'";
}

// Of an option: letters, digits and underscores.
std::string plain(std::string name)
{
    for (char& c : name)
        if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
    return name;
}

// By value reference; names that would be the same are told apart by a number.
class Variables {
  public:
    explicit Variables(std::vector<ExportVariable>& all) : all_(all) {}
    ExportVariable& add(const std::string& name, ExportCausality causality, ExportValue start,
                        const std::string& unit, const std::string& description)
    {
        std::string unique = name;
        for (int k = 2; !names_.insert(unique).second; ++k) unique = fmt::format("{}_{}", name, k);
        ExportVariable variable;
        variable.name = unique;
        variable.description = description;
        variable.causality = causality;
        variable.start = std::move(start);
        variable.unit = unit;
        return all_.emplace_back(std::move(variable));
    }

  private:
    std::vector<ExportVariable>& all_;
    std::set<std::string> names_;
};

void bound(ExportVariable& variable, const Range& range)
{
    variable.least = range.least;
    variable.most = range.most;
    variable.above = range.above;
}

std::string token_of(const FmuModel& model, std::uint64_t hash)
{
    StateHash parts[2];
    parts[0].add(hash);
    for (StateHash& part : parts) part.add(to_json(model));
    parts[1].add(parts[0].value);
    const std::string digits = fmt::format("{:016x}{:016x}", parts[0].value, parts[1].value);
    return fmt::format("{{{}-{}-{}-{}-{}}}", digits.substr(0, 8), digits.substr(8, 4), digits.substr(12, 4),
                       digits.substr(16, 4), digits.substr(20));
}

void add_motion(Variables& variables, const InterfaceMotion& start, bool accelerations)
{
    std::array<double, InterfaceMotion::size> wire;
    start.write(wire);
    const double* next = wire.data();
    const auto add = [&](const char* group, const char* axes, const char* unit, const char* what) {
        for (const char* axis = axes; *axis; ++axis)
            variables.add(fmt::format("{}.{}", group, *axis), ExportCausality::input, *next++, unit, what);
    };
    add("position", "xyz", "m", "Origin of the marker at the end of the step, world axes");
    add("orientation", "wxyz", "",
        "Unit quaternion that turns the marker's axes from the world's, w + xi + yj + zk");
    add("velocity", "xyz", "m/s", "Of the marker's origin, world axes");
    add("angular_velocity", "xyz", "rad/s", "Of the marker, world axes");
    if (!accelerations) return;
    add("acceleration", "xyz", "m/s2", "Of the marker's origin, world axes");
    add("angular_acceleration", "xyz", "rad/s2", "Of the marker, world axes");
}

nlohmann::json json_of(const ExportValue& value)
{
    return std::visit([](const auto& x) { return nlohmann::json(x); }, value);
}

ExportValue value_of(const nlohmann::json& j)
{
    if (j.is_number_float()) return j.get<double>();
    if (j.is_number_integer()) return j.get<int>();
    if (j.is_boolean()) return j.get<bool>();
    return j.get<std::string>();
}

// Removes an option and what it was given from the words.
void remove(std::vector<std::string>& words, const std::string& option, bool flag)
{
    for (auto word = words.begin(); word != words.end();) {
        if (*word == option)
            word = words.erase(word, word + (flag || word + 1 == words.end() ? 1 : 2));
        else if (word->starts_with(option + "="))
            word = words.erase(word);
        else
            ++word;
    }
}

void put(std::vector<std::string>& words, const std::string& name, const ExportValue& value)
{
    const std::string option = "--" + name;
    const bool* flag = std::get_if<bool>(&value);
    remove(words, option, flag != nullptr);
    if (flag) {
        if (*flag) words.push_back(option);
        return;
    }
    words.push_back(option);
    words.push_back(std::visit([](const auto& x) { return fmt::format("{}", x); }, value));
}

} // namespace

FmuModel fmu_model(const Script& script, const std::vector<std::string>& arguments)
{
    const std::string& name = script.model.name();
    if (script.study())
        refuse("'{}' is a study, which steps no model: take one that is cut (docs/cosimulation.md).", name);
    if (!script.where_cut())
        refuse("The model '{}' does not tell where it may be cut: write cut(body) into it "
               "(docs/cosimulation.md), and what is beyond can be an FMU.",
               name);
    if (script.has_peer()) refuse("--peer is for runs: leave it out, the FMU's master steps the other side.");
    if (!script.coupled())
        refuse("--coupling monolithic leaves nothing to move from outside: leave it out, or take loose.");
    if (!is_identifier(name))
        refuse("'{}' is no identifier, as the model of an FMU must be: take letters, digits and _.", name);
    const Model& model = script.finished();
    const CoupledOptions coupled = script.coupled_options();
    const Settings& s = script.settings();
    const int substeps = coupled.nonsmooth_substeps > 0
                             ? coupled.nonsmooth_substeps
                             : std::max(1, static_cast<int>(std::ceil(s.h / hart_step(model))));
    const NonsmoothPeerOptions follows = nonsmooth_options(coupled);

    FmuModel out;
    out.arguments = arguments;
    out.accelerations = !follows.original && follows.weights.gamma > 0;
    out.content.model = name;
    out.content.description = fmt::format("Grains and contacts of the model '{}': the motion of a marker in, "
                                          "the wrench on it out",
                                          name);
    out.content.tool = "Tamis " TAMIS_VERSION;
    out.content.step = s.h;
    out.content.stop = s.t_end;
    Variables variables(out.content.variables);
    const auto parameter = ExportCausality::parameter;
    bound(variables.add("h", parameter, s.h / substeps, "s",
                        "Longest inner step; a communication step is divided into equal ones"),
          positive);
    bound(variables.add("threads", parameter, std::max(1, s.threads), "",
                        "Of the contact solver; 0: all of the machine"),
          not_negative);
    variables.add(
        "extrapolate", parameter, false, "",
        "Inputs are the motion at the start of a step, whose end follows by velocity and acceleration");
    for (const DeclaredOption& option : script.model_options()) {
        out.options.push_back(option.name);
        std::string help = option.help;
        if (!option.among.empty()) help += fmt::format(" [{}]", fmt::join(option.among, "|"));
        bound(variables.add("options." + plain(option.name), parameter, option.value, option.unit, help),
              option.range);
    }
    add_motion(variables, marker_at_start(model, *script.where_cut()), out.accelerations);
    const auto output = ExportCausality::output;
    for (const char axis : {'x', 'y', 'z'})
        variables.add(fmt::format("force.{}", axis), output, 0.0, "N",
                      "On the marker's body, mean over the last step, world axes");
    for (const char axis : {'x', 'y', 'z'})
        variables.add(fmt::format("moment.{}", axis), output, 0.0, "N m",
                      "On the marker's body about the marker's origin, mean over the last step, world axes");
    variables.add("contacts", output, 0, "", "Contacts in the last inner step");
    variables.add("unconverged", output, 0, "",
                  "Inner steps so far whose contacts were not solved to tolerance");
    for (const Record& record : script.records())
        for (const std::string& column : record.columns)
            variables.add("records." + quoted(column), output, 0.0, record.unit, "Record of the model");
    out.content.token = token_of(out, model_hash(model));
    return out;
}

std::string to_json(const FmuModel& model)
{
    nlohmann::json j;
    j["model"] = model.content.model;
    j["description"] = model.content.description;
    j["token"] = model.content.token;
    j["tool"] = model.content.tool;
    j["step"] = model.content.step;
    j["stop"] = model.content.stop;
    j["arguments"] = model.arguments;
    j["options"] = model.options;
    j["accelerations"] = model.accelerations;
    for (const ExportVariable& v : model.content.variables) {
        nlohmann::json& k = j["variables"].emplace_back();
        k["name"] = v.name;
        k["causality"] = static_cast<int>(v.causality);
        k["start"] = json_of(v.start);
        if (std::isfinite(v.least)) k["least"] = v.least;
        if (std::isfinite(v.most)) k["most"] = v.most;
        k["above"] = v.above;
    }
    return j.dump(1);
}

FmuModel fmu_model_of_json(const std::string& text)
{
    const nlohmann::json j = nlohmann::json::parse(text);
    FmuModel model;
    model.content.model = j.at("model");
    model.content.description = j.at("description");
    model.content.token = j.at("token");
    model.content.tool = j.at("tool");
    model.content.step = j.at("step");
    model.content.stop = j.at("stop");
    model.arguments = j.at("arguments").get<std::vector<std::string>>();
    model.options = j.at("options").get<std::vector<std::string>>();
    model.accelerations = j.at("accelerations");
    for (const nlohmann::json& k : j.at("variables")) {
        ExportVariable& v = model.content.variables.emplace_back();
        v.name = k.at("name");
        v.causality = static_cast<ExportCausality>(k.at("causality").get<int>());
        v.start = value_of(k.at("start"));
        v.least = k.value("least", v.least);
        v.most = k.value("most", v.most);
        v.above = k.at("above");
    }
    if (model.content.variables.size() < model.first_record()) fail("There are too few variables.");
    return model;
}

std::unique_ptr<Script> make_script(const FmuModel& model, std::span<const ExportValue> values,
                                    const std::string& packings)
{
    std::vector<std::string> words = model.arguments;
    put(words, "threads", values[FmuModel::threads]);
    for (std::size_t k = 0; k < model.options.size(); ++k)
        put(words, model.options[k], values[FmuModel::first_option + k]);
    std::unique_ptr<Script> script = make_script(model.content.model, words);
    script->drive_from_outside();
    script->take_packings_from(packings);
    script->prepare();
    std::size_t columns = 0;
    for (const Record& record : script->records()) columns += record.columns.size();
    if (columns != model.content.variables.size() - model.first_record() || !script->where_cut() ||
        !script->coupled())
        fail("With these parameters the model has {} records, and the FMU {}: export the model anew with "
             "them.",
             columns, model.content.variables.size() - model.first_record());
    return script;
}

} // namespace tamis
