/* SPDX-License-Identifier: Apache-2.0 */
/*
 * acl.h - YARN's access lists (yarn-behaviour 1.3)
 *
 *   "alice,bob staff,ops"    these users, and the members of these groups
 *   "*"                      all users (alone, or as one of the two words)
 *   " "                      no users
 *   " staff"                 groups only
 *
 * The names before the first blank are users, the names after it groups. Names are separated by commas;
 * blanks around names are ignored.
 */
#ifndef CREEL_RM_IDENTITY_ACL_H
#define CREEL_RM_IDENTITY_ACL_H

#include <stdbool.h>
#include <stddef.h>

/* The user to be checked. Borrowed for the call; the primary group first. */
struct acl_person {
    const char *user;
    const char *const *groups;
    size_t group_count;
};

struct acl;

/* Parses TEXT as configured, including a leading blank (conf_raw_acl); NULL allows no user. Never fails: YARN
 * refuses no list. */
struct acl *acl_new(const char *text);
void acl_free(struct acl *acl); /* NULL is fine */

bool acl_allows(const struct acl *acl, const struct acl_person *person);
bool acl_is_everybody(const struct acl *acl); /* true if the list is "*" */
/* Returns true if the list is empty. Declared for tests. */
bool acl_is_nobody(const struct acl *acl);

/* Returns the list for messages: its text in quotes, shortened if very long, or the word nobody or everybody.
 * Owned by ACL. */
const char *acl_text(const struct acl *acl);
/* Returns the list as a configuration has it: "*", or "alice,bob staff", or " " for nobody. Owned by the
 * caller. */
char *acl_source(const struct acl *acl);
/* Returns a warning if the list is probably a mistake ("a b c" has a group with a blank in its name), else
 * NULL. Owned by ACL. */
const char *acl_complaint(const struct acl *acl);

#endif
