#include "shell/caller.hpp"

namespace gauntlet {
namespace {

thread_local Caller* present = nullptr;

}  // namespace

Caller* caller() { return present; }

CalledBy::CalledBy(Caller& caller) : before_(present) { present = &caller; }
CalledBy::~CalledBy() { present = before_; }

}  // namespace gauntlet
