/*
 * TLS for MsQuic by the OpenSSL that Node carries: the calls of quictls, made of SSL_set_quic_tls_cbs(3).
 *
 * quictls is told what has come, and calls back with what is to be sent. OpenSSL asks for what has come, so that is kept here until it
 * does. All calls for one SSL come from one thread at a time.
 *
 * There is no early data: it can be replayed, and no session is resumed (src/settings.rs).
 */
#include "node_tls.h"

#include <string.h>

#include <openssl/core_dispatch.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>

#undef SSL_CTX_new
#undef SSL_do_handshake

/* Where a secret is for: the numbers of SSL_set_quic_tls_cbs(3). */
enum { READ = 0, WRITE = 1 };

/* What may wait for OpenSSL, which reads all that is there. MsQuic takes no more than this ahead of it. */
#define MOST_WAITING ((size_t)128 * 1024)

/* Of what has come, under the read secret of now: a piece stays where it is until OpenSSL is done with it. */
typedef struct piece {
    struct piece* next;
    size_t length;
    uint8_t bytes[];
} PIECE;

/* Of one SSL, which frees it. */
typedef struct tls_state {
    const SSL_QUIC_METHOD* method;
    PIECE* first;
    PIECE* last;
    size_t waiting;
    /* OpenSSL has the first piece. */
    int is_read;
    /* The draft versions of QUIC have another number for the parameters, which OpenSSL does not know. */
    int is_legacy;
    OSSL_ENCRYPTION_LEVEL read_level;
    OSSL_ENCRYPTION_LEVEL write_level;
    /* A read secret whose write secret is to come: MsQuic takes both at once. */
    int has_held;
    OSSL_ENCRYPTION_LEVEL held_level;
    size_t held_length;
    uint8_t held[EVP_MAX_MD_SIZE];
    /* OpenSSL keeps no copy. */
    uint8_t* parameters;
    uint8_t* peer_parameters;
    size_t peer_length;
} TLS_STATE;

static const unsigned char SESSION_ID_CONTEXT[] = "godwit/1";

static CRYPTO_ONCE once = CRYPTO_ONCE_STATIC_INIT;
static int context_index = -1;
static int ssl_index = -1;

static void free_first(TLS_STATE* state)
{
    PIECE* piece = state->first;
    state->first = piece->next;
    if (state->first == NULL) {
        state->last = NULL;
    }
    state->waiting -= piece->length;
    state->is_read = 0;
    OPENSSL_free(piece);
}

static void free_state(void* parent, void* data, CRYPTO_EX_DATA* all, int index, long number, void* pointer)
{
    TLS_STATE* state = data;
    (void)parent, (void)all, (void)index, (void)number, (void)pointer;
    if (state == NULL) {
        return;
    }
    while (state->first != NULL) {
        free_first(state);
    }
    OPENSSL_free(state->parameters);
    OPENSSL_free(state->peer_parameters);
    OPENSSL_clear_free(state, sizeof(*state));
}

static void make_indexes(void)
{
    context_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    ssl_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, free_state);
}

/* NULL: it is none of MsQuic's, or is being freed. */
static TLS_STATE* state_of(const SSL* ssl)
{
    return ssl_index < 0 ? NULL : SSL_get_ex_data(ssl, ssl_index);
}

static int on_send(SSL* ssl, const unsigned char* bytes, size_t length, size_t* consumed, void* unused)
{
    TLS_STATE* state = state_of(ssl);
    (void)unused;
    if (state == NULL || state->method->add_handshake_data(ssl, state->write_level, bytes, length) != 1) {
        return 0;
    }
    *consumed = length;
    return 1;
}

/* No bytes: OpenSSL asks again when there are more. */
static int on_read(SSL* ssl, const unsigned char** bytes, size_t* length, void* unused)
{
    TLS_STATE* state = state_of(ssl);
    (void)unused;
    if (state == NULL || state->is_read) {
        return 0;
    }
    *bytes = NULL;
    *length = 0;
    if (state->first != NULL) {
        *bytes = state->first->bytes;
        *length = state->first->length;
        state->is_read = 1;
    }
    return 1;
}

