/*
 * Preloaded into a real process by a test: stands before the calls of libc that change a disk, counts them by label, and
 * makes one of them fail, or be the last before a crash.
 *
 * A label is the call and the class of the file: "sync pack". The class comes from the path, by patterns; a path that
 * has none is left alone, and is not counted. Counts are in a file that all processes with the same environment share, so
 * that "the third `sync pack`" means the same across a restart. See disk-calls.ts for who sets this:
 *
 *   DISK_CALLS_TABLE    the file of the counts, made by the test
 *   DISK_CALLS_CLASSES  lines "class<TAB>pattern" (fnmatch; * crosses slashes); the first that fits counts
 *   DISK_CALLS_FAULTS   lines "label<TAB>kind<TAB>from<TAB>times", of which the first that fits a call counts; left out: calls are
 *                       only counted
 *
 * Kinds: `before` and `after` kill the process before or after the call, `torn` after half of a write; `short` writes half
 * and says so; `EIO`, `ENOSPC` and `EROFS` fail it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { LABEL_BYTES = 56, SLOTS = 512, MAX_FAULTS = 16, MAX_CLASSES = 128, PATH_BYTES = 2 * PATH_MAX };

/* As in disk-calls.ts. The slots in use come first. No lock: whoever holds one may be killed. */
struct slot {
  _Atomic unsigned long key;
  _Atomic unsigned long count;
  char label[LABEL_BYTES];
};
struct table {
  _Atomic unsigned long fired[MAX_FAULTS];
  struct slot slots[SLOTS];
};

struct fault {
  int error;
  int dies_after;
  int tears;
  int shortens;
};

static struct table *table;
static struct { char *name, *pattern; } classes[MAX_CLASSES];
static int class_count;
static struct wanted { const char *label, *kind; unsigned long from, times; } wanted[MAX_FAULTS];
static int wanted_count;

static void die(void) {
  syscall(SYS_kill, getpid(), SIGKILL);
  for (;;) pause();
}

static void read_classes(char *text) {
  for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
    char *tab = strchr(line, '\t');
    if (tab == NULL || class_count == MAX_CLASSES) abort();
    *tab = '\0';
    classes[class_count].name = line;
    classes[class_count++].pattern = tab + 1;
  }
}

static void read_faults(char *text) {
  for (char *label = strtok(text, "\t"); label != NULL; label = strtok(NULL, "\t")) {
    char *kind = strtok(NULL, "\t"), *from = strtok(NULL, "\t"), *times = strtok(NULL, "\n");
    if (times == NULL || wanted_count == MAX_FAULTS) abort();
    wanted[wanted_count++] = (struct wanted){label, kind, strtoul(from, NULL, 10), strtoul(times, NULL, 10)};
  }
}

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("DISK_CALLS_TABLE"), *names = getenv("DISK_CALLS_CLASSES");
  const char *faults = getenv("DISK_CALLS_FAULTS");
  if (path == NULL || names == NULL) return;
  read_classes(strdup(names));
  if (faults != NULL) read_faults(strdup(faults));
  int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
  if (fd < 0) abort();
  void *mapped = mmap(NULL, sizeof(struct table), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) abort();
  syscall(SYS_close, fd);
  table = mapped;
}

/* Where a descriptor leads to; empty where that is no path. */
static void path_of_fd(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  path[length < 0 ? 0 : length] = '\0';
}

/* Absolute, and without /proc/self/fd/N, by which a program names what it has open. */
static void path_at(int directory, const char *given, char *path) {
  int fd, used = 0;
  if (sscanf(given, "/proc/self/fd/%d%n", &fd, &used) == 1 && used > 0) {
    path_of_fd(fd, path);
    given += used;
  } else if (given[0] == '/') {
    path[0] = '\0';
  } else {
    if (directory == AT_FDCWD) {
      if (getcwd(path, PATH_MAX) == NULL) path[0] = '\0';
    } else {
      path_of_fd(directory, path);
    }
    strcat(path, "/");
  }
  strncat(path, given, PATH_MAX);
}

static const char *class_of_path(const char *path) {
  if (path[0] != '/') return NULL;
  for (int i = 0; i < class_count; i++) {
    if (fnmatch(classes[i].pattern, path, 0) == 0) return classes[i].name;
  }
  return NULL;
}

static const char *class_at(int directory, const char *given) {
  char path[PATH_BYTES];
  if (table == NULL || given == NULL) return NULL;
  path_at(directory, given, path);
  return class_of_path(path);
}

static const char *class_of(int fd) {
  char path[PATH_BYTES];
  if (table == NULL) return NULL;
  path_of_fd(fd, path);
  return class_of_path(path);
}

/* FNV-1a, and never 0, which marks a slot that is free. */
static unsigned long key_of(const char *label) {
  unsigned long hash = 0xcbf29ce484222325;
  for (; *label != '\0'; label++) hash = (hash ^ (unsigned char)*label) * 0x100000001b3;
  return hash | 1;
}

