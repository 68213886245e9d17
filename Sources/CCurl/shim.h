// Swift cannot call variadic C, so each option type gets one static inline function here. The names in parentheses
// are the functions: curl.h also defines macros of the same names that check types where the option is a constant.
#ifndef ATTESTWATCH_CCURL_H
#define ATTESTWATCH_CCURL_H

#include <curl/curl.h>

static inline CURLcode aw_set_long(CURL *easy, CURLoption option, long value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode aw_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode aw_set_string(CURL *easy, CURLoption option, const char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode aw_set_bytes(CURL *easy, CURLoption option, const unsigned char *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode aw_set_pointer(CURL *easy, CURLoption option, void *value) {
    return (curl_easy_setopt)(easy, option, value);
}

static inline CURLcode aw_set_headers(CURL *easy, struct curl_slist *headers) {
    return (curl_easy_setopt)(easy, CURLOPT_HTTPHEADER, headers);
}

// Receives body bytes and header lines alike.
typedef size_t (*aw_receive)(char *bytes, size_t size, size_t count, void *owner);

static inline CURLcode aw_set_receive(CURL *easy, CURLoption option, aw_receive function) {
    return (curl_easy_setopt)(easy, option, function);
}

static inline CURLcode aw_get_long(CURL *easy, CURLINFO info, long *value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLcode aw_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return (curl_easy_getinfo)(easy, info, value);
}

static inline CURLMcode aw_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return (curl_multi_setopt)(multi, option, value);
}

static inline CURLMcode aw_multi_set_socket(CURLM *multi, curl_socket_callback function, void *owner) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_SOCKETFUNCTION, function);
    return code != CURLM_OK ? code : (curl_multi_setopt)(multi, CURLMOPT_SOCKETDATA, owner);
}

static inline CURLMcode aw_multi_set_timer(CURLM *multi, curl_multi_timer_callback function, void *owner) {
    CURLMcode code = (curl_multi_setopt)(multi, CURLMOPT_TIMERFUNCTION, function);
    return code != CURLM_OK ? code : (curl_multi_setopt)(multi, CURLMOPT_TIMERDATA, owner);
}

// The result of a finished transfer is a union, which Swift reads only unsafely.
static inline CURLcode aw_result(const CURLMsg *message) { return message->data.result; }

#endif