static int on_release(SSL* ssl, size_t length, void* unused)
{
    TLS_STATE* state = state_of(ssl);
    (void)unused;
    if (state == NULL || !state->is_read || length != state->first->length) {
        return 0;
    }
    free_first(state);
    return 1;
}

static int on_write_secret(SSL* ssl, TLS_STATE* state, OSSL_ENCRYPTION_LEVEL level, const uint8_t* secret, size_t length)
{
    const int both = state->has_held && state->held_level == level && state->held_length == length;
    int done;
    if (state->has_held && !both) {
        return 0;
    }
    state->write_level = level;
    done = state->method->set_encryption_secrets(ssl, level, both ? state->held : NULL, secret, length);
    OPENSSL_cleanse(state->held, sizeof(state->held));
    state->has_held = 0;
    return done == 1;
}

static int on_read_secret(SSL* ssl, TLS_STATE* state, OSSL_ENCRYPTION_LEVEL level, const uint8_t* secret, size_t length)
{
    /* A message must not go on under another key. */
    if (state->first != NULL || state->has_held) {
        return 0;
    }
    state->read_level = level;
    if (state->write_level >= level) {
        return state->method->set_encryption_secrets(ssl, level, secret, NULL, length) == 1;
    }
    memcpy(state->held, secret, length);
    state->held_length = length;
    state->held_level = level;
    state->has_held = 1;
    return 1;
}

static int on_secret(SSL* ssl, uint32_t level, int direction, const unsigned char* secret, size_t length, void* unused)
{
    TLS_STATE* state = state_of(ssl);
    (void)unused;
    if (state == NULL || length > sizeof(state->held)) {
        return 0;
    }
    if (level != OSSL_RECORD_PROTECTION_LEVEL_HANDSHAKE && level != OSSL_RECORD_PROTECTION_LEVEL_APPLICATION) {
        return 0;
    }
    return direction == WRITE ? on_write_secret(ssl, state, (OSSL_ENCRYPTION_LEVEL)level, secret, length)
                              : on_read_secret(ssl, state, (OSSL_ENCRYPTION_LEVEL)level, secret, length);
}

static int on_peer_parameters(SSL* ssl, const unsigned char* bytes, size_t length, void* unused)
{
    TLS_STATE* state = state_of(ssl);
    uint8_t* copy = length == 0 ? NULL : OPENSSL_memdup(bytes, length);
    (void)unused;
    if (state == NULL || (length != 0 && copy == NULL)) {
        OPENSSL_free(copy);
        return 0;
    }
    OPENSSL_free(state->peer_parameters);
    state->peer_parameters = copy;
    state->peer_length = length;
    return 1;
}

static int on_alert(SSL* ssl, unsigned char alert, void* unused)
{
    TLS_STATE* state = state_of(ssl);
    (void)unused;
    return state != NULL && state->method->send_alert(ssl, state->write_level, alert) == 1;
}

static const OSSL_DISPATCH CALLBACKS[] = {
    { OSSL_FUNC_SSL_QUIC_TLS_CRYPTO_SEND, (void (*)(void))on_send },
    { OSSL_FUNC_SSL_QUIC_TLS_CRYPTO_RECV_RCD, (void (*)(void))on_read },
    { OSSL_FUNC_SSL_QUIC_TLS_CRYPTO_RELEASE_RCD, (void (*)(void))on_release },
    { OSSL_FUNC_SSL_QUIC_TLS_YIELD_SECRET, (void (*)(void))on_secret },
    { OSSL_FUNC_SSL_QUIC_TLS_GOT_TRANSPORT_PARAMS, (void (*)(void))on_peer_parameters },
    { OSSL_FUNC_SSL_QUIC_TLS_ALERT, (void (*)(void))on_alert },
    { 0, NULL }
};

/* Makes it at the first call, which comes when the SSL knows whether it is a server. NULL: it failed. */
static TLS_STATE* made_for(SSL* ssl)
{
    TLS_STATE* state = state_of(ssl);
    const SSL_QUIC_METHOD* method;
    if (state != NULL) {
        return state;
    }
    method = context_index < 0 ? NULL : SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index);
    state = method == NULL ? NULL : OPENSSL_zalloc(sizeof(*state));
    if (state == NULL) {
        return NULL;
    }
    state->method = method;
    if (SSL_set_ex_data(ssl, ssl_index, state) == 1 && SSL_set_quic_tls_cbs(ssl, CALLBACKS, NULL) == 1) {
        return state;
    }
    SSL_set_ex_data(ssl, ssl_index, NULL);
    OPENSSL_free(state);
    return NULL;
}

