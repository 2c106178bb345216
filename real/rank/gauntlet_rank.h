/* What a rank of a training job tells Gauntlet, and what it is told. Copy this file into your project; C99, POSIX, and the atomic stores of GCC and Clang.
 *
 *   gauntlet_rank rank;
 *   gauntlet_rank_open(&rank);
 *   gauntlet_rank_resumed(&rank, step);                  the state after this step is loaded, 0 for none
 *   while (step < steps && !gauntlet_rank_stop_wanted(&rank)) {
 *     int64_t began = gauntlet_rank_begin_step(&rank, ++step);
 *     uint64_t sequence = gauntlet_rank_enter(&rank, "all_reduce", "dp");
 *     ...
 *     gauntlet_rank_leave(&rank, sequence, "all_reduce", "dp");
 *     gauntlet_rank_end_step(&rank, step, began);
 *     if (gauntlet_rank_checkpoint_wanted(&rank, step)) {
 *       ...
 *       gauntlet_rank_saved(&rank, step);                by one rank of the job, once the checkpoint is durable as a whole
 *     }
 *   }
 *   gauntlet_rank_finished(&rank, step, hash);           0 for a hash that is not known
 *   gauntlet_rank_close(&rank);
 *
 * Outside a drill (without $GAUNTLET_RANK_SOCKET) everything here does nothing, and gauntlet_rank_checkpoint_wanted is 0. A
 * rank never waits for Gauntlet: a message that does not fit is dropped and counted. `phase`, `resumed`, `saved`, `log` and
 * `finished` alone wait, for a second at most, and a collective where an injected fault holds this rank. Segments and collectives go to a
 * file in shared memory, without a system call. One thread at a time. With -std=c99 define _POSIX_C_SOURCE as 200809L.
 * real/rank/PROTOCOL.md describes the messages. */
#ifndef GAUNTLET_RANK_H
#define GAUNTLET_RANK_H

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define GAUNTLET_RANK_MARKS 256
#define GAUNTLET_RANK_LONGEST 4096
#define GAUNTLET_RANK_PATIENCE_MS 1000
#define GAUNTLET_RANK_GROUPS 16
#define GAUNTLET_RANK_SEGMENTS 8

enum gauntlet_rank_what {
  GAUNTLET_RANK_STEP_BEGAN = 1,
  GAUNTLET_RANK_STEP_ENDED = 2,
  GAUNTLET_RANK_SEGMENT = 3,
  GAUNTLET_RANK_ENTERED = 4,
  GAUNTLET_RANK_LEFT = 5
};

/* 64 bytes. `number` counts from 1 and is written last. Longer names than 16 bytes are cut; one of 16 ends without a zero. */
typedef struct {
  uint64_t number;
  int64_t at_ns; /* CLOCK_MONOTONIC */
  uint32_t what;
  uint32_t unused;
  int64_t value; /* a step, nanoseconds of a segment, or the sequence number of a collective */
  char name[16];
  char group[16];
} gauntlet_rank_mark;

typedef struct {
  char magic[8];
  uint64_t sent; /* bytes to other ranks, by gauntlet_rank_sent */
  uint32_t pid, rank;
  char padding[40];
  gauntlet_rank_mark marks[GAUNTLET_RANK_MARKS];
} gauntlet_rank_recorder;

typedef struct {
  int socket; /* -1: nobody listens */
  int number;
  int checkpoint, stop, held;
  int64_t every, step; /* `step`: the last that began */
  uint64_t dropped, unsaid_drops, next;
  gauntlet_rank_recorder* recorder;
  struct {
    char name[16];
    uint64_t sequence;
  } groups[GAUNTLET_RANK_GROUPS]; /* those beyond share the last one */
  struct {
    char name[16];
    int64_t took_ns;
  } segments[GAUNTLET_RANK_SEGMENTS]; /* of this step; those beyond are in the recorder alone */
} gauntlet_rank;

