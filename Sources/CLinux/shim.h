// The Linux calls that the Glibc module leaves out.
#ifndef ATTESTWATCH_CLINUX_H
#define ATTESTWATCH_CLINUX_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <unistd.h>

#endif
