// What a page is told of a simulated replica.
#include "commands/view/view.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace gauntlet {
namespace {

ViewSource replica_of(const std::string& scenario, std::uint32_t replica,
                      std::vector<std::string> sets = {}) {
  OpenedView opened = open_view({.what = scenario, .sets = std::move(sets), .seed = 1, .replica = replica});
  EXPECT_TRUE(opened.source);
  return std::move(*opened.source);
}

template <class Value>
std::uint32_t count_of(const Runs<Value>& runs) {
  std::uint32_t count = 0;
  for (const auto& [each, value] : runs) count += each;
  return count;
}

TEST(ViewOfAReplica, HasEveryIncidentWithItsCulprit) {
  for (std::uint32_t replica = 0; replica < 5; ++replica) {
    const ViewSource source = replica_of("tiny-8", replica);
    const View view = view_of(source, std::nullopt);
    ASSERT_EQ(view.incidents.size(), source.incidents.size());
    for (std::size_t i = 0; i < view.incidents.size(); ++i) {
      const ViewIncident& shown = view.incidents[i];
      const ComponentId component = source.incidents[i].component;
      EXPECT_EQ(shown.opened, source.incidents[i].opened);
      if (component.kind == ComponentKind::job) {
        EXPECT_EQ(shown.basis, CulpritBasis::nobody);
        continue;
      }
      EXPECT_EQ(shown.basis, CulpritBasis::truth);
      ASSERT_EQ(shown.culprit_hosts.size(), 1U);
      // 8 GPUs per host; a crash or a hang of a whole host is all of its ranks.
      const std::uint32_t host = component.kind == ComponentKind::gpu ? component.index / 8 : component.index;
      EXPECT_EQ(shown.culprit_hosts[0], HostId{host});
      EXPECT_EQ(shown.culprits.size(), component.kind == ComponentKind::gpu ? 1U : 8U);
      EXPECT_EQ(count_of(shown.spread), 64U);
      for (const ViewEvent& event : shown.events) EXPECT_LE(event.at, shown.closed);
    }
  }
}

TEST(ViewOfAReplica, NamesTheHostThatGaveNoAnswer) {
  const ViewSource source = replica_of("megascale-175b-12288", 0,
                                       {"job.window=2h",
                                        "faults={hidden={component=\"gpu\", effect=\"hang\", "
                                        "remedy=\"repair\", trace=[{at=\"1h\", component=4711}]}}"});
  const View view = view_of(source, std::nullopt);
  const auto hang = std::ranges::find(view.incidents, "hidden", &ViewIncident::cause);
  ASSERT_NE(hang, view.incidents.end());
  EXPECT_EQ(hang->effect, "hang");
  EXPECT_EQ(count_of(hang->answers), 1536U);
  ASSERT_EQ(hang->culprits.size(), 1U);
  EXPECT_EQ(hang->silent_slots, (std::vector<std::uint32_t>{hang->culprits[0] / 8}));
}

TEST(ViewOfAReplica, WithoutItsScoresHoldsTheSilentHostResponsible) {
  ViewSource source = replica_of("megascale-175b-12288", 0,
                                 {"job.window=2h",
                                  "faults={hidden={component=\"gpu\", effect=\"hang\", remedy=\"repair\", "
                                  "trace=[{at=\"1h\", component=4711}]}}"});
  source.scored = false;
  source.incidents.clear();
  const View view = view_of(source, std::nullopt);
  const auto named = std::ranges::find(view.incidents, CulpritBasis::answers, &ViewIncident::basis);
  ASSERT_NE(named, view.incidents.end());
  EXPECT_EQ(named->culprit_hosts, (std::vector<HostId>{HostId{4711 / 8}}));
  EXPECT_EQ(named->culprits.size(), 8U);
}

TEST(ViewOfAReplica, OfOneIncidentHasThatOneAlone) {
  const ViewSource source = replica_of("tiny-8", 0);
  ASSERT_GT(source.incidents.size(), 2U);
  const View view = view_of(source, 2);
  ASSERT_EQ(view.incidents.size(), 1U);
  EXPECT_EQ(view.numbered_from, 2U);
  EXPECT_EQ(view.incidents[0].opened, source.incidents[2].opened);
}

// As of a recording that was cut short, where who exited and who answered is looked for between two incidents.
TEST(AnIncidentAlone, IsThatOfTheWholePage) {
  ViewSource source = replica_of("tiny-8", 3, {"faults.gpu_lost.rate.count=4000", "spares.count=8"});
  source.scored = false;
  const View whole = view_of(source, std::nullopt);
  ASSERT_GT(whole.incidents.size(), 2u);
  int compared = 0;
  for (std::size_t i = 0; i < std::min<std::size_t>(whole.incidents.size(), 20); ++i) {
    const View alone = view_of(source, i);
    ASSERT_EQ(alone.incidents.size(), 1u);
    if (whole.incidents[i].events_left_out == 0) {
      EXPECT_TRUE(alone.incidents[0].events == whole.incidents[i].events) << i;
      ++compared;
    }
    EXPECT_EQ(alone.incidents[0].culprits, whole.incidents[i].culprits) << i;
    EXPECT_EQ(alone.incidents[0].basis, whole.incidents[i].basis) << i;
  }
  EXPECT_GT(compared, 0) << "each has more events than a page shows";
}

TEST(PageOfAView, HasNothingThatEndsItsData) {
  View view = view_of(replica_of("tiny-8", 0), std::nullopt);
  view.title = "</script><b>";
  const std::string html = to_html(view);
  EXPECT_EQ(html.find("</script><b>"), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(to_json(view)).at("title"), "</script><b>");
}

}  // namespace
}  // namespace gauntlet