static inline int64_t gauntlet_rank_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static inline void gauntlet_rank_name(char into[16], const char* name) {
  size_t length = strlen(name);
  if (length > 16) length = 16;
  memset(into, 0, 16);
  memcpy(into, name, length);
}

static inline void gauntlet_rank_put(gauntlet_rank* rank, int64_t now, uint32_t what, int64_t value,
                                     const char* name, const char* group) {
  gauntlet_rank_mark* mark;
  if (rank->recorder == NULL) return;
  mark = &rank->recorder->marks[rank->next % GAUNTLET_RANK_MARKS];
  /* Another process reads this memory, so that neither compiler nor processor may reorder: no number, the mark, its number. */
  __atomic_store_n(&mark->number, 0, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  mark->at_ns = now;
  mark->what = what;
  mark->value = value;
  gauntlet_rank_name(mark->name, name);
  gauntlet_rank_name(mark->group, group);
  __atomic_store_n(&mark->number, ++rank->next, __ATOMIC_RELEASE);
}

static inline void gauntlet_rank_hang_up(gauntlet_rank* rank) {
  if (rank->socket >= 0) close(rank->socket);
  rank->socket = -1;
}

static inline void gauntlet_rank_say(gauntlet_rank* rank, int wait, int64_t now, const char* text) {
  char message[GAUNTLET_RANK_LONGEST];
  int length, prefix = 0;
  ssize_t sent;
  if (rank->socket < 0) return;
  if (rank->unsaid_drops > 0)
    prefix = snprintf(message, sizeof message, "%" PRId64 " dropped %" PRIu64 "\n", now, rank->unsaid_drops);
  length = snprintf(message + prefix, sizeof message - (size_t)prefix, "%" PRId64 " %s", now, text);
  if (length < 0) return;
  length += prefix;
  if ((size_t)length >= sizeof message) length = (int)sizeof message - 1;
  if (wait) {
    struct pollfd polled;
    polled.fd = rank->socket;
    polled.events = POLLOUT;
    polled.revents = 0;
    (void)poll(&polled, 1, GAUNTLET_RANK_PATIENCE_MS);
  }
  do sent = send(rank->socket, message, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
  while (sent < 0 && errno == EINTR);
  if (sent >= 0) {
    rank->unsaid_drops = 0;
  } else if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) {
    ++rank->dropped;
    ++rank->unsaid_drops;
  } else {
    gauntlet_rank_hang_up(rank);
  }
}

static inline void gauntlet_rank_open_recorder(gauntlet_rank* rank, const char* prefix) {
  char path[512];
  int file;
  void* memory;
  const int length = snprintf(path, sizeof path, "%s%d", prefix, rank->number);
  if (length < 0 || (size_t)length >= sizeof path) return;
  file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  /* Written, not only made longer: a full disk must be met here, and not by a mark. */
  {
    gauntlet_rank_recorder empty;
    memset(&empty, 0, sizeof empty);
    memcpy(empty.magic, "GNTLMRK1", 8);
    empty.pid = (uint32_t)getpid();
    empty.rank = (uint32_t)rank->number;
    if (write(file, &empty, sizeof empty) != (ssize_t)sizeof empty) {
      close(file);
      return;
    }
  }
  memory = mmap(NULL, sizeof(gauntlet_rank_recorder), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory != MAP_FAILED) rank->recorder = (gauntlet_rank_recorder*)memory;
}

/* As rank $RANK, or 0. */
static inline void gauntlet_rank_open(gauntlet_rank* rank) {
  const char* path = getenv("GAUNTLET_RANK_SOCKET");
  const char* number = getenv("RANK");
  const char* every = getenv("GAUNTLET_CHECKPOINT_EVERY");
  const char* marks = getenv("GAUNTLET_RANK_MARKS");
  struct sockaddr_un address;
  char hello[32];
  memset(rank, 0, sizeof *rank);
  rank->socket = -1;
  if (path == NULL || strlen(path) >= sizeof address.sun_path) return;
  rank->number = number == NULL ? 0 : atoi(number);
  rank->every = every == NULL ? 0 : (int64_t)strtoll(every, NULL, 10);
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  memcpy(address.sun_path, path, strlen(path));
  rank->socket = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  if (rank->socket < 0) return;
  (void)fcntl(rank->socket, F_SETFD, FD_CLOEXEC);
  if (connect(rank->socket, (const struct sockaddr*)&address, sizeof address) != 0) {
    gauntlet_rank_hang_up(rank);
    return;
  }
  (void)snprintf(hello, sizeof hello, "hello %d", rank->number);
  if (send(rank->socket, hello, strlen(hello), MSG_NOSIGNAL) < 0) {
    gauntlet_rank_hang_up(rank);
    return;
  }
  if (marks != NULL) gauntlet_rank_open_recorder(rank, marks);
}

static inline void gauntlet_rank_close(gauntlet_rank* rank) {
  gauntlet_rank_hang_up(rank);
  if (rank->recorder != NULL) munmap(rank->recorder, sizeof *rank->recorder);
  rank->recorder = NULL;
}

/* --- what it tells */

static inline void gauntlet_rank_say_step(gauntlet_rank* rank, int wait, int64_t now, const char* kind,
                                          int64_t step) {
  char text[64];
  if (rank->socket < 0) return;
  (void)snprintf(text, sizeof text, "%s %" PRId64, kind, step);
  gauntlet_rank_say(rank, wait, now, text);
}
static inline void gauntlet_rank_say_time(gauntlet_rank* rank, int64_t now, const char* kind, int64_t step,
                                          int64_t took) {
  char text[96];
  if (rank->socket < 0) return;
  (void)snprintf(text, sizeof text, "%s %" PRId64 " %" PRId64, kind, step, took);
  gauntlet_rank_say(rank, 0, now, text);
}
/* A step, and the time of its segments of each name. */
static inline void gauntlet_rank_say_complete(gauntlet_rank* rank, int64_t now, int64_t step, int64_t took) {
  char text[64 + GAUNTLET_RANK_SEGMENTS * 96];
  int i, length;
  if (rank->socket < 0) return;
  length = snprintf(text, sizeof text, "step %" PRId64 " %" PRId64, step, took);
  for (i = 0; i < GAUNTLET_RANK_SEGMENTS && rank->segments[i].name[0] != '\0'; ++i)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "\n%" PRId64 " segment %" PRId64 " %.16s %" PRId64, now, step, rank->segments[i].name,
                       rank->segments[i].took_ns);
  gauntlet_rank_say(rank, 0, now, text);
}
static inline void gauntlet_rank_say_value(gauntlet_rank* rank, const char* kind, int64_t step,
                                           double value) {
  char text[96];
  if (rank->socket < 0) return;
  (void)snprintf(text, sizeof text, "%s %" PRId64 " %.17g", kind, step, value);
  gauntlet_rank_say(rank, 0, gauntlet_rank_now(), text);
}

