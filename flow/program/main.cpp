// gauntlet-flow: reads a problem from standard input (flow/problem.hpp), prints how long SimGrid says that it takes.
#include "flow/problem.hpp"
#include "flow/program/simulate.hpp"

#include <exception>
#include <iostream>
#include <iterator>
#include <string>

int main(int count, char**) {
  if (count > 1) {
    std::cerr
        << "gauntlet-flow takes no arguments: it reads a problem from standard input (flow/problem.hpp)\n";
    return 1;
  }
  std::ios::sync_with_stdio(false);
  const std::string text(std::istreambuf_iterator<char>(std::cin), {});
  try {
    std::cout << gauntlet::to_text(gauntlet::simulate(gauntlet::parse_problem(text))) << std::flush;
    return std::cout ? 0 : 1;
  } catch (const gauntlet::FlowTextError& error) {
    std::cerr << "gauntlet-flow: line " << error.line << ": " << error.why << '\n';
  } catch (const std::exception& error) {
    std::cerr << "gauntlet-flow: " << error.what() << '\n';
  }
  return 1;
}
