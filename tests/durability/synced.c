/* Loaded into a Redis server before the C library: notes how much of each file is on the disk for sure, or is a slow disk.
 *
 * SYNCED names a file: for each fdatasync or fsync that succeeded, a line `SIZE PATH` is appended to it; SIZE is what
 * the file had when the call began. SLOW_MS is how much longer these calls take for a file that commands are appended
 * to, as where others write to the same disk. */
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
  const char *slow = getenv("SLOW_MS");
  if (slow == NULL || strstr(path, ".incr.aof") == NULL) return;
  long ms = atol(slow);
  struct timespec left = {ms / 1000, ms % 1000 * 1000000};
  while (nanosleep(&left, &left) != 0) {
  }
}

static int noted(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  struct stat before;
  int known = fstat(fd, &before) == 0 && S_ISREG(before.st_mode);
  char link[64], path[4096], line[4200];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = known ? readlink(link, path, sizeof path - 1) : 0;
  if (length < 0) abort();
  path[length] = 0;
  slow_down(path);
  int result = real(fd);
  const char *notes = getenv("SYNCED");
  if (result != 0 || !known || notes == NULL) return result;
  int file = open(notes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) abort();
  int size = snprintf(line, sizeof line, "%lld %s\n", (long long)before.st_size, path);
  if (write(file, line, size) != size) abort();
  close(file);
  return result;
}

int fdatasync(int fd) { return noted("fdatasync", fd); }
int fsync(int fd) { return noted("fsync", fd); }
