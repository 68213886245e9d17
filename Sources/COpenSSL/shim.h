// Macros and function-like macros of OpenSSL that Swift cannot import, as static inline functions.
#ifndef ATTESTWATCH_COPENSSL_H
#define ATTESTWATCH_COPENSSL_H

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

static inline long aw_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

#endif
