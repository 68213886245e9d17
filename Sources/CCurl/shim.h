// Swift cannot call variadic C, so each option type gets one static inline function here.
#ifndef ATTESTWATCH_CCURL_H
#define ATTESTWATCH_CCURL_H

#include <curl/curl.h>

#endif
