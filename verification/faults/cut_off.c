/* Cuts a Redis server off from its Cluster while the file CUT_FILE exists: every connection but those to its own port
   OWN_PORT (of clients and replicas) is reset. Preloaded into the server. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_cut(int fd) {
  struct sockaddr_in address;
  socklen_t size = sizeof address;
  const char *file = getenv("CUT_FILE"), *port = getenv("OWN_PORT");
  if (!file || !port || getsockname(fd, (struct sockaddr *)&address, &size) || address.sin_family != AF_INET) return 0;
  if (ntohs(address.sin_port) == atoi(port)) return 0;
  return access(file, F_OK) == 0;
}

#define CUT(name, parameters, ...)                                            \
  ssize_t name parameters {                                                   \
    static ssize_t(*next) parameters;                                         \
    if (!next) next = (ssize_t(*) parameters)dlsym(RTLD_NEXT, #name);         \
    int before = errno;                                                       \
    if (is_cut(fd)) {                                                         \
      errno = ECONNRESET;                                                     \
      return -1;                                                              \
    }                                                                         \
    errno = before;                                                           \
    return next(__VA_ARGS__);                                                 \
  }

CUT(read, (int fd, void *data, size_t size), fd, data, size)
CUT(write, (int fd, const void *data, size_t size), fd, data, size)
CUT(writev, (int fd, const struct iovec *data, int count), fd, data, count)
