// The file system of a directory: its room, and how fast it writes, reads and makes durable.
//
// The file is the probe's own, has no name (probe_file.hpp), and is not written where the file system would be left with less than
// a tenth of its space.
#pragma once

#include "real/probes/host/probe.hpp"

namespace gauntlet {

/// The share of its bytes, and of its inodes, that is free, in percent.
ProbeSample probe_disk_space(const ProbedHost& host);
ProbeSample probe_disk_inodes(const ProbedHost& host);
/// A file of 64 MiB is written and made durable.
ProbeSample probe_disk_write(const ProbedHost& host);
/// The same file is read back from the disk, and compared with what was written.
ProbeSample probe_disk_read(const ProbedHost& host);
/// 4 KiB are appended and made durable, 100 times: the 99th percentile of the times, in ms.
ProbeSample probe_disk_fsync(const ProbedHost& host);

}  // namespace gauntlet
