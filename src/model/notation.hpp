// The symbol table: read first. Equation numbers in comments are those of Docquier et al. (2020),
// Multibody System Dynamics, doi 10.1007/s11044-019-09721-0.
//
//   q, v        joint coordinates and velocities of a mechanism; for a spherical joint q is a quaternion and
//               v the angular velocity in body axes, so that q has more entries than v
//   h           step size; h_B, h(q) with an argument: loop equations (16)
//   theta       parameter of the theta-scheme, 1/2 .. 1
//   n, m, n+1   start of the step, configuration q_m in which everything is linearised (29), end of the step
//   u, v, c     as an index of coordinates: independent, dependent, driven
//   J, B        gradient of the loop equations (16); v = B v_u + beta, beta from driven coordinates (20)
//   M, c, f     mass matrix, bias (Coriolis, gravity, applied wrenches) and force f = Q - c (11)
//   M_red ...   projected on the independent velocities (25, 26)
//   H           map from the velocities of a block to the relative velocity at a contact; here 3 x n, the
//               transpose of the paper's (8)
//   u, r        relative velocity and impulse of a contact in its frame (n, t1, t2); V and I in (8, 31)
//   W           Delassus operator H M^-1 H^T (31)
//   e, mu, g    restitution, friction, gap (4-7)
//   R_WB, p_W   rotation from frame B to the world W; position in the world
//   _free       without contact impulses
//
// Departures from the paper are listed at the top of the file that makes them.
#pragma once
