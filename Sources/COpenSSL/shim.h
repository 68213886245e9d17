// Macros and function-like macros of OpenSSL that Swift cannot import, as static inline functions.
#ifndef ATTESTWATCH_COPENSSL_H
#define ATTESTWATCH_COPENSSL_H

#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/cms.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/objects.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

static inline EVP_PKEY *aw_ec_generate(const char *curve) { return EVP_EC_gen(curve); }

// An EC key without a point: the group alone, to which an encoded point can be set.
static inline int aw_set_ec_group(EVP_PKEY *key, int nid) {
    EC_KEY *group = EC_KEY_new_by_curve_name(nid);
    if (group == NULL) return 0;
    if (EVP_PKEY_assign(key, EVP_PKEY_EC, group) == 1) return 1;
    EC_KEY_free(group);
    return 0;
}

static inline long aw_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

#endif
