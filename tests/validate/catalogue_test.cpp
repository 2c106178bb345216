// The catalogue's models against what their authors say of them.
#include "config/listing.hpp"
#include "config/scenario.hpp"
#include "models/workload.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace gauntlet {
namespace {

World world_with(const std::string& path, const std::string& name) {
  const std::vector<std::string> sets = {path + "=\"" + name + "\"", "job.step_time=1s"};
  const LoadedScenario loaded = load_scenario("tiny-8", sets);
  for (const Problem& problem : loaded.problems) ADD_FAILURE() << name << ": " << problem.text();
  return loaded.scenario ? loaded.scenario->world : World{};
}

TEST(Catalogue, EveryModelHasTheParametersThatItsAuthorsState) {
  const std::vector<Listed> models = list_models();
  ASSERT_GE(models.size(), 19U);
  for (const Listed& listed : models) {
    if (listed.name == "tiny-1b") continue;  // an invention
    const Transformer model = world_with("job.model", listed.name).job.model;
    // Position embeddings, biases and norms are left out, and the name of a small model is a rounded number.
    const double rounding = model.parameters < 10e9 ? 0.05e9 : 0;
    EXPECT_NEAR(count_parameters(model).total, model.parameters, 0.01 * model.parameters + rounding)
        << listed.name;
  }
}

TEST(Catalogue, DeepSeekV3UsesAsManyParametersPerTokenAsItsAuthorsState) {
  // 37B: https://arxiv.org/abs/2412.19437. Its attention is approximated (scenarios/catalog/models/deepseek-v3.toml).
  const Transformer model = world_with("job.model", "deepseek-v3").job.model;
  EXPECT_NEAR(count_parameters(model).active / 37e9, 1, 0.06);
  EXPECT_NEAR(count_parameters(model).total / 671e9, 1, 0.01);
}

TEST(Catalogue, HardwareKnowsItsMultiprocessorsAndItsFp8) {
  for (const char* name : {"a100-80g", "a100-40g"}) {
    const Hardware hardware = world_with("cluster.hardware", name).hardware;
    EXPECT_EQ(hardware.multiprocessors, 108U) << name;
    EXPECT_EQ(hardware.peak_fp8.value, 0) << name;
  }
  for (const char* name : {"h100", "h200", "h800"}) {
    const Hardware hardware = world_with("cluster.hardware", name).hardware;
    EXPECT_EQ(hardware.multiprocessors, 132U) << name;
    EXPECT_NEAR(hardware.peak_fp8 / hardware.peak, 2, 1e-12) << name;
  }
}

}  // namespace
}  // namespace gauntlet
