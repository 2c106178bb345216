/* So many steps of a rank under an agent that reads nothing: each has two segments and so many collectives. */
#define _POSIX_C_SOURCE 200809L
#include "real/rank/gauntlet_rank.h"

int main(int count, char** arguments) {
  static gauntlet_rank_recorder recorder;
  const long steps = count == 3 ? strtol(arguments[1], NULL, 10) : 0;
  const long collectives = count == 3 ? strtol(arguments[2], NULL, 10) : 0;
  gauntlet_rank rank;
  int ends[2];
  long step, each;
  if (steps <= 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0) return 2;
  memset(&rank, 0, sizeof rank);
  rank.socket = ends[0];
  rank.recorder = &recorder;
  for (step = 1; step <= steps; ++step) {
    const int64_t began = gauntlet_rank_begin_step(&rank, step);
    gauntlet_rank_segment(&rank, "forward", began);
    gauntlet_rank_segment(&rank, "backward", began);
    for (each = 0; each < collectives; ++each)
      gauntlet_rank_leave(&rank, gauntlet_rank_enter(&rank, "all_reduce", "dp"), "all_reduce", "dp");
    gauntlet_rank_end_step(&rank, step, began);
    (void)gauntlet_rank_stop_wanted(&rank);
  }
  return 0;
}
