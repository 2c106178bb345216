// Every task is answered once and in order, whoever gets lost with it.
#include "study/mpi/task_board.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace gauntlet {
namespace {

using namespace std::chrono_literals;

constexpr TaskBoard::Moment kStart{};
constexpr TaskBoard::Wait kFarTooLong = 1h;

std::vector<Task> tasks(std::uint32_t count) {
  std::vector<Task> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({.point = 0, .first = i, .count = 1});
  return all;
}

// Figures that can be told apart.
std::vector<Figures> answer(std::int64_t mark) {
  std::vector<Figures> figures(1);
  figures[0].steps = mark;
  return figures;
}

std::int64_t consume(TaskBoard& board) {
  const std::int64_t mark = board.next()->front().steps;
  board.free_next();
  return mark;
}

TEST(TaskBoard, GivesOutNoMoreThanTheWindow) {
  TaskBoard board;
  const auto three = tasks(3);
  board.begin(three, 2, nullptr);
  EXPECT_EQ(board.take(1, kStart)->task, three[0]);
  const auto second = board.take(2, kStart);
  EXPECT_EQ(second->task, three[1]);
  EXPECT_FALSE(board.take(1, kStart));
  board.put(second->number, answer(1), kStart);
  EXPECT_FALSE(board.take(1, kStart)) << "the first is not consumed";
  board.put(0, answer(0), kStart);
  EXPECT_EQ(consume(board), 0);
  EXPECT_EQ(board.take(1, kStart)->task, three[2]);
}

TEST(TaskBoard, WhatIsOutForLongGoesToOthersAndTheFirstAnswerCounts) {
  TaskBoard board;
  const auto one = tasks(1);
  board.begin(one, 8, nullptr);
  const auto job = board.take(1, kStart);
  EXPECT_FALSE(board.take(2, kStart + TaskBoard::kShortestPatience / 2)) << "not for long";
  EXPECT_FALSE(board.take(1, kStart + kFarTooLong)) << "that is who has it";
  EXPECT_EQ(board.take(2, kStart + kFarTooLong)->number, job->number);
  EXPECT_FALSE(board.take(3, kStart + kFarTooLong)) << "it was given out again just now";
  EXPECT_EQ(board.take(3, kStart + 2 * kFarTooLong)->number, job->number) << "the second is lost too";
  board.put(job->number, answer(3), kStart);
  board.put(job->number, answer(1), kStart);
  EXPECT_EQ(consume(board), 3);
  EXPECT_EQ(board.next(), nullptr);
}

TEST(TaskBoard, WhatRankZeroHasIsNotGivenOutAgain) {
  TaskBoard board;
  const auto one = tasks(1);
  board.begin(one, 8, nullptr);
  EXPECT_TRUE(board.take(0, kStart));
  EXPECT_FALSE(board.take(1, kStart + kFarTooLong));
}

TEST(TaskBoard, AnswersOfAnEarlierRunAreIgnored) {
  TaskBoard board;
  const auto two = tasks(2);
  board.begin(two, 8, nullptr);
  const auto old = board.take(1, kStart);
  board.end();
  board.begin(two, 8, nullptr);
  const auto now = board.take(1, kStart);
  EXPECT_NE(now->number, old->number);
  board.put(old->number, answer(-1), kStart);
  board.fail(old->number, std::make_exception_ptr(std::runtime_error("old")));
  board.put(now->number, answer(7), kStart);
  EXPECT_EQ(consume(board), 7);
}

TEST(TaskBoard, AnAnswerOfAnotherSizeIsNone) {
  TaskBoard board;
  const auto one = tasks(1);
  board.begin(one, 8, nullptr);
  const auto job = board.take(1, kStart);
  board.put(job->number, {}, kStart);
  EXPECT_TRUE(board.take(2, kStart + kFarTooLong)) << "still wanted";
  board.put(job->number, answer(2), kStart);
  EXPECT_EQ(consume(board), 2);
}

TEST(TaskBoard, AFailureEndsTheRunAndNotTheNext) {
  TaskBoard board;
  const auto one = tasks(1);
  board.begin(one, 8, nullptr);
  board.fail(board.take(1, kStart)->number, std::make_exception_ptr(std::runtime_error("broken")));
  EXPECT_THROW(board.next(), std::runtime_error);
  EXPECT_FALSE(board.take(2, kStart + kFarTooLong)) << "nothing is given out any more";
  board.end();
  board.begin(one, 8, nullptr);
  EXPECT_TRUE(board.take(1, kStart));
}

TEST(TaskBoard, OfATaskThatWasAbandonedItTakesWhatWasDone) {
  TaskBoard board;
  const std::vector<Task> one = {{.point = 0, .first = 0, .count = 3}};
  std::atomic<bool> stop = false;
  board.begin(one, 8, &stop);
  EXPECT_EQ(board.stop(), &stop);
  const auto job = board.take(0, kStart);
  board.put(job->number, answer(7), kStart);  // one of three: no answer while nobody stops it
  stop = true;
  board.put(job->number, answer(8), kStart);
  const std::vector<Figures>* figures = board.next();
  ASSERT_NE(figures, nullptr);
  ASSERT_EQ(figures->size(), 1u);
  EXPECT_EQ(figures->front().steps, 8);
  board.end();
  EXPECT_EQ(board.stop(), nullptr);
}

TEST(TaskBoard, AfterAStopWhatIsUnderWayIsCompletedAndNothingBegins) {
  TaskBoard board;
  const auto three = tasks(3);
  std::atomic<bool> stop = false;
  board.begin(three, 8, &stop);
  const auto job = board.take(1, kStart);
  stop = true;
  EXPECT_FALSE(board.take(1, kStart));
  board.put(job->number, answer(0), kStart);
  EXPECT_EQ(consume(board), 0);
  EXPECT_EQ(board.next(), nullptr);
  EXPECT_EQ(board.consumed(), 1u);
}

}  // namespace
}  // namespace gauntlet
