#include "core/layout.hpp"

namespace gauntlet {
namespace {

/// A group is the ranks first + i * stride for i below `size`; first ranks are a mixed-radix number of what is left.
struct Strides {
  std::uint32_t stride, size;  // data-parallel groups have a second one: context inside data
};

Strides strides_of(const Layout& layout, Dimension dimension) {
  const std::uint32_t tp = layout.tp, cp = layout.cp, dp = layout.dp;
  switch (dimension) {
    case Dimension::tensor:
      return {1, tp};
    case Dimension::context:
      return {tp, cp};
    case Dimension::expert:
      return {tp * cp, layout.ep};
    case Dimension::data:
      return {tp, cp * dp};  // cp and dp are neighbours in the order, so both together are one stride
    case Dimension::pipeline:
      return {tp * cp * dp, layout.pp};
  }
  return {1, 1};
}

}  // namespace

std::uint32_t Layout::group_of(std::uint32_t rank, Dimension dimension) const {
  expect(rank < ranks(), "the rank is in the layout");
  const auto [stride, size] = strides_of(*this, dimension);
  return rank / (stride * size) * stride + rank % stride;
}

std::vector<std::uint32_t> Layout::ranks_of_group(Dimension dimension, std::uint32_t group) const {
  expect(group < groups(dimension), "there is such a group");
  const auto [stride, size] = strides_of(*this, dimension);
  const std::uint32_t first = group / stride * stride * size + group % stride;
  std::vector<std::uint32_t> ranks(size);
  for (std::uint32_t i = 0; i < size; ++i) ranks[i] = first + i * stride;
  return ranks;
}

}  // namespace gauntlet
