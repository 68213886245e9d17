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

static inline void aw_free(void *memory) { OPENSSL_free(memory); }

// OpenSSL's typed stacks are macros.
static inline STACK_OF(X509) *aw_certificates_new(void) { return sk_X509_new_null(); }
static inline int aw_certificates_push(STACK_OF(X509) *stack, X509 *certificate) {
    return sk_X509_push(stack, certificate);
}
static inline int aw_certificates_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *aw_certificates_at(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
// Frees the stack alone; the certificates stay with whoever owns them.
static inline void aw_certificates_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }

// A name on one line, the last part first and escaped as RFC 2253 says, but UTF-8 left readable.
static inline int aw_print_name(BIO *out, const X509_NAME *name) {
    return X509_NAME_print_ex(
        out, name, 0,
        (ASN1_STRFLGS_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) | XN_FLAG_SEP_COMMA_PLUS | XN_FLAG_DN_REV | XN_FLAG_FN_SN);
}

// The reason of an error code where it is one of CMS; 0 for any other library.
static inline int aw_cms_reason(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_CMS ? ERR_GET_REASON(code) : 0;
}

// Whether the error says that a PEM text holds no further block.
static inline int aw_is_pem_end(unsigned long code) {
    return ERR_GET_LIB(code) == ERR_LIB_PEM && ERR_GET_REASON(code) == PEM_R_NO_START_LINE;
}

#endif
