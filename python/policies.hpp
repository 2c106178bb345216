// Classes in Python as custom policies. Every call of a hook takes the interpreter's lock; whoever runs replicas has released it.
#pragma once

#include "policies/custom/custom_policy.hpp"
#include "study/policy_error.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

namespace gauntlet {

/// An object of Python that any thread may drop.
using HeldObject = std::shared_ptr<pybind11::object>;
HeldObject held(pybind11::object object);

/// A KeyboardInterrupt that a hook raised, and how to raise one in hooks that do not return. Any thread may use it.
class HookInterruption {
 public:
  void set(HeldObject raised);
  /// Null where none was raised.
  HeldObject get() const;

  /// This thread is in a hook, from here to its end. Under the interpreter's lock.
  class InHook {
   public:
    explicit InHook(HookInterruption* of);
    ~InHook();
    InHook(const InHook&) = delete;
    InHook& operator=(const InHook&) = delete;

   private:
    HookInterruption* of_;
  };
  /// Whether this thread is in a hook of any study.
  static bool in_hook();
  /// Raises KeyboardInterrupt in every hook that has not returned. Under the interpreter's lock.
  void interrupt_hooks() const;

 private:
  mutable std::mutex mutex_;
  HeldObject raised_;
  std::vector<unsigned long>
      in_hooks_;  // threads, by their Python identifiers; one that is in two hooks stands here twice
};

/// Policies for the scenarios that name them. `classes`: (kind, name, class) of each; null where there are none. `interruption`
/// may be null.
std::shared_ptr<const CustomPolicies> custom_policies(
    const pybind11::list& classes, const std::shared_ptr<HookInterruption>& interruption = nullptr);

/// gauntlet.PolicyError, with the exception that the policy raised as its cause.
pybind11::object exception_of(const PolicyError& error);
/// Raises the KeyboardInterrupt that a hook raised on this thread.
[[noreturn]] void raise_interruption();
/// Raises it.
[[noreturn]] void raise(const PolicyError& error);

}  // namespace gauntlet
