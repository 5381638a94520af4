/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reply.h - answers of the REST interface: their format, and errors in YARN's form
 *
 * A handler begins a document with rest_begin, fills it (web/text/document.h) and sends it with rest_send. A
 * document is begun when everything that it needs is known: not before a question to the resource manager.
 * An error is {"RemoteException":{"exception","message","javaClassName"}}, with the class that YARN names, so
 * that clients which look for it go on working.
 */
#ifndef CREEL_WEB_REST_REPLY_H
#define CREEL_WEB_REST_REPLY_H

#include "web/http/exchange.h"
#include "web/model/view.h"
#include "web/text/document.h"

enum rest_dialect {
    REST_NATURAL,                       /* numbers are numbers, with the root name */
    REST_BARE,                          /* the same without it */
    REST_MAPPED,                        /* everything is a text, a list of one element is no list */
};

/* NULL: has been answered: the format that is accepted is neither JSON nor XML (406), or the model is not
 * complete yet (503). The parameter creel.json=plain makes MAPPED what BARE is. ROOT is borrowed. */
struct document *rest_begin(struct exchange *exchange, const char *root, enum rest_dialect dialect);
/* Answers with STATUS, and frees DOCUMENT. */
void rest_send(struct exchange *exchange, int status, struct document *document);
/* Answers with a bare text under the accepted type, or an empty one, as some of YARN's handlers do. */
void rest_send_text(struct exchange *exchange, int status, const char *text);

const struct web_model *rest_model(const struct exchange *exchange);
/* False: has been answered with 503. */
bool rest_model_is_complete(struct exchange *exchange);

/* --- errors ------------------------------------------------------------------ */

/* JAVA_CLASS is the name of a Java class with its package. MESSAGE may be NULL. */
void rest_error(struct exchange *exchange, int status, const char *java_class, const char *message);
/* 404 and 400 as YARN's handlers throw them: "java.lang.Exception: " is before the message. */
void rest_not_found(struct exchange *exchange, const char *message);
void rest_bad_request(struct exchange *exchange, const char *message);
/* 400 of a value that is none of an enumeration. */
void rest_illegal_argument(struct exchange *exchange, const char *message);
/* 400 of a body that cannot be read, 403, and 501. */
void rest_bad_body(struct exchange *exchange, const char *message);
void rest_forbidden(struct exchange *exchange, const char *message);
void rest_not_implemented(struct exchange *exchange, const char *message);
/* An error of the resource manager. */
void rest_upstream_error(struct exchange *exchange, const Creel__Error *error);
/* Of the table of routes. */
void rest_refuse(struct exchange *exchange, int status, const char *message);

#endif
