#ifndef ATTESTWATCH_CPOSTGRES_H
#define ATTESTWATCH_CPOSTGRES_H

#include <libpq-fe.h>

#endif
