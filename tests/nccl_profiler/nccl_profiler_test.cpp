// The profiler plugin, called as NCCL calls it: calls are enqueued, and channels of kernels end later on another thread.
#include "real/rank/nccl/nccl_profiler_abi.hpp"
#include "real/runner/marks.hpp"
#include "tests/real/scratch.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <deque>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace gauntlet::nccl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using What = RankMark::What;

// The layout in NCCL's headers for a machine of 64 bits: profiler_v4.h and profiler_v5.h.
static_assert(offsetof(Event<std::uint8_t>, parent) == 8 && offsetof(Event<std::uint64_t>, parent) == 8);
static_assert(offsetof(Event<std::uint8_t>, collective) == 24 &&
              offsetof(Event<std::uint64_t>, collective) == 24);
static_assert(offsetof(CollectiveCall, function) == 8 && offsetof(CollectiveCall, channels) == 56);
static_assert(offsetof(PointToPointCall, peer) == 32 && offsetof(PointToPointCall, channels) == 36);

/// NCCL with one version of the interface.
template <class Profiler, class Type>
class Nccl {
 public:
  explicit Nccl(const char* symbol) {
    library_ = ::dlopen(NCCL_PROFILER, RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library_, nullptr) << ::dlerror();
    profiler_ = static_cast<const Profiler*>(::dlsym(library_, symbol));
    EXPECT_NE(profiler_, nullptr);
  }
  void* communicator(const char* name, std::uint64_t id, int& wanted) {
    void* context = nullptr;
    if constexpr (std::is_same_v<Profiler, Profiler4>)
      EXPECT_EQ(profiler_->init(&context, &wanted, name, id, 1, 8, 0, nullptr), kSuccess);
    else
      EXPECT_EQ(profiler_->init(&context, id, &wanted, name, 1, 8, 0, nullptr), kSuccess);
    return context;
  }
  /// The call puts work on a stream and returns.
  void* collective(void* context, const char* function, std::uint8_t channels) {
    Event<Type> event{};
    event.type = kCollective;
    event.collective = {};
    event.collective.function = function;
    event.collective.channels = channels;
    return enqueue(context, event);
  }
  void* send(void* context, int peer, std::uint8_t channels) {
    Event<Type> event{};
    event.type = kPointToPoint;
    event.point_to_point = {};
    event.point_to_point.function = "Send";
    event.point_to_point.peer = peer;
    event.point_to_point.channels = channels;
    return enqueue(context, event);
  }
  /// The kernel begins on a channel, and ends there.
  void* channel_begins(void* context, void* call) {
    Event<Type> event{};
    event.type = kKernelChannel;
    event.parent = call;
    void* handle = nullptr;
    EXPECT_EQ(profiler_->functions.start(context, &handle, &event), kSuccess);
    return handle;
  }
  void channel_ends(void* handle) { EXPECT_EQ(profiler_->functions.stop(handle), kSuccess); }
  void run(void* context, void* call, std::uint8_t channels) {
    std::vector<void*> begun;
    for (std::uint8_t i = 0; i < channels; ++i) begun.push_back(channel_begins(context, call));
    for (void* each : begun) channel_ends(each);
  }
  /// Of a kind that was not asked for.
  void* other(void* context, int type) {
    Event<Type> event{};
    event.type = static_cast<Type>(type);
    void* handle = &event;
    EXPECT_EQ(profiler_->functions.start(context, &handle, &event), kSuccess);
    return handle;
  }
  void end(void* context) { EXPECT_EQ(profiler_->functions.finalize(context), kSuccess); }
  /// As NCCL does with its last communicator.
  void unload() { EXPECT_EQ(::dlclose(library_), 0); }

 private:
  /// In a group, as NCCL puts every call. Version 2.27 tells of the calls in a group alone whose start had a handle.
  void* enqueue(void* context, Event<Type>& call) {
    void* const group = other(context, kGroup);
    void* handle = nullptr;
    if (group != nullptr) {
      EXPECT_EQ(profiler_->functions.start(context, &handle, &call), kSuccess);
      EXPECT_EQ(profiler_->functions.stop(handle), kSuccess);
      EXPECT_EQ(profiler_->functions.stop(group), kSuccess);
    }
    return handle;
  }
  void* library_;
  const Profiler* profiler_;
};
using Nccl4 = Nccl<Profiler4, std::uint8_t>;
using Nccl5 = Nccl<Profiler5, std::uint64_t>;

/// "+ 3 AllReduce of dp" for one that was entered, "-" for one that was left.
std::vector<std::string> texts_of(const std::vector<RankMark>& marks) {
  std::vector<std::string> texts;
  for (const RankMark& mark : marks)
    texts.push_back((mark.what == What::entered ? "+ " : "- ") + std::to_string(mark.value) + " " +
                    mark.name + " of " + mark.group);
  return texts;
}

std::vector<std::string> first_of(const std::vector<RankMark>& marks) {
  const auto first = first_unfinished(marks);
  return first ? texts_of({*first}) : std::vector<std::string>();
}

