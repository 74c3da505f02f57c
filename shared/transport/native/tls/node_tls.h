/*
 * What MsQuic's tls_quictls.c calls of quictls, a fork of OpenSSL, and OpenSSL 3.5 does not have. node_tls.c makes it of what OpenSSL has.
 */
#ifndef GODWIT_NODE_TLS_H
#define GODWIT_NODE_TLS_H

#include <stddef.h>
#include <stdint.h>

#include <openssl/ssl.h>

#if OPENSSL_VERSION_MAJOR != 3 || !OPENSSL_VERSION_PREREQ(3, 5)
#error "The headers have to be those of OpenSSL 3.5, or of a later 3.x: before there are no SSL_set_quic_tls_cbs"
#endif

/* In the order of OpenSSL's protection levels, and of MsQuic's packet keys. */
typedef enum ssl_encryption_level_t {
    ssl_encryption_initial = OSSL_RECORD_PROTECTION_LEVEL_NONE,
    ssl_encryption_early_data = OSSL_RECORD_PROTECTION_LEVEL_EARLY,
    ssl_encryption_handshake = OSSL_RECORD_PROTECTION_LEVEL_HANDSHAKE,
    ssl_encryption_application = OSSL_RECORD_PROTECTION_LEVEL_APPLICATION
} OSSL_ENCRYPTION_LEVEL;

/* What TLS asks of QUIC. Each gives 1, or another number where it failed. */
typedef struct ssl_quic_method_st {
    /* Either secret may be NULL: it comes later, or has come. */
    int (*set_encryption_secrets)(SSL* ssl, OSSL_ENCRYPTION_LEVEL level, const uint8_t* read_secret, const uint8_t* write_secret, size_t length);
    int (*add_handshake_data)(SSL* ssl, OSSL_ENCRYPTION_LEVEL level, const uint8_t* bytes, size_t length);
    /* Never called: what was added is sent when the call that added it is over. */
    int (*flush_flight)(SSL* ssl);
    int (*send_alert)(SSL* ssl, OSSL_ENCRYPTION_LEVEL level, uint8_t alert);
} SSL_QUIC_METHOD;

/* The names are our own, so that no OpenSSL to come has them. */
#define SSL_CTX_new godwit_tls_context
#define SSL_CTX_set_quic_method godwit_tls_set_method
#define SSL_set_quic_early_data_enabled godwit_tls_set_early_data
#define SSL_set_quic_use_legacy_codepoint godwit_tls_set_legacy
#define SSL_set_quic_transport_params godwit_tls_set_parameters
#define SSL_get_peer_quic_transport_params godwit_tls_peer_parameters
#define SSL_provide_quic_data godwit_tls_provide
#define SSL_do_handshake godwit_tls_handshake
#define SSL_process_quic_post_handshake godwit_tls_after_handshake

SSL_CTX* godwit_tls_context(const SSL_METHOD* method);
int godwit_tls_set_method(SSL_CTX* context, const SSL_QUIC_METHOD* method);
void godwit_tls_set_early_data(SSL* ssl, int enabled);
void godwit_tls_set_legacy(SSL* ssl, int legacy);
int godwit_tls_set_parameters(SSL* ssl, const uint8_t* bytes, size_t length);
void godwit_tls_peer_parameters(const SSL* ssl, const uint8_t** bytes, size_t* length);
int godwit_tls_provide(SSL* ssl, OSSL_ENCRYPTION_LEVEL level, const uint8_t* bytes, size_t length);
int godwit_tls_handshake(SSL* ssl);
int godwit_tls_after_handshake(SSL* ssl);

/* For src/openssl.rs. */
int godwit_tls_at_end(void (*handler)(void));
void godwit_tls_mark_errors(void);
void godwit_tls_drop_errors(void);

#endif
