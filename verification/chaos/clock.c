/* Preloaded into a server, sets its clock ahead: by as many seconds as the file CLOCK_FILE has bytes. */
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

int gettimeofday(struct timeval *now, void *zone) {
    struct stat file;
    int result = syscall(SYS_gettimeofday, now, zone);
    if (stat(getenv("CLOCK_FILE"), &file) == 0) now->tv_sec += file.st_size;
    return result;
}
