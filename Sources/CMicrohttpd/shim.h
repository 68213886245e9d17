// MHD_start_daemon is variadic, which Swift cannot call.
#ifndef ATTESTWATCH_CMICROHTTPD_H
#define ATTESTWATCH_CMICROHTTPD_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

// A server on 127.0.0.1 and a port that the kernel picks, driven by its owner through MHD_run. It writes no Date.
static inline struct MHD_Daemon *aw_start_on_loopback(
    MHD_AccessHandlerCallback handler, MHD_RequestCompletedCallback completed, void *owner, unsigned int connections) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK, 0, NULL, NULL, handler, owner,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, completed, owner,
        MHD_OPTION_CONNECTION_LIMIT, connections, MHD_OPTION_END);
}

static inline unsigned short aw_bound_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info == NULL ? 0 : info->port;
}

static inline int aw_epoll_descriptor(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info == NULL ? -1 : info->epoll_fd;
}

static inline const char *aw_request_header(struct MHD_Connection *connection, const char *name) {
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static inline struct MHD_Response *aw_response_copying(void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, bytes, MHD_RESPMEM_MUST_COPY);
}

struct aw_half {
    size_t size;
    char bytes[];
};

static inline ssize_t aw_read_half(void *owner, uint64_t position, char *buffer, size_t room) {
    const struct aw_half *half = owner;
    if (position >= half->size) return MHD_CONTENT_READER_END_WITH_ERROR;
    size_t count = half->size - (size_t)position;
    if (count > room) count = room;
    memcpy(buffer, half->bytes + position, count);
    return (ssize_t)count;
}

// A response that announces `count` bytes and breaks the connection off after half of them.
static inline struct MHD_Response *aw_response_cut_in_half(const void *bytes, size_t count) {
    struct aw_half *half = malloc(sizeof *half + count / 2);
    if (half == NULL) return NULL;
    half->size = count / 2;
    memcpy(half->bytes, bytes, half->size);
    struct MHD_Response *response = MHD_create_response_from_callback(count, 4096, aw_read_half, half, free);
    if (response == NULL) free(half);
    return response;
}

#endif
