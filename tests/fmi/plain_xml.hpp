// XML as modelDescription.xml has it: elements with attributes and children, no text. Throws at anything else.
#pragma once

#include <cctype>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace plain_xml {

struct Element {
    std::string name;
    std::map<std::string, std::string> attributes;
    std::vector<Element> children;

    bool has(const std::string& attribute) const { return attributes.contains(attribute); }
    const std::string& at(const std::string& attribute) const
    {
        const auto found = attributes.find(attribute);
        if (found == attributes.end()) throw std::runtime_error(name + " has no " + attribute);
        return found->second;
    }
    const Element& child(const std::string& of_name) const
    {
        for (const Element& c : children)
            if (c.name == of_name) return c;
        throw std::runtime_error(name + " has no " + of_name);
    }
};

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}
    Element document()
    {
        expect("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        space();
        Element root = element();
        space();
        if (!text_.empty()) fail("more than one element");
        return root;
    }

  private:
    [[noreturn]] void fail(const std::string& what) const
    {
        throw std::runtime_error(what + " at '" + std::string(text_.substr(0, 40)) + "'");
    }
    bool starts(std::string_view word) const { return text_.starts_with(word); }
    void expect(std::string_view word)
    {
        if (!starts(word)) fail("no " + std::string(word));
        text_.remove_prefix(word.size());
    }
    void space()
    {
        while (!text_.empty() && std::isspace(static_cast<unsigned char>(text_[0]))) text_.remove_prefix(1);
    }
    std::string word()
    {
        std::size_t n = 0;
        while (n < text_.size() && std::isalnum(static_cast<unsigned char>(text_[n]))) ++n;
        if (n == 0) fail("no name");
        const std::string out(text_.substr(0, n));
        text_.remove_prefix(n);
        return out;
    }
    std::string value()
    {
        expect("\"");
        std::string out;
        while (!starts("\"")) {
            if (text_.empty() || starts("<") || static_cast<unsigned char>(text_[0]) < 0x20)
                fail("a bare character");
            if (!starts("&")) {
                out += text_[0];
                text_.remove_prefix(1);
                continue;
            }
            const std::size_t end = text_.find(';');
            if (end == std::string_view::npos) fail("an endless entity");
            const std::string entity(text_.substr(1, end - 1));
            const std::map<std::string, char> known{{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}};
            if (entity.starts_with("#"))
                out += static_cast<char>(std::stoi(entity.substr(1)));
            else if (known.contains(entity))
                out += known.at(entity);
            else
                fail("an unknown entity");
            text_.remove_prefix(end + 1);
        }
        expect("\"");
        return out;
    }
    Element element()
    {
        expect("<");
        Element e;
        e.name = word();
        while (true) {
            space();
            if (starts("/>")) {
                expect("/>");
                return e;
            }
            if (starts(">")) break;
            const std::string name = word();
            expect("=");
            if (!e.attributes.emplace(name, value()).second) fail(name + " twice");
        }
        expect(">");
        space();
        while (!starts("</")) {
            e.children.push_back(element());
            space();
        }
        expect("</" + e.name + ">");
        return e;
    }

    std::string_view text_;
};

inline Element parse(std::string_view text)
{
    return Parser(text).document();
}

} // namespace plain_xml