static struct slot *slot_of(const char *label) {
  unsigned long key = key_of(label);
  for (int i = 0; i < SLOTS; i++) {
    unsigned long found = 0;
    struct slot *slot = &table->slots[i];
    if (atomic_compare_exchange_strong(&slot->key, &found, key)) strcpy(slot->label, label);
    else if (found != key) continue;
    return slot;
  }
  abort();
}

static struct fault begins(const char *kind) {
  struct fault none = {0}, fault = {0};
  if (strcmp(kind, "before") == 0) die();
  if (strcmp(kind, "after") == 0) return (fault.dies_after = 1, fault);
  if (strcmp(kind, "torn") == 0) return (fault.tears = 1, fault);
  if (strcmp(kind, "short") == 0) return (fault.shortens = 1, fault);
  if (strcmp(kind, "EIO") == 0) return (fault.error = EIO, fault);
  if (strcmp(kind, "ENOSPC") == 0) return (fault.error = ENOSPC, fault);
  if (strcmp(kind, "EROFS") == 0) return (fault.error = EROFS, fault);
  abort();
  return none;
}

/* Counts a call that is about to be made, and says what is to be wrong with it. */
static struct fault counted(const char *call, const char *class) {
  struct fault none = {0};
  char label[LABEL_BYTES];
  if (class == NULL) return none;
  int before = errno;
  snprintf(label, sizeof label, "%s %s", call, class);
  unsigned long count = atomic_fetch_add(&slot_of(label)->count, 1) + 1;
  errno = before;
  for (int i = 0; i < wanted_count; i++) {
    if (strcmp(wanted[i].label, label) != 0) continue;
    if (count < wanted[i].from || count - wanted[i].from >= wanted[i].times) continue;
    atomic_fetch_add(&table->fired[i], 1);
    return begins(wanted[i].kind);
  }
  return none;
}

#define REAL(name) \
  static __typeof__(name) *real; \
  if (real == NULL) real = dlsym(RTLD_NEXT, #name)

/* A call that is made whole or not at all. */
#define CHANGE(type, name, parameters, arguments, call, class) \
  type name parameters { \
    REAL(name); \
    struct fault fault = counted(call, class); \
    if (fault.error != 0) return (errno = fault.error, (type)-1); \
    type result = real arguments; \
    if (fault.dies_after) die(); \
    return result; \
  }

/* A write of `length` bytes: the one kind of call of which half can be done. `arguments` are written with `length`. */
#define WRITE(name, parameters, arguments, fd) \
  ssize_t name parameters { \
    REAL(name); \
    struct fault fault = counted("write", class_of(fd)); \
    if (fault.error != 0) return (errno = fault.error, -1); \
    if ((fault.tears || fault.shortens) && length > 1) length /= 2; \
    ssize_t result = real arguments; \
    if (fault.dies_after || fault.tears) die(); \
    return result; \
  }

WRITE(write, (int fd, const void *from, size_t length), (fd, from, length), fd)
WRITE(pwrite, (int fd, const void *from, size_t length, off_t at), (fd, from, length, at), fd)
WRITE(pwrite64, (int fd, const void *from, size_t length, off64_t at), (fd, from, length, at), fd)
WRITE(writev, (int fd, const struct iovec *from, int length), (fd, from, length), fd)
WRITE(pwritev, (int fd, const struct iovec *from, int length, off_t at), (fd, from, length, at), fd)
WRITE(pwritev64, (int fd, const struct iovec *from, int length, off64_t at), (fd, from, length, at), fd)
WRITE(sendfile, (int fd, int from, off_t *at, size_t length), (fd, from, at, length), fd)
WRITE(sendfile64, (int fd, int from, off64_t *at, size_t length), (fd, from, at, length), fd)
WRITE(copy_file_range, (int from, off64_t *at, int fd, off64_t *to, size_t length, unsigned flags),
      (from, at, fd, to, length, flags), fd)

CHANGE(int, fsync, (int fd), (fd), "sync", class_of(fd))
CHANGE(int, fdatasync, (int fd), (fd), "sync", class_of(fd))
CHANGE(int, sync_file_range, (int fd, off64_t at, off64_t length, unsigned flags), (fd, at, length, flags), "sync",
       class_of(fd))
CHANGE(int, ftruncate, (int fd, off_t length), (fd, length), "truncate", class_of(fd))
CHANGE(int, ftruncate64, (int fd, off64_t length), (fd, length), "truncate", class_of(fd))
CHANGE(int, truncate, (const char *path, off_t length), (path, length), "truncate", class_at(AT_FDCWD, path))
CHANGE(int, truncate64, (const char *path, off64_t length), (path, length), "truncate", class_at(AT_FDCWD, path))
CHANGE(int, fallocate, (int fd, int mode, off_t at, off_t length), (fd, mode, at, length), "allocate", class_of(fd))

CHANGE(int, rename, (const char *from, const char *to), (from, to), "rename", class_at(AT_FDCWD, to))
CHANGE(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), "rename", class_at(b, to))
CHANGE(int, renameat2, (int a, const char *from, int b, const char *to, unsigned how), (a, from, b, to, how),
       (how & RENAME_EXCHANGE) != 0 ? "exchange" : "rename", class_at(b, to))