class NcclProfiler : public testing::Test {
 protected:
  /// In a process of its own, which reads its environment once, as a rank does. What it recorded.
  std::vector<RankMark> recorded(const std::function<void()>& rank, bool in_drill = true) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (in_drill) ::setenv("GAUNTLET_NCCL_MARKS", (scratch_.path() / "nccl-").c_str(), 1);
      ::setenv("RANK", "5", 1);
      rank();
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    return read_marks((scratch_.path() / "nccl-5").string());
  }
  Scratch scratch_;
};

TEST_F(NcclProfiler, RecordsWhatRunsOnTheDevice) {
  const auto rank = [](auto nccl) {
    int wanted = 0;
    void* const dp = nccl.communicator("dp", 1, wanted);
    EXPECT_EQ(wanted, kGroup | kCollective | kPointToPoint | kKernelChannel);
    void* const pipeline = nccl.communicator(nullptr, 0xfeed, wanted);
    nccl.run(dp, nccl.collective(dp, "AllReduce", 2), 2);
    void* const first = nccl.collective(dp, "AllGather", 2);
    nccl.collective(dp, "AllReduce", 2);  // put on the stream; the device never comes to it
    void* const message = nccl.send(pipeline, 3, 1);
    void* const channels[] = {nccl.channel_begins(dp, first), nccl.channel_begins(dp, first)};
    nccl.channel_ends(channels[0]);  // the other one hangs
    nccl.run(pipeline, message, 1);
    nccl.end(pipeline);
  };
  const auto expected = ElementsAre("+ 1 AllReduce of dp", "- 1 AllReduce of dp", "+ 2 AllGather of dp",
                                    "+ 1 Send 3 of 000000000000feed", "- 1 Send 3 of 000000000000feed");
  for (const auto& version : {std::function<void()>([&] { rank(Nccl4("ncclProfiler_v4")); }),
                              std::function<void()>([&] { rank(Nccl5("ncclProfiler_v5")); })}) {
    const std::vector<RankMark> marks = recorded(version);
    EXPECT_THAT(texts_of(marks), expected);
    EXPECT_THAT(first_of(marks), ElementsAre("+ 2 AllGather of dp"));
  }
}

TEST_F(NcclProfiler, ARankWhoseDeviceHangsBeforeACollectiveHasNotEnteredIt) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    void* const tp = nccl.communicator("tp", 1, wanted);
    nccl.run(tp, nccl.collective(tp, "AllReduce", 4), 4);
    for (int i = 0; i < 300; ++i) nccl.collective(tp, "AllReduce", 4);  // more than the recorder has marks
  });
  EXPECT_THAT(first_of(marks), ElementsAre("- 1 AllReduce of tp"));
  EXPECT_EQ(waits_in(marks), std::nullopt);
}

/// https://github.com/NVIDIA/nccl/issues/2056
TEST_F(NcclProfiler, DoesNotRelyOnTheNumberOfChannels) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    void* const pp = nccl.communicator("pp", 1, wanted);
    nccl.run(pp, nccl.send(pp, 1, 8), 3);
    void* const late = nccl.send(pp, 2, 1);
    nccl.run(pp, late, 1);
    nccl.channel_begins(pp, late);  // one more, which hangs
  });
  EXPECT_THAT(texts_of(marks), ElementsAre("+ 1 Send 1 of pp", "- 1 Send 1 of pp", "+ 2 Send 2 of pp",
                                           "- 2 Send 2 of pp", "+ 2 Send 2 of pp"));
  EXPECT_THAT(first_of(marks), ElementsAre("+ 2 Send 2 of pp"));
}

constexpr int kMoreThanItHolds = 40'000;  // calls

TEST_F(NcclProfiler, IgnoresHandlesOfCallsThatAreLongGone) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    void* const dp = nccl.communicator("dp", 1, wanted);
    void* const old = nccl.collective(dp, "AllReduce", 1);
    void* const channel = nccl.channel_begins(dp, old);
    nccl.channel_ends(channel);
    for (int i = 0; i < kMoreThanItHolds; ++i) nccl.collective(dp, "AllReduce", 1);
    nccl.channel_ends(channel);
    EXPECT_EQ(nccl.channel_begins(dp, old), nullptr);
  });
  EXPECT_THAT(texts_of(marks), ElementsAre("+ 1 AllReduce of dp", "- 1 AllReduce of dp"));
}

TEST_F(NcclProfiler, ForgetsNoCallThatRuns) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    void* const dp = nccl.communicator("dp", 1, wanted);
    void* const channel = nccl.channel_begins(dp, nccl.collective(dp, "AllReduce", 1));
    for (int i = 0; i < kMoreThanItHolds; ++i) nccl.collective(dp, "AllReduce", 1);
    nccl.channel_ends(channel);
  });
  EXPECT_THAT(texts_of(marks), ElementsAre("+ 1 AllReduce of dp", "- 1 AllReduce of dp"));
}

