/* Preloaded into a Redis server: records how much of each file is synced, or simulates a slow disk.
 *
 * FSYNC_RECORDS is a file. For each fdatasync or fsync that succeeds, a line `SIZE PATH` is appended to it, where SIZE is
 * the size of the file when the call began. FSYNC_DELAY_MS is how much longer these calls take for an append-only file,
 * as if others wrote to the same disk. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void slow_down(const char *path) {
  const char *delay = getenv("FSYNC_DELAY_MS");
  if (delay == NULL || strstr(path, ".incr.aof") == NULL) return;
  long ms = atol(delay);
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0) {
  }
}

static int sync_and_record(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct stat before;
  int is_regular = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = is_regular ? readlink(link, path, sizeof path - 1) : 0;
  if (length < 0) abort();
  path[length] = 0;
  slow_down(path);
  int result = real(fd);
  const char *records = getenv("FSYNC_RECORDS");
  if (result != 0 || !is_regular || records == NULL) return result;
  int file = open(records, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) abort();
  int size = snprintf(line, sizeof line, "%lld %s\n", (long long)before.st_size, path);
  if (write(file, line, size) != size) abort();
  close(file);
  return result;
}

int fdatasync(int fd) { return sync_and_record("fdatasync", fd); }
int fsync(int fd) { return sync_and_record("fsync", fd); }
