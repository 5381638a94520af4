/* SPDX-License-Identifier: Apache-2.0 */
/*
 * format.h - sends replies of a REST interface as JSON or XML, and errors in YARN's format
 *
 * creel-web and the agent's creel-nm-web use it. A handler begins a document, fills it (web/text/document.h)
 * and sends it with rest_send. An error is {"RemoteException":{"exception","message","javaClassName"}}, with
 * YARN's exception class, which some clients check.
 */
#ifndef CREEL_WEB_REST_FORMAT_H
#define CREEL_WEB_REST_FORMAT_H

#include "common/proto/creel.pb-c.h"
#include "web/http/exchange.h"
#include "web/text/bean.h"
#include "web/text/document.h"

enum rest_dialect {
    REST_NATURAL, /* numbers are numbers, with the root name */
    REST_BARE,    /* like NATURAL without the root name */
    REST_MAPPED,  /* values are strings; a list of one element is only the element */
};

/* Begins a document. Returns NULL after answering 406, if the client accepts neither JSON nor XML. With the
 * parameter creel.json=plain, MAPPED is treated as BARE. ROOT is borrowed. */
struct document *rest_begin_plain(struct exchange *exchange, const char *root, enum rest_dialect dialect);
/* Sends DOCUMENT with STATUS, and frees DOCUMENT. */
void rest_send(struct exchange *exchange, int status, struct document *document);
/* Sends TEXT (may be empty) without a document around it, with the accepted content type, as some of YARN's
 * handlers do. */
void rest_send_text(struct exchange *exchange, int status, const char *text);

/* Adds the headers that YARN's servlet filter adds, and returns the accepted content type. */
const char *rest_begin_answer(struct exchange *exchange);

/* Returns "http://host:port" of the request's Host header; without a valid one, "http://localhost". */
const char *rest_base_url(struct exchange *exchange);

/* --- errors ------------------------------------------------------------------ */

/* Sends an error. JAVA_CLASS is the exception's class with its package. MESSAGE may be NULL. */
void rest_error(struct exchange *exchange, int status, const char *java_class, const char *message);
/* Send 404 and 400 as YARN's handlers do, with "java.lang.Exception: " before the message. */
void rest_not_found(struct exchange *exchange, const char *message);
void rest_bad_request(struct exchange *exchange, const char *message);
/* Sends 400 for a value that the enumeration does not have. */
void rest_illegal_argument(struct exchange *exchange, const char *message);
/* Send 400 for an invalid body, 403, and 501. */
void rest_bad_body(struct exchange *exchange, const char *message);
void rest_forbidden(struct exchange *exchange, const char *message);
void rest_not_implemented(struct exchange *exchange, const char *message);
/* Sends the HTTP status that corresponds to an error of the resource manager. */
void rest_upstream_error(struct exchange *exchange, const Creel__Error *error);
/* Sends an error for which there is no handler, such as an unknown path (callback of struct route_table). */
void rest_refuse(struct exchange *exchange, int status, const char *message);

/* Adds the headers of /jmx, and returns its content type. */
const char *rest_begin_beans(struct exchange *exchange);
/* Reads the parameters qry and get. Returns false after an answer, if they ask for no beans. */
bool rest_read_beans(struct exchange *exchange, struct bean_question *ret);
/* Answers /jmx with the beans of LIST that the parameters qry and get ask for. */
void rest_send_beans(struct exchange *exchange, const struct bean_list *list);

#endif
