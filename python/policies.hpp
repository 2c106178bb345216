// Classes in Python as custom policies. Every call of a hook takes the interpreter's lock; whoever runs replicas has released it.
#pragma once

#include "policies/custom/custom_policy.hpp"
#include "study/policy_error.hpp"

#include <pybind11/pybind11.h>

#include <memory>
#include <mutex>
#include <optional>

namespace gauntlet {

/// An object of Python that any thread may drop.
using HeldObject = std::shared_ptr<pybind11::object>;
HeldObject held(pybind11::object object);

/// A KeyboardInterrupt that a hook raised. Any thread may use it.
class HookInterruption {
 public:
  void set(HeldObject raised);
  /// Null where none was raised.
  HeldObject get() const;

 private:
  mutable std::mutex mutex_;
  HeldObject raised_;
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