CHANGE(int, link, (const char *from, const char *to), (from, to), "link", class_at(AT_FDCWD, to))
CHANGE(int, linkat, (int a, const char *from, int b, const char *to, int how), (a, from, b, to, how), "link",
       class_at(b, to))
CHANGE(int, symlink, (const char *target, const char *path), (target, path), "symlink", class_at(AT_FDCWD, path))
CHANGE(int, symlinkat, (const char *target, int at, const char *path), (target, at, path), "symlink",
       class_at(at, path))
CHANGE(int, unlink, (const char *path), (path), "remove", class_at(AT_FDCWD, path))
CHANGE(int, unlinkat, (int at, const char *path, int how), (at, path, how), "remove", class_at(at, path))
CHANGE(int, remove, (const char *path), (path), "remove", class_at(AT_FDCWD, path))
CHANGE(int, rmdir, (const char *path), (path), "remove", class_at(AT_FDCWD, path))
CHANGE(int, mkdir, (const char *path, mode_t mode), (path, mode), "mkdir", class_at(AT_FDCWD, path))
CHANGE(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), "mkdir", class_at(at, path))

CHANGE(int, chmod, (const char *path, mode_t mode), (path, mode), "attributes", class_at(AT_FDCWD, path))
CHANGE(int, fchmod, (int fd, mode_t mode), (fd, mode), "attributes", class_of(fd))
CHANGE(int, fchmodat, (int at, const char *path, mode_t mode, int how), (at, path, mode, how), "attributes",
       class_at(at, path))
CHANGE(int, chown, (const char *path, uid_t user, gid_t group), (path, user, group), "attributes",
       class_at(AT_FDCWD, path))
CHANGE(int, fchown, (int fd, uid_t user, gid_t group), (fd, user, group), "attributes", class_of(fd))
CHANGE(int, futimens, (int fd, const struct timespec times[2]), (fd, times), "attributes", class_of(fd))
CHANGE(int, utimensat, (int at, const char *path, const struct timespec times[2], int how), (at, path, times, how),
       "attributes", class_at(at, path))
int lsetxattr(const char *, const char *, const void *, size_t, int);
int lremovexattr(const char *, const char *);
CHANGE(int, lsetxattr, (const char *path, const char *name, const void *value, size_t length, int how),
       (path, name, value, length, how), "attributes", class_at(AT_FDCWD, path))
CHANGE(int, lremovexattr, (const char *path, const char *name), (path, name), "attributes", class_at(AT_FDCWD, path))

/* An open changes the disk only where it may make or empty a file. */
static int opens_for_change(int flags) { return (flags & (O_CREAT | O_TRUNC)) != 0; }

#define OPEN(name, parameters, arguments, at) \
  int name parameters { \
    REAL(name); \
    mode_t mode = 0; \
    if ((flags & (O_CREAT | __O_TMPFILE)) != 0) { \
      va_list more; \
      va_start(more, flags); \
      mode = va_arg(more, mode_t); \
      va_end(more); \
    } \
    struct fault fault = counted("create", opens_for_change(flags) ? class_at(at, path) : NULL); \
    if (fault.error != 0) return (errno = fault.error, -1); \
    int result = real arguments; \
    if (fault.dies_after) die(); \
    return result; \
  }

OPEN(open, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode), AT_FDCWD)
OPEN(openat, (int directory, const char *path, int flags, ...), (directory, path, flags, mode), directory)
OPEN(openat64, (int directory, const char *path, int flags, ...), (directory, path, flags, mode), directory)

int ioctl(int fd, unsigned long request, ...) {
  REAL(ioctl);
  va_list more;
  va_start(more, request);
  void *argument = va_arg(more, void *);
  va_end(more);
  struct fault fault = counted("write", request == FICLONE ? class_of(fd) : NULL);
  if (fault.error != 0) return (errno = fault.error, -1);
  int result = real(fd, request, argument);
  if (fault.dies_after || fault.tears) die();
  return result;
}

/* libuv goes around libc here, to be built where it is older. */
long syscall(long number, ...) {
  REAL(syscall);
  long a[6];
  va_list more;
  va_start(more, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(more, long);
  va_end(more);
  if (table != NULL && number == SYS_copy_file_range) {
    return copy_file_range((int)a[0], (off64_t *)a[1], (int)a[2], (off64_t *)a[3], (size_t)a[4], (unsigned)a[5]);
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