/* This phase of the start is complete: "process_start", "communicator_init", "load" or "data_loader". */
static inline void gauntlet_rank_phase(gauntlet_rank* rank, const char* name) {
  char text[96];
  (void)snprintf(text, sizeof text, "phase %.64s", name);
  gauntlet_rank_say(rank, 1, gauntlet_rank_now(), text);
}
/* The groups stand and the state is loaded: training goes on after this step. */
static inline void gauntlet_rank_resumed(gauntlet_rank* rank, int64_t step) {
  gauntlet_rank_say_step(rank, 1, gauntlet_rank_now(), "up", step);
}
static inline void gauntlet_rank_listen(gauntlet_rank* rank) {
  char message[GAUNTLET_RANK_LONGEST];
  while (rank->socket >= 0) {
    const ssize_t length = recv(rank->socket, message, sizeof message - 1, MSG_DONTWAIT);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (length <= 0) {
      gauntlet_rank_hang_up(rank);
      return;
    }
    message[length] = '\0';
    if (strcmp(message, "checkpoint") == 0) rank->checkpoint = 1;
    if (strcmp(message, "stop") == 0) rank->stop = 1;
    if (strcmp(message, "hold") == 0) rank->held = 1;
    if (strcmp(message, "go on") == 0) rank->held = 0;
    if (strncmp(message, "cadence ", 8) == 0) rank->every = (int64_t)strtoll(message + 8, NULL, 10);
  }
}
/* Steps count from 1. Returns the time, for gauntlet_rank_end_step. */
static inline int64_t gauntlet_rank_begin_step(gauntlet_rank* rank, int64_t step) {
  const int64_t now = gauntlet_rank_now();
  gauntlet_rank_listen(rank);
  rank->step = step;
  gauntlet_rank_put(rank, now, GAUNTLET_RANK_STEP_BEGAN, step, "", "");
  memset(rank->segments, 0, sizeof rank->segments);
  return now;
}
static inline void gauntlet_rank_end_step(gauntlet_rank* rank, int64_t step, int64_t began) {
  const int64_t now = gauntlet_rank_now();
  gauntlet_rank_put(rank, now, GAUNTLET_RANK_STEP_ENDED, step, "", "");
  gauntlet_rank_say_complete(rank, now, step, now - began);
}
/* A named part of a step that began then (gauntlet_rank_now) and ends now. The name is one word. "forward" and "backward" are
 * what detectors compare between hosts: computation, without the wait for other ranks. */
