// How the command ends.
#pragma once

namespace gauntlet {

inline constexpr int kSuccess = 0;
inline constexpr int kFailed = 1;        // the run failed, a replica gave up, or a check found something
inline constexpr int kWrongInput = 2;    // nothing was run and nothing written
inline constexpr int kSignalBase = 128;  // interrupted: plus the signal, so 130 for Ctrl-C

}  // namespace gauntlet
