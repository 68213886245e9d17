// The Linux calls that the Glibc module leaves out.
#ifndef ATTESTWATCH_CLINUX_H
#define ATTESTWATCH_CLINUX_H

#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/vfs.h>
#include <unistd.h>

// prctl is variadic, which Swift cannot call.
static inline int aw_name_this_thread(const char *name) { return prctl(PR_SET_NAME, name, 0, 0, 0); }

#endif
