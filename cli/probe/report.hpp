// The examination of a host for people: the answer first, the worst probes next, then why.
#pragma once

#include "real/probes/suite/report_json.hpp"

#include <string>

namespace gauntlet {

std::string probe_report(const ExaminedHost& host);

}  // namespace gauntlet
