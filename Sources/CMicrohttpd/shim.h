#ifndef ATTESTWATCH_CMICROHTTPD_H
#define ATTESTWATCH_CMICROHTTPD_H

#include <microhttpd.h>

#endif