TEST_F(NcclProfiler, TwoCommunicatorsOfOneNameAreNotConfused) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    void* const one = nccl.communicator("dp", 1, wanted);
    void* const other = nccl.communicator("dp", 2, wanted);
    nccl.channel_begins(one, nccl.collective(one, "AllReduce", 1));  // hangs
    nccl.run(other, nccl.collective(other, "AllReduce", 1), 1);
  });
  EXPECT_THAT(first_of(marks), ElementsAre("+ 1 AllReduce of dp"));
}

TEST_F(NcclProfiler, ACommunicatorThatComesLaterTakesNothingFromTheOthers) {
  recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    nccl.communicator("dp", 1, wanted);
    const int first = wanted;
    std::atomic<bool> ends = false;
    bool same = true;
    std::thread other([&] {
      while (!ends) same = same && __atomic_load_n(&wanted, __ATOMIC_RELAXED) == first;
    });
    for (std::uint64_t i = 0; i < 1000; ++i) nccl.communicator("tp", i, wanted);
    ends = true;
    other.join();
    EXPECT_TRUE(same);
  });
}

TEST_F(NcclProfiler, GoesOnWhereNcclLoadsItAgain) {
  const auto marks = recorded([] {
    for (int i = 0; i < 2; ++i) {
      Nccl5 nccl("ncclProfiler_v5");
      int wanted = 0;
      void* const dp = nccl.communicator("dp", 1, wanted);
      nccl.run(dp, nccl.collective(dp, "AllReduce", 1), 1);
      nccl.end(dp);
      nccl.unload();
    }
  });
  EXPECT_THAT(texts_of(marks), ElementsAre("+ 1 AllReduce of dp", "- 1 AllReduce of dp",
                                           "+ 2 AllReduce of dp", "- 2 AllReduce of dp"));
}

TEST_F(NcclProfiler, TellsLongNamesApart) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    for (const auto& [name, id] :
         {std::pair("DATA_PARALLEL_GROUP", 0xabcdef), std::pair("DATA_PARALLEL_GROUP_WITH_CP", 2)}) {
      void* const group = nccl.communicator(name, static_cast<std::uint64_t>(id), wanted);
      nccl.channel_begins(group, nccl.collective(group, "ReduceScatter", 1));
    }
  });
  EXPECT_THAT(texts_of(marks),
              ElementsAre("+ 1 ReduceScatter of DATA_PARA~abcdef", "+ 1 ReduceScatter of DATA_PARA~000002"));
}

TEST_F(NcclProfiler, LeavesOutWhatItDidNotAskFor) {
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    void* const dp = nccl.communicator("dp", 1, wanted);
    for (const int type : {1 << 3, 1 << 4, 1 << 5, 1 << 7, 1 << 8, 1 << 9, 1 << 10})
      EXPECT_EQ(nccl.other(dp, type), nullptr);
    nccl.channel_ends(nullptr);
    EXPECT_EQ(nccl.channel_begins(dp, nullptr), nullptr);
  });
  EXPECT_THAT(marks, IsEmpty());
}

TEST_F(NcclProfiler, DoesNothingOutsideADrill) {
  const auto marks = recorded(
      [] {
        Nccl4 nccl("ncclProfiler_v4");
        int wanted = 1;
        void* const dp = nccl.communicator("dp", 1, wanted);
        EXPECT_EQ(dp, nullptr);
        EXPECT_EQ(wanted, 0);
        EXPECT_EQ(nccl.collective(dp, "AllReduce", 1), nullptr);
        nccl.end(dp);
      },
      false);
  EXPECT_THAT(marks, IsEmpty());
}

TEST_F(NcclProfiler, IsCalledFromSeveralThreads) {
  constexpr int kCalls = 300;
  const auto marks = recorded([] {
    Nccl5 nccl("ncclProfiler_v5");
    int wanted = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      void* const communicator = nccl.communicator(("group " + std::to_string(i)).c_str(), 1, wanted);
      threads.emplace_back([&nccl, communicator] {
        // The calls of a host run ahead of the device, whose progress another thread reports.
        std::deque<void*> calls;
        for (int n = 0; n < kCalls; ++n) {
          calls.push_back(nccl.collective(communicator, "AllReduce", 3));
          if (calls.size() < 8) continue;
          std::thread([&nccl, communicator, call = calls.front()] {
            nccl.run(communicator, call, 3);
          }).join();
          calls.pop_front();
        }
        for (void* call : calls) nccl.run(communicator, call, 3);
      });
    }
    for (std::thread& each : threads) each.join();
  });
  ASSERT_FALSE(marks.empty());
  EXPECT_EQ(marks.back().number, 2U * 4 * kCalls);
  EXPECT_EQ(marks.back().what, What::left);
  EXPECT_THAT(first_of(marks), ElementsAre(testing::StartsWith("- "))) << "all of them were left";
}

}  // namespace
}  // namespace gauntlet::nccl