static inline void gauntlet_rank_segment(gauntlet_rank* rank, const char* name, int64_t began) {
  const int64_t now = gauntlet_rank_now();
  int i = 0;
  if (rank->socket < 0) return;
  gauntlet_rank_put(rank, now, GAUNTLET_RANK_SEGMENT, now - began, name, "");
  while (i < GAUNTLET_RANK_SEGMENTS && rank->segments[i].name[0] != '\0' &&
         strncmp(rank->segments[i].name, name, 16) != 0)
    ++i;
  if (i == GAUNTLET_RANK_SEGMENTS) return;
  if (rank->segments[i].name[0] == '\0') gauntlet_rank_name(rank->segments[i].name, name);
  rank->segments[i].took_ns += now - began;
}
/* The parts of one name of a step as the device computed them, together: one call for each name of a step, which
 * gauntlet_rank_segment does not time too. The time comes from events that are complete, so that nothing waits for the device; the step may be over. */
static inline void gauntlet_rank_device_segment(gauntlet_rank* rank, int64_t step, const char* name,
                                                int64_t took_ns) {
  char text[96];
  if (rank->socket < 0) return;
  (void)snprintf(text, sizeof text, "segment %" PRId64 " %.16s %" PRId64, step, name, took_ns);
  gauntlet_rank_say(rank, 0, gauntlet_rank_now(), text);
}
/* So many bytes went to other ranks. The agent reads the sum where it has no counters of interfaces. */
static inline void gauntlet_rank_sent(gauntlet_rank* rank, uint64_t bytes) {
  if (rank->recorder != NULL) rank->recorder->sent += bytes;
}
/* An injected fault: this rank does not enter its collective, and says so once, until it is told to go on or nobody listens. */
static inline void gauntlet_rank_wait_while_held(gauntlet_rank* rank) {
  gauntlet_rank_say_step(rank, 1, gauntlet_rank_now(), "held", rank->step);
  while (rank->held && rank->socket >= 0) {
    struct pollfd polled;
    polled.fd = rank->socket;
    polled.events = POLLIN;
    polled.revents = 0;
    (void)poll(&polled, 1, -1);
    gauntlet_rank_listen(rank);
  }
}
/* Returns the sequence number of this collective in its group, for gauntlet_rank_leave. */
static inline uint64_t gauntlet_rank_enter(gauntlet_rank* rank, const char* kind, const char* group) {
  int i = 0;
  if (rank->held) gauntlet_rank_wait_while_held(rank);
  if (rank->recorder == NULL) return 0;
  while (i + 1 < GAUNTLET_RANK_GROUPS && rank->groups[i].name[0] != '\0' &&
         strncmp(rank->groups[i].name, group, 16) != 0)
    ++i;
  if (rank->groups[i].name[0] == '\0') gauntlet_rank_name(rank->groups[i].name, group);
  gauntlet_rank_put(rank, gauntlet_rank_now(), GAUNTLET_RANK_ENTERED, (int64_t)++rank->groups[i].sequence,
                    kind, group);
  return rank->groups[i].sequence;
}
static inline void gauntlet_rank_leave(gauntlet_rank* rank, uint64_t sequence, const char* kind,
                                       const char* group) {
  if (rank->recorder == NULL) return;
  gauntlet_rank_put(rank, gauntlet_rank_now(), GAUNTLET_RANK_LEFT, (int64_t)sequence, kind, group);
}
/* The checkpoint after this step blocked training from then until now. */
static inline void gauntlet_rank_stall(gauntlet_rank* rank, int64_t step, int64_t began) {
  const int64_t now = gauntlet_rank_now();
  gauntlet_rank_say_time(rank, now, "stall", step, now - began);
}
static inline void gauntlet_rank_saved(gauntlet_rank* rank, int64_t step) {
  gauntlet_rank_say_step(rank, 1, gauntlet_rank_now(), "saved", step);
}
/* By one rank of the job, such as the first one of the last pipeline stage. */
static inline void gauntlet_rank_loss(gauntlet_rank* rank, int64_t step, double value) {
  gauntlet_rank_say_value(rank, "loss", step, value);
}
/* Model FLOPs utilisation of this step, from 0 to 1. */
static inline void gauntlet_rank_mfu(gauntlet_rank* rank, int64_t step, double value) {
  gauntlet_rank_say_value(rank, "mfu", step, value);
}
/* A log line of a kind that policies can watch for. The pattern is one word. */
static inline void gauntlet_rank_log(gauntlet_rank* rank, const char* pattern, const char* text) {
  char line[GAUNTLET_RANK_LONGEST / 2];
  char* each;
  if (rank->socket < 0) return;
  (void)snprintf(line, sizeof line, "log %s %s", pattern, text);
  for (each = line; *each != '\0'; ++each)
    if (*each == '\n') *each = ' ';
  gauntlet_rank_say(rank, 1, gauntlet_rank_now(), line);
}
/* All steps are complete. Two runs that end with the same state give the same hash. */
static inline void gauntlet_rank_finished(gauntlet_rank* rank, int64_t step, uint64_t hash) {
  char text[96];
  if (rank->socket < 0) return;
  (void)snprintf(text, sizeof text, "finished %" PRId64 " %016" PRIx64, step, hash);
  gauntlet_rank_say(rank, 1, gauntlet_rank_now(), text);
}

/* --- what it is told */

/* Whether a checkpoint is due after this step: by the interval of the policies, or because one is ordered. Ranks hear of either
 * at different steps, so one rank should ask, and tell the others. */
static inline int gauntlet_rank_checkpoint_wanted(gauntlet_rank* rank, int64_t step) {
  int wanted;
  gauntlet_rank_listen(rank);
  wanted = rank->checkpoint || (rank->every > 0 && step % rank->every == 0);
  rank->checkpoint = 0;
  return wanted;
}
/* Whether the job should end at this step boundary. */
static inline int gauntlet_rank_stop_wanted(gauntlet_rank* rank) {
  gauntlet_rank_listen(rank);
  return rank->stop;
}

#endif
