// A cart is pushed against a wall by a controller that lives in the program's own time loop.
#include <tamis/model/description.hpp>
#include <tamis/nscd/moreau_jean.hpp>

using namespace tamis;

int main()
{
    // The model: a cart of 2 kg on a rail, pushed by a force that the loop sets, and a wall 1 m ahead of it.
    ModelDescription model("cart");
    const Body cart = model.add({.name = "cart", .joint = slide_x(), .mass = 2});
    const Coordinate x = model.coordinate(cart);
    double push = 0; // N
    model.force(x, [&push](const View&) { return push; });
    const MaterialId steel = model.add(Material{.restitution = 0.5});
    model.attach(cart, box(0.4, 0.2, 0.2), steel);
    model.attach(ground, wall({-1, 0, 0}, -1.2), steel); // the half-space x > 1.2

    // The loop: look, decide, step.
    MoreauJean scheme(model.finish(), {.h = 1e-3});
    while (scheme.view().time() < 1.5) {
        const View& now = scheme.view();
        push = now.q(x) < 0.5 ? 4 : 0;
        const StepReport report = scheme.step();
        if (!report.converged) fmt::print("t = {:.3f} s: contacts are not solved\n", now.time());
        for (const ContactRecord& c : now.contacts())
            if (c.impulse[0] > 0)
                fmt::print("t = {:.3f} s: hit with {:.3f} N s, {:.3f} m/s -> {:.3f} m/s\n", now.time(),
                           c.impulse[0], c.u_minus[0], c.u_plus[0]);
    }
    fmt::print("at the end: x = {:.3f} m, energy {:.3f} J\n", scheme.view().q(x), scheme.view().energy());
}