/*
 * Where a server verifies its clients and a ticket is presented to it, OpenSSL ends the handshake with an internal error if there is no
 * session id context (ssl_sess.c). MsQuic sets none. A laptop of before may present one; with a context it gets a full handshake.
 */
SSL_CTX* godwit_tls_context(const SSL_METHOD* method)
{
    SSL_CTX* context = SSL_CTX_new(method);
    if (context != NULL) {
        SSL_CTX_set_session_id_context(context, SESSION_ID_CONTEXT, sizeof(SESSION_ID_CONTEXT) - 1);
    }
    return context;
}

int godwit_tls_set_method(SSL_CTX* context, const SSL_QUIC_METHOD* method)
{
    if (CRYPTO_THREAD_run_once(&once, make_indexes) != 1 || context_index < 0 || ssl_index < 0) {
        return 0;
    }
    return SSL_CTX_set_ex_data(context, context_index, (void*)method);
}

void godwit_tls_set_early_data(SSL* ssl, int enabled)
{
    (void)ssl, (void)enabled;
}

/* Refused when the parameters are set: this call gives no answer. */
void godwit_tls_set_legacy(SSL* ssl, int legacy)
{
    TLS_STATE* state = made_for(ssl);
    if (state != NULL) {
        state->is_legacy = legacy;
    }
}

int godwit_tls_set_parameters(SSL* ssl, const uint8_t* bytes, size_t length)
{
    TLS_STATE* state = made_for(ssl);
    uint8_t* copy;
    if (state == NULL || state->is_legacy || state->parameters != NULL || length == 0) {
        return 0;
    }
    copy = OPENSSL_memdup(bytes, length);
    if (copy == NULL || SSL_set_quic_tls_transport_params(ssl, copy, length) != 1) {
        OPENSSL_free(copy);
        return 0;
    }
    state->parameters = copy;
    return 1;
}

void godwit_tls_peer_parameters(const SSL* ssl, const uint8_t** bytes, size_t* length)
{
    const TLS_STATE* state = state_of(ssl);
    *bytes = state == NULL ? NULL : state->peer_parameters;
    *length = state == NULL ? 0 : state->peer_length;
}

int godwit_tls_provide(SSL* ssl, OSSL_ENCRYPTION_LEVEL level, const uint8_t* bytes, size_t length)
{
    TLS_STATE* state = state_of(ssl);
    PIECE* piece;
    if (state == NULL || level != state->read_level || length > MOST_WAITING - state->waiting) {
        return 0;
    }
    if (length == 0) {
        return 1;
    }
    piece = OPENSSL_malloc(sizeof(*piece) + length);
    if (piece == NULL) {
        return 0;
    }
    piece->next = NULL;
    piece->length = length;
    memcpy(piece->bytes, bytes, length);
    if (state->last == NULL) {
        state->first = piece;
    } else {
        state->last->next = piece;
    }
    state->last = piece;
    state->waiting += length;
    return 1;
}

/* Errors that an earlier call on this thread has left would be taken for those of this one. */
int godwit_tls_handshake(SSL* ssl)
{
    ERR_clear_error();
    return SSL_do_handshake(ssl);
}

int godwit_tls_after_handshake(SSL* ssl)
{
    int given;
    ERR_clear_error();
    /* There is nothing to read, but what has come is worked off. */
    given = SSL_read(ssl, NULL, 0);
    return given > 0 || SSL_get_error(ssl, given) == SSL_ERROR_WANT_READ;
}

/* Before OpenSSL frees what it has. Gives 1, or 0 where it failed. */
int godwit_tls_at_end(void (*handler)(void))
{
    return OPENSSL_atexit(handler);
}

/* What comes between the two on one thread leaves no errors on its queue. */
void godwit_tls_mark_errors(void)
{
    ERR_set_mark();
}

void godwit_tls_drop_errors(void)
{
    ERR_pop_to_mark();
}
